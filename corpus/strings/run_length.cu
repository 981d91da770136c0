// Run-length coding: encoding a row a thread, decoding with one thread a run, and the look-and-say sequence.
// Output of a row: pairs of count (at most 9) and character; lengths holds how many bytes were written.
__global__ void rle_encode(const char *rows, int width, char *out, int *lengths, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    const char *in = rows + row * width;
    char *to = out + 2 * row * width;
    int written = 0;
    for (int k = 0; k < width;) {
        int run = 1;
        while (k + run < width && run < 9 && in[k + run] == in[k]) run++;
        to[written++] = (char)('0' + run);
        to[written++] = in[k];
        k += run;
    }
    lengths[row] = written;
}

__global__ void rle_decode(const unsigned char *counts, const char *characters, int runs, char *out, int *total) {
    extern __shared__ int start[];
    int t = threadIdx.x;
    start[t] = t < runs ? counts[t] : 0;
    __syncthreads();
    // Inclusive scan.
    for (int distance = 1; distance < blockDim.x; distance <<= 1) {
        int left = t >= distance ? start[t - distance] : 0;
        __syncthreads();
        start[t] += left;
        __syncthreads();
    }
    if (t < runs) {
        for (int k = start[t] - counts[t]; k < start[t]; k++) out[k] = characters[t];
    }
    if (t == blockDim.x - 1) *total = start[t];
}

__global__ void look_and_say(int terms, char *out, int capacity, int *length) {
    __shared__ char buffers[2][64];
    if (threadIdx.x) return;
    int size = 1, from = 0;
    buffers[0][0] = '1';
    for (int term = 1; term < terms; term++) {
        int written = 0;
        for (int k = 0; k < size;) {
            char digit = buffers[from][k];
            char run = '0';
            while (k < size && buffers[from][k] == digit) {
                run++;
                k++;
            }
            buffers[1 - from][written++] = run;
            buffers[1 - from][written++] = digit;
        }
        size = written;
        from = 1 - from;
    }
    for (int k = 0; k < size && k < capacity; k++) out[k] = buffers[from][k];
    *length = size;
}

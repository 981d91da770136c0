// Runs of equal elements: their number, starts, lengths and values, as a run-length encoder needs them.
__global__ void find_runs(const unsigned char *in, int n, unsigned char *value, short *start, short *length, int *runs) {
    extern __shared__ int number[];
    int t = threadIdx.x;
    bool head = t < n && (t == 0 || in[t] != in[t - 1]);
    number[t] = head;
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        int before = t >= distance ? number[t - distance] : 0;
        __syncthreads();
        number[t] += before;
        __syncthreads();
    }
    int run = number[t] - 1, count = number[blockDim.x - 1];
    if (head) {
        value[run] = in[t];
        start[run] = t;
    }
    if (t == 0) *runs = count;
    __syncthreads();
    if (t < count) length[t] = (t + 1 < count ? start[t + 1] : n) - start[t];
}

// Line numbers and columns of the characters of a text.
__global__ void line_and_column(const char *text, int n, short2 *position) {
    extern __shared__ int2 state[];  // lines ended before, and where the current one starts
    int t = threadIdx.x;
    bool starts = t > 0 && t < n && text[t - 1] == '\n';
    int lines = starts, first = starts ? t : 0;
    state[t] = make_int2(lines, first);
    __syncthreads();
    for (int distance = 1; distance < n; distance *= 2) {
        if (t >= distance) {
            int2 before = state[t - distance];
            lines += before.x;
            first = max(first, before.y);
        }
        __syncthreads();
        state[t] = make_int2(lines, first);
        __syncthreads();
    }
    if (t < n) position[t] = make_short2(lines + 1, t - first + 1);
}

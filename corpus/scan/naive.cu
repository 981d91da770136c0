// Inclusive prefix sums of one block by doubling distances (Hillis and Steele): n log n additions, log n steps.

// One array: everyone reads, then everyone writes.
__global__ void scan_in_place(unsigned *values, int n) {
    extern __shared__ unsigned cache[];
    int t = threadIdx.x;
    if (t < n) cache[t] = values[t];
    __syncthreads();
    for (int distance = 1; distance < n; distance *= 2) {
        unsigned before = t >= distance && t < n ? cache[t - distance] : 0;
        __syncthreads();
        if (t < n) cache[t] += before;
        __syncthreads();
    }
    if (t < n) values[t] = cache[t];
}

// Two halves of a buffer in turn: one barrier a step. Exclusive: the input enters one place to the right.
__global__ void scan_two_buffers(const int *in, int n, int *out) {
    extern __shared__ int buffers[];
    int t = threadIdx.x, to = 0, from = 1;
    if (t < n) buffers[t] = t > 0 ? in[t - 1] : 0;
    __syncthreads();
    for (int distance = 1; distance < n; distance <<= 1) {
        to = 1 - to;
        from = 1 - to;
        if (t < n) {
            int value = buffers[from * n + t];
            if (t >= distance) value += buffers[from * n + t - distance];
            buffers[to * n + t] = value;
        }
        __syncthreads();
    }
    if (t < n) out[t] = buffers[to * n + t];
}

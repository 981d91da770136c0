// Odd-even transposition sort: neighbours are compared in two alternating phases until both leave all in place.

__global__ void odd_even_sort(short *values, int n) {
    extern __shared__ short line[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) line[i] = values[i];
    __syncthreads();
    int quiet = 0;
    for (int phase = 0; quiet < 2; phase ^= 1) {
        bool swapped = false;
        for (int i = 2 * threadIdx.x + phase; i + 1 < n; i += 2 * blockDim.x) {
            short left = line[i], right = line[i + 1];
            if (left > right) {
                line[i] = right;
                line[i + 1] = left;
                swapped = true;
            }
        }
        quiet = __syncthreads_or(swapped) ? 0 : quiet + 1;
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = line[i];
}

// Sum of an array by a tree in shared memory; blockDim.x is a power of two up to 32.
extern "C" __global__ void reduce(const int *x, int *out, int n) {
    __shared__ int partial[32];
    unsigned t = threadIdx.x;
    int total = 0;
    for (int i = t; i < n; i += blockDim.x) {
        total += x[i];
    }
    partial[t] = total;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            partial[t] += partial[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        *out = partial[0];
    }
}

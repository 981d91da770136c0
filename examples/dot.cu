// Dot product: every thread multiplies one pair and adds it to the result.
extern "C" __global__ void dot(const int *a, const int *b, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(out, a[i] * b[i]);
    }
}

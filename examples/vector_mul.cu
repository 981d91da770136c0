// c[i] = a[i] * b[i], the low 32 bits
extern "C" __global__ void vector_mul(const int *a, const int *b, int *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] * b[i];
    }
}

// Products folded to one number: dot product in 64 bits, product modulo m, and a product of matrices (order matters).

__global__ void dot(const int *a, const int *b, int n, long long *result) {
    extern __shared__ long long terms[];
    int t = threadIdx.x;
    long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) sum += (long long)a[i] * b[i];
    terms[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) terms[t] += terms[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd((unsigned long long *)result, (unsigned long long)terms[0]);
}

__global__ void product_mod(const unsigned *in, int n, unsigned m, unsigned *result) {
    extern __shared__ unsigned factors[];
    int t = threadIdx.x;
    unsigned product = 1 % m;
    for (int i = t; i < n; i += blockDim.x) product = (unsigned long long)product * (in[i] % m) % m;
    factors[t] = product;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) factors[t] = product = (unsigned long long)product * factors[t + half] % m;
        __syncthreads();
    }
    if (t == 0) *result = product;
}

struct Matrix {
    unsigned a, b, c, d;
};

__device__ Matrix operator*(const Matrix &x, const Matrix &y) {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

// Matrices do not commute: a thread only ever joins its run with the run right after it.
__global__ void matrix_chain(const Matrix *in, int n, Matrix *result) {
    __shared__ Matrix chain[32];
    int t = threadIdx.x;
    chain[t] = t < n ? in[t] : Matrix{1, 0, 0, 1};
    __syncthreads();
#pragma unroll 1
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0 && t + stride < blockDim.x) chain[t] = chain[t] * chain[t + stride];
        __syncthreads();
    }
    if (t == 0) *result = chain[0];
}

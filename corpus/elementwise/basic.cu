// The first kernels of every course: one thread an element, with a bound check for the ragged last block.
__global__ void vector_add(const int *a, const int *b, int *c, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void saxpy(int n, int alpha, const int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = alpha * x[i] + y[i];
}

__global__ void clamp(const int *in, int *out, int low, int high, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = min(max(in[i], low), high);
}

__global__ void relu(int *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] < 0) values[i] = 0;
}

// Negative values are divided by 8, rounded down.
__global__ void leaky_relu(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] > 0 ? in[i] : in[i] >> 3;
}

__global__ void absolute_and_sign(const int *in, int *magnitude, signed char *sign, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = in[i];
    magnitude[i] = abs(x);
    sign[i] = (x > 0) - (x < 0);
}

__global__ void divide(const int *a, const int *b, int *quotient, int *remainder, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    quotient[i] = a[i] / b[i];
    remainder[i] = a[i] % b[i];
}

__global__ void polynomial(const int *x, int *y, const int *coefficients, int degree, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int value = 0;
    for (int k = degree; k >= 0; k--) value = value * x[i] + coefficients[k];
    y[i] = value;
}

// 64-bit and fixed-point elements.
__global__ void add64(const long long *a, const long long *b, long long *sum, long long *difference, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    sum[i] = a[i] + b[i];
    difference[i] = a[i] - b[i];
}

__global__ void multiply_wide(const int *a, const int *b, long long *product, unsigned long long *magnitude, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    product[i] = (long long)a[i] * b[i];
    magnitude[i] = (unsigned long long)(unsigned)a[i] * (unsigned)b[i];
}

// Fixed point with 16 fractional bits, rounded to nearest.
__global__ void multiply_q16(const int *a, const int *b, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (int)(((long long)a[i] * b[i] + 0x8000) >> 16);
}

__global__ void linear_interpolation(const int *from, const int *to, const unsigned short *weight, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long span = (long long)to[i] - from[i];
    out[i] = from[i] + (int)(span * weight[i] >> 16);
}

__global__ void clock_time(const unsigned long long *seconds, unsigned *days, uchar4 *time, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long t = seconds[i];
    days[i] = (unsigned)(t / 86400);
    unsigned rest = (unsigned)(t % 86400);
    time[i] = make_uchar4(rest / 3600, rest / 60 % 60, rest % 60, (days[i] + 4) % 7);
}

__global__ void integer_root(const unsigned long long *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned root = 0;
    for (int bit = 15; bit >= 0; bit--) {
        unsigned candidate = root | 1u << bit;
        if ((unsigned long long)candidate * candidate <= in[i]) root = candidate;
    }
    out[i] = root;
}

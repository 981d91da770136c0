// Bytes and half-words: saturation, rounding averages, quantisation.
__device__ int saturate(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

__global__ void add_saturated(const signed char *a, const signed char *b, signed char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = saturate(a[i] + b[i], -128, 127);
}

__global__ void subtract_saturated(const unsigned short *a, const unsigned short *b, unsigned short *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] > b[i] ? a[i] - b[i] : 0;
}

__global__ void compare_bytes(const unsigned char *a, const unsigned char *b, unsigned char *difference,
                              unsigned char *average, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    difference[i] = abs(a[i] - b[i]);
    average[i] = (a[i] + b[i] + 1) >> 1;
}

// Values in units of 2^-shift become bytes, rounded half up, with a zero point.
__global__ void quantise(const int *in, signed char *out, int shift, int zero, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = saturate(((in[i] + (1 << (shift - 1))) >> shift) + zero, -128, 127);
}

__global__ void wrap_around(const short *in, short *tripled, unsigned char *low, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tripled[i] = in[i] * 3;
    low[i] = in[i];
}

__global__ void xor_stream(unsigned char *data, const unsigned char *key, int length, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] ^= key[i % length];
}

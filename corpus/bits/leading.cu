// Leading and trailing zeros: powers of two, logarithms, floor of a square root's exponent, and lowest set bits.
__global__ void bit_positions(const unsigned *in, int *leading, int *trailing, unsigned *next_power, int *log2_floor,
                              int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = in[i];
    leading[i] = __clz(x);
    trailing[i] = x ? __ffs(x) - 1 : 32;
    next_power[i] = x <= 1 ? 1 : x > 0x80000000u ? 0 : 1u << (32 - __clz(x - 1));
    log2_floor[i] = 31 - __clz(x);
}

__global__ void bit_positions64(const unsigned long long *in, int *leading, int *lowest, unsigned long long *isolated,
                                int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    leading[i] = __clzll(in[i]);
    lowest[i] = __ffsll(in[i]);
    isolated[i] = in[i] & (0 - in[i]);
}

// Number of significant bits of a signed value, as a variable-length code needs it.
__global__ void bit_width(const short *in, unsigned char *width, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = in[i];
    width[i] = (unsigned char)(33 - __clz(x ^ (x >> 31)));
}

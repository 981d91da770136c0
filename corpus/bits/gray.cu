// Gray codes: conversion in both directions, and the Chinese rings puzzle position they number.
__global__ void to_gray(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] ^ (in[i] >> 1);
}

__global__ void from_gray(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned value = in[i];
    for (unsigned shift = 1; shift < 32; shift <<= 1) value ^= value >> shift;
    out[i] = value;
}

__global__ void gray_step(const unsigned short *codes, unsigned char *flipped, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // The next code flips bit 0 after an even number of ones, otherwise the bit left of the lowest one.
    unsigned code = codes[i];
    flipped[i] = (unsigned char)(__popc(code) % 2 == 0 ? 0 : __ffs(code));
}

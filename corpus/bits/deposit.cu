// Gathering and scattering bits under a mask, and the bit fields of packed pixels.
__global__ void extract_bits(const unsigned *in, const unsigned *masks, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned result = 0, value = in[i], mask = masks[i];
    for (unsigned bit = 1; mask; bit <<= 1) {
        unsigned lowest = mask & (0 - mask);
        if (value & lowest) result |= bit;
        mask ^= lowest;
    }
    out[i] = result;
}

__global__ void deposit_bits(const unsigned *in, const unsigned *masks, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned result = 0, value = in[i], mask = masks[i];
    while (mask) {
        unsigned lowest = mask & (0 - mask);
        if (value & 1) result |= lowest;
        value >>= 1;
        mask ^= lowest;
    }
    out[i] = result;
}

__global__ void rgb565_to_888(const unsigned short *pixels, uchar3 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned p = pixels[i];
    unsigned r = p >> 11, g = (p >> 5) & 0x3f, b = p & 0x1f;
    out[i] = make_uchar3((unsigned char)(r << 3 | r >> 2), (unsigned char)(g << 2 | g >> 4),
                         (unsigned char)(b << 3 | b >> 2));
}

__global__ void rgb888_to_565(const uchar4 *pixels, unsigned short *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 p = pixels[i];
    out[i] = (unsigned short)((p.x >> 3) << 11 | (p.y >> 2) << 5 | p.z >> 3);
}

// Sign extension of fields of any width at any place.
__global__ void signed_fields(const unsigned *packed, const uchar2 *places, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned start = places[i].x, width = places[i].y;
    unsigned field = packed[i] << (32 - start - width);
    out[i] = (int)field >> (32 - width);
}

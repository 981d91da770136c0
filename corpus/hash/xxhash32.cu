// xxHash, 32 bits, of messages of any length; a message of 16 bytes or more runs four accumulators.
#define PRIME1 2654435761u
#define PRIME2 2246822519u
#define PRIME3 3266489917u
#define PRIME4 668265263u
#define PRIME5 374761393u

__device__ inline unsigned rotate(unsigned x, unsigned bits) { return (x << bits) | (x >> (32u - bits)); }

__device__ inline unsigned read32(const unsigned char *p) {
    return (unsigned)p[0] | (unsigned)p[1] << 8 | (unsigned)p[2] << 16 | (unsigned)p[3] << 24;
}

__device__ __noinline__ unsigned xx_round(unsigned acc, unsigned lane) {
    acc += lane * PRIME2;
    return rotate(acc, 13) * PRIME1;
}

__global__ void xxhash32(const unsigned char *text, const int *offsets, unsigned seed, unsigned *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const unsigned char *p = text + offsets[i];
    int remaining = offsets[i + 1] - offsets[i];
    unsigned total = remaining;
    unsigned acc;
    if (remaining >= 16) {
        unsigned v[4] = {seed + PRIME1 + PRIME2, seed + PRIME2, seed, seed - PRIME1};
        do {
            for (int k = 0; k < 4; k++) v[k] = xx_round(v[k], read32(p + 4 * k));
            p += 16;
            remaining -= 16;
        } while (remaining >= 16);
        acc = rotate(v[0], 1) + rotate(v[1], 7) + rotate(v[2], 12) + rotate(v[3], 18);
    } else {
        acc = seed + PRIME5;
    }
    acc += total;
    for (; remaining >= 4; remaining -= 4, p += 4) acc = rotate(acc + read32(p) * PRIME3, 17) * PRIME4;
    for (; remaining > 0; remaining--, p++) acc = rotate(acc + *p * PRIME5, 11) * PRIME1;
    acc ^= acc >> 15;
    acc *= PRIME2;
    acc ^= acc >> 13;
    acc *= PRIME3;
    acc ^= acc >> 16;
    out[i] = acc;
}

// MurmurHash3 for 32 bits: the finaliser over an array of keys, and the whole hash of byte strings.
__device__ __forceinline__ unsigned rotl32(unsigned x, int r) { return (x << r) | (x >> (32 - r)); }

__device__ unsigned fmix32(unsigned h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}

__global__ void murmur3_mix(const unsigned *keys, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = fmix32(keys[i]);
}

__global__ void murmur3_string(const unsigned char *text, const int *offsets, unsigned seed, unsigned *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const unsigned c1 = 0xcc9e2d51u, c2 = 0x1b873593u;
    const unsigned char *key = text + offsets[i];
    int length = offsets[i + 1] - offsets[i];
    unsigned h = seed;
    int words = length / 4;
    for (int w = 0; w < words; w++) {
        unsigned k = key[4 * w] | key[4 * w + 1] << 8 | key[4 * w + 2] << 16 | (unsigned)key[4 * w + 3] << 24;
        k *= c1;
        k = rotl32(k, 15);
        k *= c2;
        h ^= k;
        h = rotl32(h, 13);
        h = h * 5 + 0xe6546b64u;
    }
    const unsigned char *tail = key + words * 4;
    unsigned k = 0;
    switch (length & 3) {
        case 3: k ^= tail[2] << 16;  // fall through
        case 2: k ^= tail[1] << 8;   // fall through
        case 1:
            k ^= tail[0];
            k *= c1;
            k = rotl32(k, 15);
            k *= c2;
            h ^= k;
    }
    h ^= length;
    out[i] = fmix32(h);
}

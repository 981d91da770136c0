// SipHash-2-4 of short messages under a 128-bit key: 64-bit adds, rotations and exclusive ors.
typedef unsigned long long u64;

#define ROTL64(x, b) (u64)(((x) << (b)) | ((x) >> (64 - (b))))
#define SIPROUND              \
    do {                      \
        v0 += v1;             \
        v1 = ROTL64(v1, 13);  \
        v1 ^= v0;             \
        v0 = ROTL64(v0, 32);  \
        v2 += v3;             \
        v3 = ROTL64(v3, 16);  \
        v3 ^= v2;             \
        v0 += v3;             \
        v3 = ROTL64(v3, 21);  \
        v3 ^= v0;             \
        v2 += v1;             \
        v1 = ROTL64(v1, 17);  \
        v1 ^= v2;             \
        v2 = ROTL64(v2, 32);  \
    } while (0)

__global__ void siphash24(const unsigned char *text, const int *offsets, u64 key0, u64 key1, u64 *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const unsigned char *p = text + offsets[i];
    int length = offsets[i + 1] - offsets[i];
    u64 v0 = 0x736f6d6570736575ull ^ key0, v1 = 0x646f72616e646f6dull ^ key1;
    u64 v2 = 0x6c7967656e657261ull ^ key0, v3 = 0x7465646279746573ull ^ key1;
    int blocks = length / 8 + 1;
    for (int block = 0; block < blocks; block++) {
        u64 m = 0;
        for (int k = 7; k >= 0; k--) {
            int at = 8 * block + k;
            m = m << 8 | (at < length ? p[at] : 0);
        }
        if (block == blocks - 1) m |= (u64)(length & 0xff) << 56;
        v3 ^= m;
        for (int r = 0; r < 2; r++) SIPROUND;
        v0 ^= m;
    }
    v2 ^= 0xff;
    for (int r = 0; r < 4; r++) SIPROUND;
    out[i] = v0 ^ v1 ^ v2 ^ v3;
}

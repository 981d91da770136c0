// SHA-1 of one-block messages, one thread a message, with the 80 rounds in four phases.
__device__ __forceinline__ unsigned rol(unsigned value, unsigned bits) {
    return (value << bits) | (value >> (32 - bits));
}

extern "C" __global__ void sha1(const unsigned char *text, const int *offsets, unsigned *digests, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned w[80];
    int begin = offsets[i], length = offsets[i + 1] - begin;
#pragma unroll 1
    for (int t = 0; t < 16; t++) {
        unsigned word = 0;
        for (int k = 4 * t; k < 4 * t + 4; k++) {
            unsigned byte = k < length ? text[begin + k] : k == length ? 0x80 : 0;
            word = word << 8 | byte;
        }
        w[t] = word;
    }
    w[15] = length << 3;
#pragma unroll 1
    for (int t = 16; t < 80; t++) w[t] = rol(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;
#pragma unroll 1
    for (int t = 0; t < 80; t++) {
        unsigned f, k;
        if (t < 20) {
            f = (b & c) | (~b & d);
            k = 0x5a827999;
        } else if (t < 40) {
            f = b ^ c ^ d;
            k = 0x6ed9eba1;
        } else if (t < 60) {
            f = (b & c) | (b & d) | (c & d);
            k = 0x8f1bbcdc;
        } else {
            f = b ^ c ^ d;
            k = 0xca62c1d6;
        }
        unsigned next = rol(a, 5) + f + e + k + w[t];
        e = d;
        d = c;
        c = rol(b, 30);
        b = a;
        a = next;
    }
    digests[5 * i + 0] = a + 0x67452301;
    digests[5 * i + 1] = b + 0xefcdab89;
    digests[5 * i + 2] = c + 0x98badcfe;
    digests[5 * i + 3] = d + 0x10325476;
    digests[5 * i + 4] = e + 0xc3d2e1f0;
}

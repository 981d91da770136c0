// Bob Jenkins' one-at-a-time hash of fixed-length records, and of one lane a word with a mix of three values.
#define MIX(a, b, c)                \
    do {                            \
        a -= b; a -= c; a ^= c >> 13; \
        b -= c; b -= a; b ^= a << 8;  \
        c -= a; c -= b; c ^= b >> 13; \
        a -= b; a -= c; a ^= c >> 12; \
        b -= c; b -= a; b ^= a << 16; \
        c -= a; c -= b; c ^= b >> 5;  \
        a -= b; a -= c; a ^= c >> 3;  \
        b -= c; b -= a; b ^= a << 10; \
        c -= a; c -= b; c ^= b >> 15; \
    } while (0)

__global__ void one_at_a_time(const unsigned char *records, int record_size, unsigned *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const unsigned char *key = &records[i * record_size];
    unsigned hash = 0;
    for (int k = 0; k != record_size; ++k) {
        hash += key[k];
        hash += hash << 10;
        hash ^= hash >> 6;
    }
    hash += hash << 3;
    hash ^= hash >> 11;
    hash += hash << 15;
    out[i] = hash;
}

__global__ void mix96(const unsigned *a, const unsigned *b, unsigned *out, unsigned salt, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned x = a[i], y = b[i], z = salt;
    MIX(x, y, z);
    out[i] = z;
}

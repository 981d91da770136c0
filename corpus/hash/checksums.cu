// Simple checksums of one packet a thread: Adler-32, Fletcher-16, the Internet checksum, and XOR (LRC).
struct Checksums {
    unsigned adler;
    unsigned short fletcher;
    unsigned short internet;
    unsigned char lrc;
};

__device__ Checksums checksums_of(const unsigned char *p, int n) {
    Checksums sums;
    unsigned a = 1, b = 0, f1 = 0, f2 = 0, net = 0, x = 0;
    for (int i = 0; i < n; i++) {
        unsigned v = p[i];
        a = (a + v) % 65521;
        b = (b + a) % 65521;
        f1 = (f1 + v) % 255;
        f2 = (f2 + f1) % 255;
        net += i & 1 ? v : v << 8;
        x ^= v;
    }
    while (net >> 16) net = (net & 0xffff) + (net >> 16);
    sums.adler = b << 16 | a;
    sums.fletcher = (unsigned short)(f2 << 8 | f1);
    sums.internet = (unsigned short)~net;
    sums.lrc = (unsigned char)x;
    return sums;
}

extern "C" __global__ void checksums(const unsigned char *data, const int *offsets, unsigned *adler,
                                     unsigned short *fletcher, unsigned short *internet, unsigned char *lrc,
                                     int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Checksums sums = checksums_of(data + offsets[i], offsets[i + 1] - offsets[i]);
    adler[i] = sums.adler;
    fletcher[i] = sums.fletcher;
    internet[i] = sums.internet;
    lrc[i] = sums.lrc;
}

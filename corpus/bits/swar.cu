// Four bytes in a word worked on together: sums and differences without carries between bytes, averages, and a search
// for a byte.
__global__ void swar_bytes(const unsigned *a, const unsigned *b, unsigned *sum, unsigned *difference, unsigned *average,
                           int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = a[i], y = b[i];
    const unsigned high = 0x80808080u;
    sum[i] = ((x & ~high) + (y & ~high)) ^ ((x ^ y) & high);
    difference[i] = ((x | high) - (y & ~high)) ^ ((x ^ ~y) & high);
    average[i] = (x & y) + (((x ^ y) & 0xfefefefeu) >> 1);
}

__global__ void swar_find(const unsigned *text, unsigned char wanted, int *position, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = text[i] ^ wanted * 0x01010101u;
    unsigned zero = (x - 0x01010101u) & ~x & 0x80808080u;
    position[i] = zero ? (__ffs(zero) - 1) / 8 : -1;
}

__global__ void absolute_differences(const uchar4 *a, const uchar4 *b, unsigned *sad, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 p = a[i], q = b[i];
    unsigned sum = __sad(p.x, q.x, 0);
    sum = __sad(p.y, q.y, sum);
    sum = __sad(p.z, q.z, sum);
    sad[i] = __sad(p.w, q.w, sum);
}

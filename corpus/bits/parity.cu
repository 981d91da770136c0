// Parity: of words by folding and by a table in a constant, and parity rows and columns that locate one flipped bit.
__global__ void parity_fold(const unsigned *in, bool *odd, bool *odd_table, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = in[i];
    x ^= x >> 16;
    x ^= x >> 8;
    unsigned y = x ^ x >> 4;
    odd_table[i] = (0x6996u >> (y & 15)) & 1;
    x ^= x >> 4;
    x ^= x >> 2;
    x ^= x >> 1;
    odd[i] = x & 1;
}

// A packet of 8 data bytes, the column parity byte, and a byte of row parities; corrects at most one flipped data bit.
__global__ void parity_correct(unsigned char *packets, signed char *fixed_bit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char *p = packets + 10 * i;
    unsigned columns = p[8], rows = p[9];
    for (int k = 0; k < 8; k++) {
        columns ^= p[k];
        rows ^= (__popc(p[k]) & 1) << k;
    }
    signed char where = -1;
    if (columns && rows) {
        int row = __ffs(rows) - 1;
        p[row] ^= (unsigned char)columns;
        where = (signed char)(8 * row + __ffs(columns) - 1);
    }
    fixed_bit[i] = where;
}

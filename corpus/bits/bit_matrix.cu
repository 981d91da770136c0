// Matrices of bits: transposing 8x8 in a 64-bit word and 32x32 in shared memory, and a product over GF(2).
__global__ void transpose8(unsigned long long *matrices, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long x = matrices[i], t;
    t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aaull;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000cccc0000ccccull;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0ull;
    x ^= t ^ (t << 28);
    matrices[i] = x;
}

// Launched with 32 threads a block: thread t owns row t.
__global__ void transpose32(unsigned *matrix) {
    __shared__ unsigned rows[32];
    unsigned t = threadIdx.x;
    unsigned *mine = matrix + 32 * blockIdx.x;
    rows[t] = mine[t];
    __syncthreads();
    unsigned mask = 0x0000ffffu;
#pragma unroll 1
    for (unsigned j = 16; j != 0; j >>= 1) {
        unsigned partner = rows[t ^ j], own = rows[t];
        // The upper row of a pair gives its left half for the right half of the lower one.
        unsigned next = t & j ? (own & ~mask) | ((partner >> j) & mask) : (own & mask) | ((partner << j) & ~mask);
        __syncthreads();
        rows[t] = next;
        __syncthreads();
        mask ^= mask << (j >> 1);
    }
    mine[t] = rows[t];
}

__global__ void gf2_product(const unsigned short *a, const unsigned short *b_transposed, unsigned short *c) {
    __shared__ unsigned rows[16];
    int row = threadIdx.y, column = threadIdx.x;
    if (column == 0) rows[row] = 0;
    __syncthreads();
    if (__popc((unsigned)(a[row] & b_transposed[column])) & 1) atomicOr(&rows[row], 1u << column);
    __syncthreads();
    if (column == 0) c[row] = (unsigned short)rows[row];
}

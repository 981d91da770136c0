// Hamming: distances between all pairs of words, and the Hamming(7,4) code.
__global__ void hamming_distances(const unsigned long long *words, unsigned char *distance, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < n) distance[row * n + column] = (unsigned char)__popcll(words[row] ^ words[column]);
}

__global__ void nearest_word(const unsigned *words, int n, const unsigned *queries, int *nearest, int count) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= count) return;
    int best = 33, where = -1;
    for (int k = 0; k < n; k++) {
        int distance = __popc(words[k] ^ queries[q]);
        if (distance < best) {
            best = distance;
            where = k;
        }
    }
    nearest[q] = where;
}

// Bits 1..7 of a code word are p1 p2 d1 p4 d2 d3 d4, stored in bits 0..6.
__global__ void hamming74_encode(const unsigned char *nibbles, unsigned char *codes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int d1 = nibbles[i] & 1, d2 = nibbles[i] >> 1 & 1, d3 = nibbles[i] >> 2 & 1, d4 = nibbles[i] >> 3 & 1;
    int p1 = d1 ^ d2 ^ d4, p2 = d1 ^ d3 ^ d4, p4 = d2 ^ d3 ^ d4;
    codes[i] = (unsigned char)(p1 | p2 << 1 | d1 << 2 | p4 << 3 | d2 << 4 | d3 << 5 | d4 << 6);
}

__global__ void hamming74_decode(const unsigned char *codes, unsigned char *nibbles, int *corrected, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned code = codes[i], syndrome = 0;
    for (int bit = 1; bit <= 7; bit++) {
        if (code >> (bit - 1) & 1) syndrome ^= bit;
    }
    if (syndrome) {
        code ^= 1u << (syndrome - 1);
        atomicAdd(corrected, 1);
    }
    nibbles[i] = (unsigned char)((code >> 2 & 1) | (code >> 3 & 0xe));
}

// ChaCha20: the quarter round on its own, and key stream blocks with the state of a thread in a local array.
__device__ __forceinline__ void quarter_round(unsigned &a, unsigned &b, unsigned &c, unsigned &d) {
    a += b; d ^= a; d = __funnelshift_l(d, d, 16);
    c += d; b ^= c; b = __funnelshift_l(b, b, 12);
    a += b; d ^= a; d = __funnelshift_l(d, d, 8);
    c += d; b ^= c; b = __funnelshift_l(b, b, 7);
}

__global__ void chacha_quarter_round(uint4 *states, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        uint4 s = states[i];
        quarter_round(s.x, s.y, s.z, s.w);
        states[i] = s;
    }
}

__global__ void chacha20_blocks(const unsigned *key, const unsigned *nonce, unsigned first_counter, unsigned *stream) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x[16];
    x[0] = 0x61707865; x[1] = 0x3320646e; x[2] = 0x79622d32; x[3] = 0x6b206574;
    for (int k = 0; k < 8; k++) x[4 + k] = key[k];
    x[12] = first_counter + i;
    for (int k = 0; k < 3; k++) x[13 + k] = nonce[k];
#pragma unroll 1
    for (int round = 0; round < 10; round++) {
        // Columns, then diagonals.
#pragma unroll 1
        for (int k = 0; k < 4; k++) quarter_round(x[k], x[4 + k], x[8 + k], x[12 + k]);
#pragma unroll 1
        for (int k = 0; k < 4; k++) {
            quarter_round(x[k], x[4 + (k + 1) % 4], x[8 + (k + 2) % 4], x[12 + (k + 3) % 4]);
        }
    }
    unsigned start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    for (int k = 4; k < 12; k++) start[k] = key[k - 4];
    start[12] = first_counter + i;
    for (int k = 13; k < 16; k++) start[k] = nonce[k - 13];
    for (int k = 0; k < 16; k++) stream[16 * i + k] = x[k] + start[k];
}

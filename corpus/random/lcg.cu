// Linear congruential generators: one stream a thread, and one shared stream that every thread enters at its own
// position by jumping ahead (the affine map raised to a power by squaring).
#define MULTIPLIER 1664525u
#define INCREMENT 1013904223u

__global__ void lcg_streams(const unsigned *seeds, unsigned *out, int draws, int streams) {
    int stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams) return;
    unsigned state = seeds[stream];
    for (int k = 0; k < draws; k++) {
        state = state * MULTIPLIER + INCREMENT;
        out[k * streams + stream] = state;
    }
}

__global__ void lcg_jump(unsigned seed, unsigned first, unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned scale = 1, offset = 0, a = MULTIPLIER, c = INCREMENT;
    for (unsigned steps = first + i; steps != 0; steps >>= 1) {
        if (steps & 1) {
            scale *= a;
            offset = offset * a + c;
        }
        c *= a + 1;
        a *= a;
    }
    out[i] = scale * seed + offset;
}

// The generator of the C standard's example: 15 bits a draw.
__global__ void ansi_rand(unsigned long long seed, short *out, int draws) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    unsigned long long next = seed;
    for (int k = 0; k < draws; k++) {
        next = next * 1103515245ull + 12345ull;
        out[k] = (short)((unsigned)(next / 65536) % 32768);
    }
}

// PCG32: a 64-bit congruential state, output by an xorshift and a rotation that depends on the state.
struct Pcg32 {
    unsigned long long state;
    unsigned long long inc;

    __device__ unsigned next() {
        unsigned long long old = state;
        state = old * 6364136223846793005ull + inc;
        unsigned shifted = (unsigned)(((old >> 18) ^ old) >> 27);
        unsigned rotation = (unsigned)(old >> 59);
        return (shifted >> rotation) | (shifted << ((32 - rotation) & 31));
    }

    __device__ void seed(unsigned long long start, unsigned long long sequence) {
        state = 0;
        inc = (sequence << 1) | 1;
        next();
        state += start;
        next();
    }

    // Unbiased draw below a bound, by rejection.
    __device__ unsigned below(unsigned bound) {
        unsigned threshold = (0u - bound) % bound;
        while (true) {
            unsigned value = next();
            if (value >= threshold) return value % bound;
        }
    }
};

__global__ void pcg32(unsigned long long seed, unsigned *out, int draws, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pcg32 generator;
    generator.seed(seed, i);
    for (int k = 0; k < draws; k++) out[i * draws + k] = generator.next();
}

__global__ void pcg32_dice(unsigned long long seed, unsigned sides, unsigned *rolls, int draws, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pcg32 generator;
    generator.seed(seed + i, 54);
    for (int k = 0; k < draws; k++) rolls[i * draws + k] = 1 + generator.below(sides);
}

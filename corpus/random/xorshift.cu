// Marsaglia's xorshift family: 32 bits, 64 bits with a multiplication, and 128 bits of state in a uint4.
__global__ void xorshift32(unsigned *states, unsigned *out, int steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = states[i];
    unsigned sum = 0;
    for (int s = 0; s < steps; s++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        sum += x & 0xff;
    }
    states[i] = x;
    out[i] = sum;
}

__global__ void xorshift64star(const unsigned long long *seeds, unsigned *out, int draws, int n) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned long long x = seeds[i];
        for (int k = 0; k < draws; k++) {
            x ^= x >> 12;
            x ^= x << 25;
            x ^= x >> 27;
            out[i * draws + k] = (unsigned)((x * 0x2545f4914f6cdd1dull) >> 32);
        }
    }
}

__device__ unsigned xorshift128(uint4 &s) {
    unsigned t = s.x ^ (s.x << 11);
    s.x = s.y;
    s.y = s.z;
    s.z = s.w;
    s.w = (s.w ^ (s.w >> 19)) ^ (t ^ (t >> 8));
    return s.w;
}

__global__ void xorshift128_range(uint4 *states, unsigned low, unsigned high, unsigned *out, int draws, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 state = states[i];
    for (int k = 0; k < draws; k++) out[i * draws + k] = low + xorshift128(state) % (high - low + 1);
    states[i] = state;
}

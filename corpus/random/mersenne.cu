// The Mersenne Twister MT19937: the block renews the 624 words of state in shared memory in phases that respect
// their dependencies, then tempers them.
#define N 624
#define M 397

__device__ unsigned twist(unsigned upper, unsigned lower, unsigned far) {
    unsigned mixed = (upper & 0x80000000u) | (lower & 0x7fffffffu);
    return far ^ (mixed >> 1) ^ ((mixed & 1) ? 0x9908b0dfu : 0u);
}

__global__ void mt19937(const unsigned *seeded, unsigned *out, int wanted) {
    __shared__ unsigned old[N], state[N];
    for (int i = threadIdx.x; i < N; i += blockDim.x) old[i] = seeded[i];
    __syncthreads();
    for (int i = threadIdx.x; i < N - M; i += blockDim.x) state[i] = twist(old[i], old[i + 1], old[i + M]);
    __syncthreads();
    // Words of the second phase use those of the first, 227 of them at a time.
    for (int begin = N - M; begin < N - 1; begin += N - M) {
        int end = min(begin + N - M, N - 1);
        for (int i = begin + threadIdx.x; i < end; i += blockDim.x) {
            state[i] = twist(old[i], old[i + 1], state[i + M - N]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) state[N - 1] = twist(old[N - 1], state[0], state[M - 1]);
    __syncthreads();
    for (int i = threadIdx.x; i < wanted; i += blockDim.x) {
        unsigned y = state[i];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        out[i] = y ^ (y >> 18);
    }
}

// How the state is seeded: a recurrence that one thread must walk.
__global__ void mt19937_seed(unsigned seed, unsigned *state, int words) {
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        state[0] = seed;
        for (int i = 1; i < words; i++) state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
    }
}

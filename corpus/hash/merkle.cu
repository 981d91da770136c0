// Root of a binary hash tree over the leaves of a block, level by level in shared memory.
__device__ __noinline__ unsigned combine(unsigned left, unsigned right) {
    unsigned h = left * 31 + right;
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    return h ^ h >> 16;
}

extern "C" __global__ void merkle(const unsigned *leaves, int n, unsigned *roots) {
    extern __shared__ unsigned level[];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    level[t] = i < n ? leaves[i] : 0u;
    __syncthreads();
    for (unsigned width = blockDim.x / 2; width >= 1; width >>= 1) {
        unsigned parent = 0;
        if (t < width) parent = combine(level[2 * t], level[2 * t + 1]);
        __syncthreads();
        if (t < width) level[t] = parent;
        __syncthreads();
    }
    if (t == 0) roots[blockIdx.x] = level[0];
}

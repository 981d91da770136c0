// Complete unrolling: the size of the block is a template parameter, the last warp needs no barrier of the block.
template <int SIZE>
__device__ void fold_last_warp(int *cache, int t) {
    int sum = cache[t];
#pragma unroll
    for (int offset = SIZE < 64 ? SIZE / 2 : 32; offset > 0; offset >>= 1) {
        int other = t + offset < SIZE ? cache[t + offset] : 0;
        __syncwarp();
        cache[t] = sum += other;
        __syncwarp();
    }
}

template <int SIZE>
__device__ int block_sum(int *cache, int t, int value) {
    cache[t] = value;
    __syncthreads();
    if constexpr (SIZE >= 256) {
        if (t < 128) cache[t] += cache[t + 128];
        __syncthreads();
    }
    if constexpr (SIZE >= 128) {
        if (t < 64) cache[t] += cache[t + 64];
        __syncthreads();
    }
    if (t < 32) fold_last_warp<SIZE>(cache, t);
    __syncthreads();
    return cache[0];
}

__global__ void unrolled_sum(const int *in, int n, int *total) {
    __shared__ int cache[128];
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
    switch (blockDim.x) {
        case 128: sum = block_sum<128>(cache, threadIdx.x, sum); break;
        case 64: sum = block_sum<64>(cache, threadIdx.x, sum); break;
        case 32: sum = block_sum<32>(cache, threadIdx.x, sum); break;
        default: return;
    }
    if (threadIdx.x == 0) *total = sum;
}

// Four elements a load: the vector is summed in registers before anything is shared.
__global__ void vector_sum(const int4 *in, int quads, const int *tail, int rest, int *total) {
    __shared__ int cache[64];
    int t = threadIdx.x, sum = t < rest ? tail[t] : 0;
    for (int i = t; i < quads; i += 64) {
        int4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
    }
    sum = block_sum<64>(cache, t, sum);
    if (t == 0) *total = sum;
}

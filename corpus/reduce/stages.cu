// Sums over many blocks: each block strides through the input, and three ways to join what the blocks found.
#define THREADS 32

__device__ unsigned block_total(unsigned value) {
    __shared__ unsigned cache[THREADS];
    cache[threadIdx.x] = value;
    __syncthreads();
#pragma unroll 1
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) cache[threadIdx.x] += cache[threadIdx.x + half];
        __syncthreads();
    }
    return cache[0];
}

__device__ unsigned stride_sum(const unsigned *in, int n) {
    unsigned sum = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) sum += in[i];
    return sum;
}

// 1. Write the partial sums; a second launch of one block, of the same kernel, adds them.
__global__ void stage(const unsigned *in, int n, unsigned *partial) {
    unsigned total = block_total(stride_sum(in, n));
    if (threadIdx.x == 0) partial[blockIdx.x] = total;
}

// 2. An atomic addition for each block.
__global__ void sum_atomic(const unsigned *in, int n, unsigned *total) {
    unsigned mine = block_total(stride_sum(in, n));
    if (threadIdx.x == 0) atomicAdd(total, mine);
}

// 3. The block that finishes last adds the partial sums of all. The counter is back at zero for the next launch.
__device__ unsigned finished = 0;

__global__ void sum_last_block(const unsigned *in, int n, volatile unsigned *partial, unsigned *total) {
    __shared__ bool last;
    unsigned mine = block_total(stride_sum(in, n));
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    unsigned sum = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += THREADS) sum += partial[b];
    sum = block_total(sum);
    if (threadIdx.x == 0) *total = sum;
}

// The block sum of every CUDA course, step by step: each version fixes the weakness of the one before it.
// All of them write one partial sum a block; the size of the block is a power of two.

// Interleaved addressing with a remainder: simple, and half of the threads of every warp idle from the first step.
__global__ void sum_interleaved(const int *in, int n, int *partial) {
    extern __shared__ int cache[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cache[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0) cache[t] += cache[t + stride];
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = cache[0];
}

// The same additions, done by the first threads: no divergence, but conflicts of banks on a real GPU.
__global__ void sum_strided(const int *in, int n, int *partial) {
    extern __shared__ int cache[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cache[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        int left = 2 * stride * t;
        if (left < blockDim.x) cache[left] += cache[left + stride];
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = cache[0];
}

// Sequential addressing: neighbours read neighbours.
__global__ void sum_sequential(const int *in, int n, int *partial) {
    extern __shared__ int cache[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cache[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half) cache[t] += cache[t + half];
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = cache[0];
}

// The first addition happens while loading, so half as many blocks are needed.
__global__ void sum_first_add(const int *in, int n, int *partial) {
    extern __shared__ int cache[];
    int t = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + t;
    int sum = i < n ? in[i] : 0;
    if (i + blockDim.x < n) sum += in[i + blockDim.x];
    cache[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half) cache[t] = sum += cache[t + half];
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = sum;
}

// Any size of block, also odd: the upper half, rounded down, folds onto the lower half.
__global__ void sum_any_size(const int *in, int n, int *partial) {
    extern __shared__ int cache[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cache[t] = i < n ? in[i] : 0;
    __syncthreads();
    int active = blockDim.x;
    while (active > 1) {
        int half = (active + 1) / 2;
        if (t + half < active) cache[t] += cache[t + half];
        __syncthreads();
        active = half;
    }
    if (t == 0) partial[blockIdx.x] = cache[0];
}

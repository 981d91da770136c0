// A histogram of bytes by atomics: in global memory, in a private copy per block, in a copy per warp, without atomics.

__global__ void histogram_global(const unsigned char *in, int n, unsigned *bins, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] < count) atomicAdd(&bins[in[i]], 1u);  // what is out of range is not counted
}

__global__ void histogram_shared(const unsigned char *in, int n, unsigned *bins, int count) {
    extern __shared__ unsigned local[];
    for (int b = threadIdx.x; b < count; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        if (in[i] < count) atomicAdd(&local[in[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < count; b += blockDim.x)
        if (local[b] > 0) atomicAdd(&bins[b], local[b]);
}

__global__ void histogram_per_warp(const unsigned char *in, int n, unsigned *bins, int count) {
    extern __shared__ unsigned copies[];  // a histogram for each warp
    int warps = (blockDim.x + 31) / 32;
    unsigned *mine = copies + threadIdx.x / 32 * count;
    for (int b = threadIdx.x; b < warps * count; b += blockDim.x) copies[b] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (in[i] < count) atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < count; b += blockDim.x) {
        unsigned sum = 0;
        for (int w = 0; w < warps; w++) sum += copies[w * count + b];
        bins[b] = sum;
    }
}

// A thread a bin reads everything: no conflicts, much more reading.
__global__ void histogram_by_bin(const unsigned char *in, int n, unsigned *bins, int count) {
    int bin = blockIdx.x * blockDim.x + threadIdx.x;
    if (bin >= count) return;
    unsigned found = 0;
    for (int i = 0; i < n; i++) found += in[i] == bin;
    bins[bin] = found;
}

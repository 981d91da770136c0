// Prefix sums of more than one block can hold: three ways.

__device__ unsigned scan_of_block(unsigned value, unsigned *cache) {
    int t = threadIdx.x;
    cache[t] = value;
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        unsigned before = t >= distance ? cache[t - distance] : 0;
        __syncthreads();
        cache[t] = value += before;
        __syncthreads();
    }
    return value;
}

// 1a. Every block scans its part and notes its sum; the sums are scanned by the same kernel ...
__global__ void scan_parts(const unsigned *in, int n, unsigned *out, unsigned *sums) {
    extern __shared__ unsigned cache[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = scan_of_block(i < n ? in[i] : 0, cache);
    if (i < n) out[i] = value;
    if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = value;
}

// 1b. ... and added to what follows them.
__global__ void add_offsets(unsigned *out, int n, const unsigned *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

// 2. One block walks over the input, tile by tile, and carries the sum along.
__global__ void scan_tiles(const unsigned *in, int n, unsigned *out) {
    extern __shared__ unsigned cache[];
    unsigned carry = 0;
    for (int base = 0; base < n; base += blockDim.x) {
        int i = base + threadIdx.x;
        unsigned value = scan_of_block(i < n ? in[i] : 0, cache) + carry;
        if (i < n) out[i] = value;
        carry += cache[blockDim.x - 1];
        __syncthreads();
    }
}

// 3. All blocks scan their parts; the last one to finish adds the offsets for everyone.
__device__ unsigned arrived;

__global__ void scan_last_block(const unsigned *in, int n, volatile unsigned *out) {
    extern __shared__ unsigned cache[];
    __shared__ unsigned ticket;
    int size = blockDim.x, i = blockIdx.x * size + threadIdx.x;
    unsigned value = scan_of_block(i < n ? in[i] : 0, cache);
    if (i < n) out[i] = value;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) ticket = atomicAdd(&arrived, 1);
    __syncthreads();
    if (ticket != gridDim.x - 1) return;
    unsigned offset = 0;
    for (int base = size; base < n; base += size) {
        offset = out[base - 1];
        __syncthreads();
        if (base + threadIdx.x < n) out[base + threadIdx.x] += offset;
        __syncthreads();
    }
    if (threadIdx.x == 0) arrived = 0;
}

// Several elements a thread: a serial scan in registers, a block scan of the sums, and a second pass.
__global__ void scan_raked(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned cache[];
    uint4 v = ((const uint4 *)in)[blockIdx.x * blockDim.x + threadIdx.x];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    unsigned before = scan_of_block(v.w, cache) - v.w;
    ((uint4 *)out)[blockIdx.x * blockDim.x + threadIdx.x] =
        make_uint4(v.x + before, v.y + before, v.z + before, v.w + before);
}

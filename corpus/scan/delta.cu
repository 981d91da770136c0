// Delta coding: differences are taken in parallel, undone by a scan; small signed numbers become small unsigned ones.
__device__ unsigned zigzag(int x) { return (unsigned)x << 1 ^ (unsigned)(x >> 31); }
__device__ int unzigzag(unsigned x) { return (int)(x >> 1) ^ -(int)(x & 1); }

// A block of values: the first as it is, then differences; and how many bits hold the widest of them.
__global__ void delta_encode(const int *in, int n, int *first, unsigned *deltas, unsigned *width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned code = 0;
    if (i < n) {
        if (threadIdx.x == 0) {
            first[blockIdx.x] = in[i];
        } else {
            code = zigzag(in[i] - in[i - 1]);
        }
        deltas[i] = code;
    }
    __shared__ unsigned widest;
    if (threadIdx.x == 0) widest = 0;
    __syncthreads();
    atomicMax(&widest, 32u - __clz(code));
    __syncthreads();
    if (threadIdx.x == 0) width[blockIdx.x] = widest;
}

__global__ void delta_decode(const int *first, const unsigned *deltas, int n, int *out) {
    extern __shared__ int sums[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    sums[t] = t == 0 ? first[blockIdx.x] : i < n ? unzigzag(deltas[i]) : 0;
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        int before = t >= distance ? sums[t - distance] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    if (i < n) out[i] = sums[t];
}

// Reductions inside warps with shuffles: down, butterfly, in groups of lanes, in 64 bits, and through a whole block.
#define FULL 0xffffffffu

__global__ void warp_sum(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? in[i] : 0;
    for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(FULL, value, offset);
    if (threadIdx.x % 32 == 0) out[i / 32] = value;
}

__global__ void butterfly_extremes(const int *in, int2 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int low = in[i], high = in[i];
#pragma unroll 1
    for (int mask = 1; mask < 32; mask <<= 1) {
        low = min(low, __shfl_xor_sync(FULL, low, mask));
        high = max(high, __shfl_xor_sync(FULL, high, mask));
    }
    out[i] = make_int2(low, high);  // every lane has both
}

// Groups of 8 lanes reduce on their own.
__global__ void group_product(const unsigned *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = in[i];
    for (int offset = 4; offset > 0; offset /= 2) value *= __shfl_down_sync(FULL, value, offset, 8);
    if (threadIdx.x % 8 == 0) out[i / 8] = value;
}

__global__ void warp_sum64(const long long *in, long long *out) {
    long long value = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int mask = 16; mask; mask >>= 1) value += __shfl_xor_sync(FULL, value, mask);
    if ((threadIdx.x & 31) == 0) atomicAdd((unsigned long long *)out, (unsigned long long)value);
}

__inline__ __device__ int reduce_warp(int value) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(FULL, value, offset);
    return value;
}

// Sums of warps meet in shared memory; the first warp adds them. Grid stride over the input.
__global__ void block_sum(const int *in, int n, int *total) {
    __shared__ int sums[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    int value = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) value += in[i];
    value = reduce_warp(value);
    if (lane == 0) sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = lane < blockDim.x / warpSize ? sums[lane] : 0;
        value = reduce_warp(value);
        if (lane == 0) atomicAdd(total, value);
    }
}

// Index of the largest element: value and position travel together, the lower position wins a tie.
__global__ void warp_argmax(const short *in, int *where) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i], position = i;
    for (int offset = 16; offset > 0; offset >>= 1) {
        int other = __shfl_down_sync(FULL, value, offset);
        int from = __shfl_down_sync(FULL, position, offset);
        if (other > value || (other == value && from < position)) {
            value = other;
            position = from;
        }
    }
    if (threadIdx.x % 32 == 0) where[i / 32] = position;
}

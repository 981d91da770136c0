// Prefix sums inside warps with shuffles, over blocks of several warps, and by segments.
#define FULL 0xffffffffu

__device__ int scan_warp(int value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        int left = __shfl_up_sync(FULL, value, distance);
        if (lane >= distance) value += left;
    }
    return value;
}

__global__ void warp_scan(const int *in, int *inclusive, int *exclusive) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int value = in[i];
    int sum = scan_warp(value, lane);
    inclusive[i] = sum;
    exclusive[i] = sum - value;
}

__global__ void block_scan(const int *in, int *out, int n) {
    __shared__ int totals[8];
    int i = threadIdx.x, lane = i & 31, warp = i >> 5;
    int sum = scan_warp(i < n ? in[i] : 0, lane);
    if (lane == 31) totals[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; w++) sum += totals[w];
    if (i < n) out[i] = sum;
}

// The sum starts anew at every flag; a lane stops adding at the last flag at or before it.
__global__ void segmented_scan(const int *in, const bool *head, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned heads = __ballot_sync(FULL, head[i]) | 1u;
    unsigned before = heads & (FULL >> (31 - lane));
    int start = 31 - __clz(before);
    int value = in[i];
    for (int distance = 1; distance < 32; distance <<= 1) {
        int left = __shfl_up_sync(FULL, value, distance);
        if (lane - distance >= start) value += left;
    }
    out[i] = value;
}

__global__ void running_max(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 16;
    int value = in[i];
    for (int distance = 1; distance < 16; distance <<= 1) {
        int left = __shfl_up_sync(FULL, value, distance, 16);
        if (lane >= distance) value = max(value, left);
    }
    out[i] = value;
}

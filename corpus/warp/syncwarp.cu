// Warps that work on their own between barriers of the block: __syncwarp around shared memory, and divergent branches
// that meet again.
#define FULL 0xffffffffu

__global__ void warp_tree(const int *in, int *out) {
    __shared__ int data[256];
    int t = threadIdx.x, lane = t & 31;
    data[t] = in[blockIdx.x * blockDim.x + t];
    __syncwarp();
    for (int half = 16; half > 0; half >>= 1) {
        if (lane < half) data[t] += data[t + half];
        __syncwarp();
    }
    if (lane == 0) out[(blockIdx.x * blockDim.x + t) / 32] = data[t];
}

// Even lanes produce, odd lanes consume, step after step.
__global__ void pairs(const int *in, int steps, int *out) {
    __shared__ int mailbox[128];
    int t = threadIdx.x, state = in[t];
    for (int s = 0; s < steps; s++) {
        if (t % 2 == 0) {
            state = state * 3 + s;
            mailbox[t / 2] = state;
        }
        __syncwarp();
        if (t % 2 == 1) state ^= mailbox[t / 2];
        __syncwarp();
    }
    out[t] = state;
}

// Lanes take turns by a loop whose length depends on the lane, then exchange.
__global__ void divergent_then_shuffle(const unsigned char *lengths, int *out) {
    int lane = threadIdx.x % 32, sum = 0;
    for (int k = 0; k < lengths[threadIdx.x]; k++) {
        if (k % 3 == 2) continue;
        sum += k * lane;
    }
    __syncwarp();
    out[threadIdx.x] = sum + __shfl_xor_sync(FULL, sum, 1);
}

// A pipeline of warps: warp w adds w + 1 to what warp w - 1 left, block barrier between stages.
__global__ void warp_pipeline(const int *in, int *out) {
    __shared__ int stage[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (warp == 0) stage[lane] = in[lane];
    __syncthreads();
    for (int turn = 0; turn < warps; turn++) {
        if (turn == warp) {
            int left = __shfl_up_sync(FULL, stage[lane], 1);
            stage[lane] += warp + 1 + (lane ? left : 0);
        }
        __syncthreads();
    }
    if (warp == warps - 1) out[lane] = stage[lane];
}

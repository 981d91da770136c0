// Compaction with ballots: order kept inside a warp, warps placed by an atomic, and in a block by a scan of counts.
#define FULL 0xffffffffu

__global__ void compact_warp(const int *in, int *out, int *count) {
    int lane = threadIdx.x;
    int value = in[lane];
    unsigned keep = __ballot_sync(FULL, value > 0);
    if (value > 0) out[__popc(keep & ((1u << lane) - 1))] = value;
    if (lane == 0) *count = __popc(keep);
}

// One atomic a warp instead of one a lane; the leader hands the place to the others.
__global__ void aggregated_count(const int *in, int n, int divisor, int *counter) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool hit = i < n && in[i] % divisor == 0;
    unsigned hits = __ballot_sync(FULL, hit);
    if (hit) {
        int leader = __ffs(hits) - 1;
        if ((threadIdx.x & 31) == leader) atomicAdd(counter, __popc(hits));
    }
}

__global__ void compact_block(const unsigned short *in, int n, unsigned short *out, int *count) {
    __shared__ int counts[8];
    int i = threadIdx.x, lane = i % 32, warp = i / 32;
    bool keep = i < n && in[i] % 3 == 0;
    unsigned kept = __ballot_sync(FULL, keep);
    if (lane == 0) counts[warp] = __popc(kept);
    __syncthreads();
    int start = 0, total = 0;
    for (int w = 0; w < blockDim.x / 32; w++) {
        if (w < warp) start += counts[w];
        total += counts[w];
    }
    if (keep) out[start + __popc(kept & ((1u << lane) - 1u))] = in[i];
    if (i == 0) *count = total;
}

// Stable split by a bit, the step of a radix sort.
__global__ void split_by_bit(unsigned *keys, int bits) {
    int lane = threadIdx.x;
    unsigned key = keys[lane];
    for (int bit = 0; bit < bits; bit++) {
        unsigned ones = __ballot_sync(FULL, key >> bit & 1);
        unsigned below = (1u << lane) - 1;
        int place = key >> bit & 1 ? 32 - __popc(ones) + __popc(ones & below) : __popc(~ones & below);
        keys[place] = key;
        __syncwarp();
        key = keys[lane];
        __syncwarp();
    }
}

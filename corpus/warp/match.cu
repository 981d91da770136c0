// Lanes with equal values find each other: match_any, match_all, and one atomic for each distinct value.
#define FULL 0xffffffffu

__global__ void group_peers(const int *in, unsigned *peers, int *leader, int *rank) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned same = __match_any_sync(FULL, in[i]);
    peers[i] = same;
    leader[i] = __ffs(same) - 1;
    rank[i] = __popc(same & ((1u << lane) - 1));
}

__global__ void histogram_by_match(const unsigned char *in, int n, int *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mask = __ballot_sync(FULL, i < n);
    if (i >= n) return;
    unsigned same = __match_any_sync(mask, in[i]);
    if ((threadIdx.x & 31) == __ffs(same) - 1) atomicAdd(&bins[in[i]], __popc(same));
}

__global__ void uniform(const long long *in, int *same) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int agree;
    unsigned mask = __match_all_sync(FULL, in[i], &agree);
    same[i] = agree ? __popc(mask) : 0;
}

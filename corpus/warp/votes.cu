// Votes: any, all and ballots, with whole and ragged warps, and the block-wide forms.
#define FULL 0xffffffffu

__global__ void warp_votes(const int *in, int threshold, bool *any, bool *all, unsigned *ballots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool above = in[i] > threshold;
    bool some = __any_sync(FULL, above), every = __all_sync(FULL, above);
    unsigned ballot = __ballot_sync(FULL, above);
    if (threadIdx.x % 32 == 0) {
        any[i / 32] = some;
        all[i / 32] = every;
        ballots[i / 32] = ballot;
    }
}

// The last warp of a ragged block has fewer lanes: the mask names those that are there.
__global__ void ragged_votes(const unsigned char *flags, unsigned *ballots, unsigned *votes_all) {
    unsigned lanes = min(32u, blockDim.x - (threadIdx.x & ~31u));
    unsigned mask = lanes == 32 ? FULL : (1u << lanes) - 1;
    bool flag = flags[threadIdx.x];
    unsigned ballot = __ballot_sync(mask, flag);
    unsigned everyone = __all_sync(mask, flag);
    if (threadIdx.x % 32 == 0) {
        ballots[threadIdx.x / 32] = ballot;
        votes_all[threadIdx.x / 32] = everyone;
    }
}

__global__ void block_votes(const int *in, int *out) {
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    int odd = __syncthreads_count(value & 1);
    int zero = __syncthreads_or(value == 0);
    int positive = __syncthreads_and(value > 0);
    if (threadIdx.x == 0) {
        out[3 * blockIdx.x] = odd;
        out[3 * blockIdx.x + 1] = zero != 0;
        out[3 * blockIdx.x + 2] = positive != 0;
    }
}

// Lanes leave the loop together: it runs until the slowest is done.
__global__ void vote_loop(const unsigned *in, int *rounds, unsigned *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[i];
    int count = 0;
    while (__any_sync(FULL, x > 1)) {
        if (x > 1) x = x & 1 ? x - 1 : x / 2;
        count++;
    }
    rounds[i] = count;
    result[i] = x;
}

// Only the lanes of one side of a branch take part in its vote.
__global__ void vote_in_branch(const int *in, unsigned *out) {
    int i = threadIdx.x;
    unsigned negative = __ballot_sync(FULL, in[i] < 0);
    unsigned result;
    if (in[i] < 0)
        result = __ballot_sync(negative, in[i] % 2 != 0);
    else
        result = __ballot_sync(~negative, in[i] > 100);
    out[i] = result;
}

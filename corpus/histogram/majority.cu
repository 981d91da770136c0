// The value that more than half of the elements have: candidates and their surplus (Boyer and Moore) form a reduction.
struct Vote {
    int candidate, surplus;
};

__device__ Vote merge(Vote a, Vote b) {
    if (a.candidate == b.candidate) return {a.candidate, a.surplus + b.surplus};
    if (a.surplus >= b.surplus) return {a.candidate, a.surplus - b.surplus};
    return {b.candidate, b.surplus - a.surplus};
}

__global__ void majority(const int *in, int n, bool *exists, int *value) {
    __shared__ Vote votes[64];
    int t = threadIdx.x;
    Vote mine = {0, 0};
    for (int i = t; i < n; i += blockDim.x) mine = merge(mine, {in[i], 1});
    votes[t] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) votes[t] = merge(votes[t], votes[t + half]);
        __syncthreads();
    }
    int candidate = votes[0].candidate, found = 0;
    for (int base = 0; base < n; base += blockDim.x)
        found += __syncthreads_count(base + t < n && in[base + t] == candidate);
    if (t == 0) {
        *exists = 2 * found > n;
        *value = 2 * found > n ? candidate : 0;
    }
}

// The same question for numbers, bit by bit: a bit of the majority is the majority of the bits.
__global__ void majority_bits(const unsigned *in, int n, unsigned *value) {
    int bit = threadIdx.x % 32, ones = 0;
    for (int i = 0; i < n; i++) ones += in[i] >> bit & 1;
    unsigned word = __ballot_sync(0xffffffffu, 2 * ones > n);
    if (bit == 0) *value = word;
}

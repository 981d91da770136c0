// Maximum sum of a non-empty run of elements: runs are described by four numbers, and descriptions of neighbours join.
struct Run {
    int total, prefix, suffix, best;
};

__device__ Run single(int value) { return {value, value, value, value}; }

__device__ Run join(Run a, Run b) {
    return {a.total + b.total, max(a.prefix, a.total + b.prefix), max(b.suffix, b.total + a.suffix),
            max(max(a.best, b.best), a.suffix + b.prefix)};
}

__global__ void maximum_subarray(const int *in, int n, int *best) {
    __shared__ Run runs[64];
    int t = threadIdx.x, share = (n + blockDim.x - 1) / blockDim.x;
    int first = t * share, end = min(first + share, n);
    if (first < n) {
        Run mine = single(in[first]);
        for (int i = first + 1; i < end; i++) mine = join(mine, single(in[i]));
        runs[t] = mine;
    }
    __syncthreads();
    int used = (n + share - 1) / share;
    for (int stride = 1; stride < used; stride *= 2) {
        if (t % (2 * stride) == 0 && t + stride < used) runs[t] = join(runs[t], runs[t + stride]);
        __syncthreads();
    }
    if (t == 0) *best = runs[0].best;
}

// Longest run of ones in a bit string: the same idea on the words of a bitmap.
struct Ones {
    int length, prefix, suffix, best;
};

__device__ Ones join(Ones a, Ones b) {
    return {a.length + b.length, a.prefix == a.length ? a.length + b.prefix : a.prefix,
            b.suffix == b.length ? b.length + a.suffix : b.suffix, max(max(a.best, b.best), a.suffix + b.prefix)};
}

__global__ void longest_ones(const unsigned *bits, int words, int *best) {
    __shared__ Ones runs[32];
    int t = threadIdx.x;
    if (t < words) {
        unsigned w = bits[t], left = w;
        int longest = 0;
        for (; left; left &= left << 1) longest++;
        runs[t] = {32, w == ~0u ? 32 : __ffs(~w) - 1, __clz(~w), longest};
    }
    __syncthreads();
    for (int stride = 1; stride < words; stride *= 2) {
        if (t % (2 * stride) == 0 && t + stride < words) runs[t] = join(runs[t], runs[t + stride]);
        __syncthreads();
    }
    if (t == 0) *best = runs[0].best;
}

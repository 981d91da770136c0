// Reductions by and, or, xor; the number without a partner; the missing number.

__global__ void and_or_xor(const unsigned *in, int n, unsigned *all, unsigned *any, unsigned *odd) {
    unsigned a = ~0u, o = 0, x = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        a &= in[i];
        o |= in[i];
        x ^= in[i];
    }
    atomicAnd(all, a);
    atomicOr(any, o);
    atomicXor(odd, x);
}

// Every number occurs twice, two numbers once: a bit in which those differ separates them.
__global__ void two_singles(const unsigned *in, int n, unsigned *low, unsigned *high) {
    __shared__ unsigned both, one;
    if (threadIdx.x == 0) both = one = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicXor(&both, in[i]);
    __syncthreads();
    unsigned bit = both & -both;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (in[i] & bit) atomicXor(&one, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        *low = min(one, one ^ both);
        *high = max(one, one ^ both);
    }
}

// 0 ... n without one number, in any order.
__global__ void missing_number(const unsigned short *in, int n, unsigned *missing) {
    extern __shared__ unsigned cache[];
    int t = threadIdx.x;
    unsigned x = t == 0 ? n : 0;
    for (int i = t; i < n; i += blockDim.x) x ^= i ^ in[i];
    cache[t] = x;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) cache[t] ^= cache[t + half];
        __syncthreads();
    }
    if (t == 0) *missing = cache[0];
}

// One reduction for every operator: the operation is a type, the rest of the code is written once.
struct Sum {
    static constexpr unsigned identity = 0;
    __device__ unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};

struct Largest {
    static constexpr unsigned identity = 0;
    __device__ unsigned operator()(unsigned a, unsigned b) const { return max(a, b); }
};

struct Gcd {
    static constexpr unsigned identity = 0;
    __device__ unsigned operator()(unsigned a, unsigned b) const {
        while (b) {
            unsigned r = a % b;
            a = b;
            b = r;
        }
        return a;
    }
};

template <typename Operation>
__device__ unsigned reduce(const unsigned *in, int n, Operation operation) {
    __shared__ unsigned cache[32];
    unsigned value = Operation::identity;
    for (int i = threadIdx.x; i < n; i += blockDim.x) value = operation(value, in[i]);
    cache[threadIdx.x] = value;
    __syncthreads();
#pragma unroll 1
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) cache[threadIdx.x] = operation(cache[threadIdx.x], cache[threadIdx.x + half]);
        __syncthreads();
    }
    return cache[0];
}

__global__ void three_reductions(const unsigned *in, int n, unsigned *sum, unsigned *largest, unsigned *gcd) {
    unsigned s = reduce(in, n, Sum()), l = reduce(in, n, Largest()), g = reduce(in, n, Gcd());
    if (threadIdx.x == 0) {
        *sum = s;
        *largest = l;
        *gcd = g;
    }
}

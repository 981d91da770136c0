// One block scan for every associative operator, after the manner of a library: sum, maximum, and what came last.
struct Add {
    __device__ int operator()(int a, int b) const { return a + b; }
};

struct Max {
    __device__ int operator()(int a, int b) const { return max(a, b); }
};

struct Last {  // 0 stands for nothing
    __device__ int operator()(int a, int b) const { return b != 0 ? b : a; }
};

template <int THREADS, typename Operator>
__device__ int inclusive_scan(int value, Operator combine) {
    __shared__ int cache[THREADS];
    int t = threadIdx.x;
    cache[t] = value;
    __syncthreads();
#pragma unroll 1
    for (int distance = 1; distance < THREADS; distance *= 2) {
        if (t >= distance) value = combine(cache[t - distance], value);
        __syncthreads();
        cache[t] = value;
        __syncthreads();
    }
    return value;
}

__global__ void three_scans(const int *in, int n, int *sums, int *maxima, int *last) {
    int i = blockIdx.x * 32 + threadIdx.x;
    int value = i < n ? in[i] : 0;
    int sum = inclusive_scan<32>(value, Add()), most = inclusive_scan<32>(value, Max());
    int seen = inclusive_scan<32>(value, Last());
    if (i < n) {
        sums[i] = sum;
        maxima[i] = most;
        last[i] = seen;
    }
}

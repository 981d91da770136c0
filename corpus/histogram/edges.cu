// Bins of unequal width: bin b holds edges[b] <= x < edges[b + 1]; below and above all edges there are two more.
__device__ int upper_bound(const int *edges, int count, int x) {
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (x < edges[middle]) high = middle;
        else low = middle + 1;
    }
    return low;
}

__global__ void histogram_edges(const int *in, int n, const int *edges, int count, int *bins) {
    extern __shared__ int sorted[];
    for (int e = threadIdx.x; e < count; e += blockDim.x) sorted[e] = edges[e];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[upper_bound(sorted, count, in[i])], 1);
}

// Equal bins over [low, high): floor((x - low) * bins / (high - low)), in 64 bits; clamped at both ends.
__global__ void histogram_range(const int *in, int n, int low, int high, int *bins, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = max(low, min(in[i], high - 1));
    int bin = (unsigned long long)((long long)x - low) * count / (unsigned)((long long)high - low);
    atomicAdd(&bins[bin], 1);
}

// Powers of two: bin 0 holds 0, bin k holds 2^(k-1) up to 2^k - 1.
__global__ void histogram_log2(const unsigned *in, int n, unsigned *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[32 - __clz(in[i])], 1u);
}

// How often each bit is set.
__global__ void bit_counts(const unsigned *in, int n, int *counts) {
    int bit = threadIdx.x, sum = 0;
    for (int i = blockIdx.x; i < n; i += gridDim.x) sum += in[i] >> bit & 1;
    atomicAdd(&counts[bit], sum);
}

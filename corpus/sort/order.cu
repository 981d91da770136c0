// Order statistics: medians of windows, the k largest, inversions, and where an array stops being sorted.

__device__ void order(int &a, int &b) {
    int low = min(a, b);
    b = max(a, b);
    a = low;
}

// Median of five by a network of seven exchanges; windows are cut off at the ends by repeating the end elements.
__global__ void median_of_five(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int w[5];
#pragma unroll
    for (int k = 0; k < 5; k++) w[k] = in[min(max(i + k - 2, 0), n - 1)];
    order(w[0], w[1]);
    order(w[3], w[4]);
    order(w[0], w[3]);
    order(w[1], w[4]);
    order(w[1], w[2]);
    order(w[2], w[3]);
    order(w[1], w[2]);
    out[i] = w[2];
}

// The k largest in descending order; the block finds the largest that is left by a tree, k times.
__global__ void top_k(const int *in, int n, int k, int *values, int *indices) {
    __shared__ long long best[32];
    // (value, first index) as one number that orders them; what is left lies below the last one taken.
    long long last = 0x7fffffffffffffffll;
    for (int round = 0; round < k; round++) {
        long long mine = -0x7fffffffffffffffll - 1;
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            long long candidate = (long long)in[i] * 0x10000 + (0xffff - i);
            if (candidate < last) mine = max(mine, candidate);
        }
        best[threadIdx.x] = mine;
        __syncthreads();
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) best[threadIdx.x] = max(best[threadIdx.x], best[threadIdx.x + half]);
            __syncthreads();
        }
        last = best[0];
        __syncthreads();
        if (threadIdx.x == 0) {
            values[round] = (int)(last >> 16);
            indices[round] = 0xffff - (int)(last & 0xffff);
        }
    }
}

// Pairs that stand in the wrong order; a thread counts for one element, a block adds once to the total.
__global__ void count_inversions(const int *in, int n, unsigned long long *total) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned count = 0;
    for (int j = i + 1; j < n; j++) count += in[i] > in[j];
    if (count) atomicAdd(&sum, count);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, (unsigned long long)sum);
}

// Smallest i with in[i] > in[i + 1]; the host sets it to n - 1, which stays where all is sorted.
__global__ void sorted_until(const long long *in, int n, int *until) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n && in[i] > in[i + 1]) atomicMin(until, i);
}

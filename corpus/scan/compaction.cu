// Elements that pass a test are written one after another; their places come from a scan of the test.

// Exclusive scan of a flag over the block, and the number of flags that are set.
__device__ int place_of(bool flag, int *cache, int *count) {
    int t = threadIdx.x, sum = flag;
    cache[t] = sum;
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        if (t >= distance) sum += cache[t - distance];
        __syncthreads();
        cache[t] = sum;
        __syncthreads();
    }
    *count = cache[blockDim.x - 1];
    return sum - flag;
}

// Positive elements only, in their order.
__global__ void keep_positive(const int *in, int n, int *out, int *kept) {
    extern __shared__ int cache[];
    int total = 0;
    for (int base = 0; base < n; base += blockDim.x) {
        int i = base + threadIdx.x, count;
        int value = i < n ? in[i] : 0;
        int place = place_of(value > 0, cache, &count);
        if (value > 0) out[total + place] = value;
        total += count;
        __syncthreads();
    }
    if (threadIdx.x == 0) *kept = total;
}

// Stable partition by a pivot: smaller elements to the front, the others behind them.
__global__ void partition_by(const int *in, int n, int pivot, int *out, int *smaller) {
    extern __shared__ int cache[];
    int i = threadIdx.x, count;
    bool less = i < n && in[i] < pivot;
    int place = place_of(less, cache, &count);
    if (i < n) out[less ? place : count + i - place] = in[i];
    if (i == 0) *smaller = count;
}

// The first of equal neighbours, as `uniq` does.
__global__ void unique(const unsigned char *in, int n, unsigned char *out, int *left) {
    extern __shared__ int cache[];
    int i = threadIdx.x, count;
    bool keep = i < n && (i == 0 || in[i] != in[i - 1]);
    int place = place_of(keep, cache, &count);
    if (keep) out[place] = in[i];
    if (i == 0) *left = count;
}

// Every element is written as often as its count says: counts are scanned instead of flags.
__global__ void expand(const unsigned char *counts, const int *values, int n, int *out, int *written) {
    extern __shared__ int ends[];
    int t = threadIdx.x, own = t < n ? counts[t] : 0, end = own;
    ends[t] = end;
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        if (t >= distance) end += ends[t - distance];
        __syncthreads();
        ends[t] = end;
        __syncthreads();
    }
    for (int k = 0; k < own; k++) out[end - own + k] = values[t];
    if (t == blockDim.x - 1) *written = end;
}

// Sum, sum of squares, and from them n^2 times the variance, all in 64 bits.
__global__ void moments(const int *in, int n, long long *sum, unsigned long long *squares, long long *scaled_variance) {
    extern __shared__ unsigned long long second[];
    long long *first = (long long *)(second + blockDim.x);
    int t = threadIdx.x;
    long long s = 0;
    unsigned long long q = 0;
    for (int i = t; i < n; i += blockDim.x) {
        long long x = in[i];
        s += x;
        q += x * x;
    }
    first[t] = s;
    second[t] = q;
    __syncthreads();
    for (int half = blockDim.x >> 1; half; half >>= 1) {
        if (t < half) {
            first[t] += first[t + half];
            second[t] += second[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        *sum = first[0];
        *squares = second[0];
        *scaled_variance = n * (long long)second[0] - first[0] * first[0];
    }
}

// Mean of each group of `width` readings, rounded to the nearest, halves up.
__global__ void rounded_means(const short *in, int width, short *mean) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < width; i += blockDim.x) atomicAdd(&total, in[blockIdx.x * width + i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        int twice = 2 * total + width, whole = twice / (2 * width);
        if (twice < 0 && twice % (2 * width) != 0) whole--;
        mean[blockIdx.x] = whole;
    }
}

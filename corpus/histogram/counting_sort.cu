// Sorting by counting: histogram, running sum, and each value written as often as it was counted; or stably, with ranks.
__global__ void counting_sort(unsigned char *values, int n, int range) {
    extern __shared__ int ends[];
    int t = threadIdx.x;
    for (int v = t; v < range; v += blockDim.x) ends[v] = 0;
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) atomicAdd(&ends[values[i]], 1);
    __syncthreads();
    if (t == 0)
        for (int v = 1; v < range; v++) ends[v] += ends[v - 1];
    __syncthreads();
    for (int v = t; v < range; v += blockDim.x)
        for (int place = v > 0 ? ends[v - 1] : 0; place < ends[v]; place++) values[place] = v;
}

// Records by their keys of 0 ... 7, in their order: each thread owns a run of records and a column of counts.
__global__ void stable_buckets(const unsigned char *keys, const int *records, int n, int *out) {
    __shared__ unsigned char own[8][32];
    __shared__ int start[8];
    int t = threadIdx.x, share = (n + 31) / 32, first = min(t * share, n), end = min(first + share, n);
    for (int k = 0; k < 8; k++) own[k][t] = 0;
    for (int i = first; i < end; i++) own[keys[i]][t]++;
    __syncthreads();
    if (t < 8) {
        int sum = 0;
        for (int c = 0; c < 32; c++) {
            int count = own[t][c];
            own[t][c] = sum;
            sum += count;
        }
        start[t] = sum;
    }
    __syncthreads();
    for (int i = first; i < end; i++) {
        int place = own[keys[i]][t]++;
        for (int k = 0; k < keys[i]; k++) place += start[k];
        out[place] = records[i];
    }
}

// For each element, how many are smaller, from the running sum of a histogram.
__global__ void smaller_than_current(const unsigned char *in, int n, unsigned short *smaller) {
    __shared__ int count[101];
    for (int v = threadIdx.x; v < 101; v += blockDim.x) count[v] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&count[min((int)in[i], 100)], 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int v = 0; v < 101; v++) {
            int here = count[v];
            count[v] = sum;
            sum += here;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) smaller[i] = count[min((int)in[i], 100)];
}

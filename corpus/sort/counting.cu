// Counting sort of bytes in one block: a histogram by atomics, its scan, then every bin writes its run.

__global__ void counting_sort(const unsigned char *in, unsigned char *out, int n, int bins) {
    extern __shared__ int counts[];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) counts[b] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&counts[in[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x) {
        int place = 0;
        for (int k = 0; k < b; k++) place += counts[k];
        for (int k = 0; k < counts[b]; k++) out[place + k] = b;
    }
}

// Order statistics by histograms: digits of four bits from the top, each pass keeps one bin.

// The element of a rank (0 is the smallest) of unsigned keys.
__global__ void radix_select(const unsigned *in, int n, int rank, unsigned *result) {
    __shared__ int bins[16];
    __shared__ unsigned prefix;
    __shared__ int left;
    int t = threadIdx.x;
    if (t == 0) {
        prefix = 0;
        left = rank;
    }
#pragma unroll 1
    for (int shift = 28; shift >= 0; shift -= 4) {
        if (t < 16) bins[t] = 0;
        __syncthreads();
        unsigned mask = shift < 28 ? ~0u << (shift + 4) : 0;
        for (int i = t; i < n; i += blockDim.x)
            if ((in[i] & mask) == prefix) atomicAdd(&bins[in[i] >> shift & 15], 1);
        __syncthreads();
        if (t == 0) {
            int digit = 0;
            while (left >= bins[digit]) left -= bins[digit++];
            prefix |= (unsigned)digit << shift;
        }
        __syncthreads();
    }
    if (t == 0) *result = prefix;
}

// The k largest of bytes, largest first: from the histogram alone.
__global__ void top_k(const unsigned char *in, int n, int k, unsigned char *out) {
    __shared__ int bins[256];
    int t = threadIdx.x;
    for (int b = t; b < 256; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) atomicAdd(&bins[in[i]], 1);
    __syncthreads();
    if (t != 0) return;
    int written = 0;
    for (int value = 255; value >= 0 && written < k; value--)
        for (int c = bins[value]; c > 0 && written < k; c--) out[written++] = value;
}

// Most frequent value of 0 ... 15, the smaller one if there is a tie, and the median of all.
__global__ void mode_and_median(const unsigned char *in, int n, int *mode, int *median) {
    __shared__ int bins[16];
    __shared__ int best;
    int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    if (t == 0) best = 0;
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) atomicAdd(&bins[in[i] & 15], 1);
    __syncthreads();
    if (t < 16) {
        atomicMax(&best, bins[t] << 4 | (15 - t));
        int before = 0;
        for (int b = 0; b < t; b++) before += bins[b];
        int middle = (n - 1) / 2;
        if (before <= middle && middle < before + bins[t]) *median = t;
    }
    __syncthreads();
    if (t == 0) *mode = 15 - (best & 15);
}

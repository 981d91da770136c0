// Small counters: bytes, four to a word, that stop at 255; and pairs of 16 bits that are added at once.

// Compare-and-swap on the word in which the byte lies.
__device__ void add_saturating(unsigned *words, int index, unsigned amount) {
    unsigned *word = words + index / 4, shift = index % 4 * 8, seen = *word, assumed;
    do {
        assumed = seen;
        unsigned byte = min((assumed >> shift & 255) + amount, 255u);
        seen = atomicCAS(word, assumed, (assumed & ~(255u << shift)) | byte << shift);
    } while (seen != assumed);
}

__global__ void histogram_saturating(const unsigned char *in, const unsigned char *amounts, int n, unsigned *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) add_saturating(bins, in[i], amounts[i]);
}

// Bin b and bin b + half share a word: bins are 16 bits wide while they are counted, 32 in the result.
__global__ void histogram_packed(const unsigned char *in, int n, int half, int *bins) {
    extern __shared__ unsigned pairs[];
    for (int b = threadIdx.x; b < half; b += blockDim.x) pairs[b] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int bin = in[i] % (2 * half);
        atomicAdd(&pairs[bin % half], bin < half ? 1u : 0x10000u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < half; b += blockDim.x) {
        bins[b] = pairs[b] & 0xffff;
        bins[b + half] = pairs[b] >> 16;
    }
}

// A counter that goes round: 0 ... limit and again 0, by the instruction made for it.
__global__ void odometers(const unsigned char *in, int n, const unsigned *limits, unsigned *up, unsigned *down) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicInc(&up[in[i]], limits[in[i]]);
    atomicDec(&down[in[i]], limits[in[i]]);
}

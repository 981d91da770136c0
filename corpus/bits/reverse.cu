// Reversing bits and bytes, with intrinsics and by hand.
template <typename T>
__device__ T reverse_loop(T x) {
    T result = 0;
#pragma unroll 1
    for (int k = 0; k < (int)sizeof(T) * 8; k++) {
        result = (T)((result << 1) | (x & 1));
        x >>= 1;
    }
    return result;
}

__global__ void reverse_intrinsic(unsigned *values, unsigned long long *wide, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    values[i] = __brev(values[i]);
    wide[i] = __brevll(wide[i]);
}

__global__ void reverse_by_hand(unsigned char *bytes, unsigned short *halves, unsigned *words, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bytes[i] = reverse_loop<unsigned char>(bytes[i]);
    halves[i] = reverse_loop<unsigned short>(halves[i]);
    words[i] = reverse_loop<unsigned>(words[i]);
}

__global__ void swap_bytes(const unsigned *in, unsigned *permuted, unsigned *shifted, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = in[i];
    permuted[i] = __byte_perm(x, 0, 0x0123);
    x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    shifted[i] = (x >> 16) | (x << 16);
}

// Bytes of a pair of words picked by a selector that is only known at run time.
__global__ void pick_bytes(const uint2 *pairs, const unsigned *selectors, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __byte_perm(pairs[i].x, pairs[i].y, selectors[i]);
}

// Bitonic networks in shared memory: a block sorts a segment, padded to the power of two that the network needs.

__global__ void bitonic_segments(int *values, int length, int capacity) {
    extern __shared__ int tile[];
    int *segment = values + blockIdx.x * length;
    for (int i = threadIdx.x; i < capacity; i += blockDim.x) tile[i] = i < length ? segment[i] : 0x7fffffff;
    __syncthreads();
    for (int size = 2; size <= capacity; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            for (int pair = threadIdx.x; pair < capacity / 2; pair += blockDim.x) {
                int low = 2 * pair - (pair & (stride - 1)), high = low + stride;
                int a = tile[low], b = tile[high];
                bool ascending = (low & size) == 0;
                if (a > b == ascending) {
                    tile[low] = b;
                    tile[high] = a;
                }
            }
            __syncthreads();
        }
    }
    for (int i = threadIdx.x; i < length; i += blockDim.x) segment[i] = tile[i];
}

// A stable argsort: the index rides in the low half of a 64-bit key, so that no two keys are equal.
__global__ void bitonic_argsort(const unsigned *keys, int n, unsigned char *order) {
    __shared__ unsigned long long tile[64];
    int i = threadIdx.x;
    tile[i] = i < n ? (unsigned long long)keys[i] << 32 | i : ~0ull;
    __syncthreads();
#pragma unroll 1
    for (int size = 2; size <= blockDim.x; size <<= 1) {
#pragma unroll 1
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            int other = i ^ stride;
            unsigned long long mine = tile[i], theirs = tile[other];
            bool keep_smaller = ((i & size) == 0) == (i < other);
            __syncthreads();
            tile[i] = keep_smaller == (mine < theirs) ? mine : theirs;
            __syncthreads();
        }
    }
    if (i < n) order[i] = (unsigned char)tile[i];
}

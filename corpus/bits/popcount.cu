// Four ways to count the ones of a word: the intrinsic, clearing the lowest one, adding in parallel, and a table.
__global__ void popcount_intrinsic(const unsigned *in, const unsigned long long *wide, int *out, int *wide_out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = __popc(in[i]);
        wide_out[i] = __popcll(wide[i]);
    }
}

__global__ void popcount_kernighan(const unsigned *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = in[i];
    int ones = 0;
    while (x) {
        x &= x - 1;
        ones++;
    }
    out[i] = ones;
}

__global__ void popcount_parallel(const unsigned *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = in[i];
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    out[i] = (int)((x * 0x01010101u) >> 24);
}

__constant__ unsigned char nibble_ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

// Ones of a whole bitmap, added up over the block and then the grid.
__global__ void popcount_bitmap(const unsigned char *bytes, int n, int *total) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += nibble_ones[bytes[i] & 15] + nibble_ones[bytes[i] >> 4];
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

// Bitmaps as sets: building one from flags and from indices, set algebra, and listing the members.
__global__ void pack_flags(const bool *flags, int n, unsigned *bitmap) {
    int word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word * 32 >= n) return;
    unsigned bits = 0;
    for (int k = 0; k < 32 && word * 32 + k < n; k++) bits |= (unsigned)flags[word * 32 + k] << k;
    bitmap[word] = bits;
}

__global__ void set_algebra(const unsigned *a, const unsigned *b, unsigned *joined, unsigned *common, unsigned *only_a,
                            int *sizes, int words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words) return;
    joined[i] = a[i] | b[i];
    common[i] = a[i] & b[i];
    only_a[i] = a[i] & ~b[i];
    atomicAdd(&sizes[0], __popc(joined[i]));
    atomicAdd(&sizes[1], __popc(common[i]));
    atomicAdd(&sizes[2], __popc(only_a[i]));
}

// Lists the members in order: a word starts where the ones of all earlier words end.
__global__ void list_members(const unsigned *bitmap, int words, int *members, int *count) {
    extern __shared__ int start[];
    int t = threadIdx.x;
    if (t < words) start[t] = __popc(bitmap[t]);
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int w = 0; w < words; w++) {
            int ones = start[w];
            start[w] = sum;
            sum += ones;
        }
        *count = sum;
    }
    __syncthreads();
    if (t < words) {
        int at = start[t];
        for (unsigned rest = bitmap[t]; rest; rest &= rest - 1) members[at++] = 32 * t + __ffs(rest) - 1;
    }
}

__global__ void toggle(unsigned *bitmap, const int *indices, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicXor(&bitmap[indices[i] / 32], 1u << (indices[i] % 32));
}

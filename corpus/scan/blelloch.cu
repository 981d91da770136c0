// Work-efficient exclusive scan of 2 x blockDim.x elements (Blelloch): sums climb a tree, prefixes come down again.

__global__ void scan_blelloch(const int *in, int n, int *out, int *total) {
    extern __shared__ int tree[];
    int t = threadIdx.x, size = 2 * blockDim.x, offset = 1;
    tree[2 * t] = 2 * t < n ? in[2 * t] : 0;
    tree[2 * t + 1] = 2 * t + 1 < n ? in[2 * t + 1] : 0;
    for (int pairs = size / 2; pairs > 0; pairs /= 2) {
        __syncthreads();
        if (t < pairs) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) {
        *total = tree[size - 1];
        tree[size - 1] = 0;
    }
    for (int pairs = 1; pairs < size; pairs *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < pairs) {
            int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            int value = tree[left];
            tree[left] = tree[right];
            tree[right] += value;
        }
    }
    __syncthreads();
    if (2 * t < n) out[2 * t] = tree[2 * t];
    if (2 * t + 1 < n) out[2 * t + 1] = tree[2 * t + 1];
}

// The same with a gap after every 16 words, which keeps the banks of shared memory apart; and in 64 bits.
#define PADDED(i) ((i) + ((i) >> 4))

__global__ void scan_padded(const long long *in, long long *out) {
    extern __shared__ long long padded[];
    int t = threadIdx.x, size = 2 * blockDim.x, offset = 1;
    padded[PADDED(t)] = in[t];
    padded[PADDED(t + size / 2)] = in[t + size / 2];
    for (int pairs = size >> 1; pairs > 0; pairs >>= 1, offset <<= 1) {
        __syncthreads();
        if (t < pairs) {
            int left = offset * (2 * t + 1) - 1, right = left + offset;
            padded[PADDED(right)] += padded[PADDED(left)];
        }
    }
    if (t == 0) padded[PADDED(size - 1)] = 0;
    for (int pairs = 1; pairs < size; pairs <<= 1) {
        offset >>= 1;
        __syncthreads();
        if (t < pairs) {
            int left = offset * (2 * t + 1) - 1, right = left + offset;
            long long value = padded[PADDED(left)];
            padded[PADDED(left)] = padded[PADDED(right)];
            padded[PADDED(right)] += value;
        }
    }
    __syncthreads();
    out[t] = padded[PADDED(t)];
    out[t + size / 2] = padded[PADDED(t + size / 2)];
}

// FNV-1a of a batch of strings, in its 32-bit and 64-bit forms; string i is text[offsets[i] .. offsets[i + 1]).
__global__ void fnv1a32(const unsigned char *text, const int *offsets, unsigned *hashes, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned hash = 2166136261u;
    for (int k = offsets[i]; k < offsets[i + 1]; ++k) {
        hash ^= text[k];
        hash *= 16777619u;
    }
    hashes[i] = hash;
}

__global__ void fnv1a64(const unsigned char *text, const int *offsets, unsigned long long *hashes, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned long long hash = 14695981039346656037ull;
    for (int k = offsets[i]; k < offsets[i + 1]; ++k) {
        hash ^= text[k];
        hash *= 1099511628211ull;
    }
    hashes[i] = hash;
}

// Bloom filter: insert keys with atomicOr, three hash functions; then query.
__device__ unsigned bloom_hash(unsigned key, unsigned which) {
    key = (key + which * 0x9e3779b9u) * 0x85ebca6bu;
    key ^= key >> 15;
    return key * 0x2c1b3c6du;
}

__global__ void bloom_insert(const unsigned *keys, int n, unsigned *filter, unsigned bits) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        for (unsigned which = 0; which < 3; which++) {
            unsigned bit = bloom_hash(keys[i], which) % bits;
            atomicOr(&filter[bit / 32], 1u << (bit % 32));
        }
    }
}

__global__ void bloom_query(const unsigned *keys, int n, const unsigned *filter, unsigned bits, bool *maybe) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bool found = true;
    for (unsigned which = 0; which < 3 && found; which++) {
        unsigned bit = bloom_hash(keys[i], which) % bits;
        found = filter[bit >> 5] >> (bit & 31) & 1;
    }
    maybe[i] = found;
}

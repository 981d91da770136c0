// Rabin-Karp search: each thread hashes its own window; candidates are verified; counts and first match by atomics.
#define BASE 257u
#define MODULUS 1000003u

__device__ unsigned window_hash(const char *s, int length) {
    unsigned hash = 0;
    for (int k = 0; k < length; k++) hash = (hash * BASE + (unsigned char)s[k]) % MODULUS;
    return hash;
}

extern "C" __global__ void rabin_karp(const char *text, int text_length, const char *pattern, int pattern_length,
                                      int *match_count, int *first_match, unsigned *hashes) {
    __shared__ unsigned target;
    if (threadIdx.x == 0) target = window_hash(pattern, pattern_length);
    __syncthreads();
    int start = blockIdx.x * blockDim.x + threadIdx.x;
    if (start + pattern_length > text_length) return;
    unsigned hash = window_hash(text + start, pattern_length);
    hashes[start] = hash;
    if (hash != target) return;
    for (int k = 0; k < pattern_length; k++) {
        if (text[start + k] != pattern[k]) return;
    }
    atomicAdd(match_count, 1);
    atomicMin(first_match, start);
}

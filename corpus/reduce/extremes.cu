// Smallest, largest, and where they are.
#include <limits.h>

// Range of each block: both extremes in one pass through one array of pairs.
__global__ void range_of_blocks(const int *in, int n, int2 *range) {
    extern __shared__ int2 pairs[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    pairs[t] = i < n ? make_int2(in[i], in[i]) : make_int2(INT_MAX, INT_MIN);
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            int2 a = pairs[t], b = pairs[t + half];
            pairs[t] = make_int2(min(a.x, b.x), max(a.y, b.y));
        }
        __syncthreads();
    }
    if (t == 0) range[blockIdx.x] = pairs[0];
}

// Largest element and its first position, as one 64-bit key: the value above, the inverted position below.
__global__ void argmax_packed(const int *in, int n, unsigned long long *best) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned ordered = (unsigned)in[i] ^ 0x80000000u;
    atomicMax(best, (unsigned long long)ordered << 32 | ~(unsigned)i);
}

// First position of the smallest element by a tree over positions.
__global__ void argmin_tree(const long long *in, int n, int *where) {
    extern __shared__ int position[];
    int t = threadIdx.x, best = t;
    for (int i = t + blockDim.x; i < n; i += blockDim.x)
        if (in[i] < in[best]) best = i;
    position[t] = best;
    __syncthreads();
    for (int active = min((int)blockDim.x, n); active > 1;) {
        int half = (active + 1) / 2;
        if (t + half < active) {
            int a = position[t], b = position[t + half];
            if (in[b] < in[a] || (in[b] == in[a] && b < a)) position[t] = b;
        }
        __syncthreads();
        active = half;
    }
    if (t == 0) *where = position[0];
}

// The two largest of all elements: a reduction whose items are pairs, kept in order.
__global__ void two_largest(const short *in, int n, short *first, short *second) {
    __shared__ short2 top[64];
    int t = threadIdx.x;
    short2 mine = make_short2(SHRT_MIN, SHRT_MIN);
    for (int i = t; i < n; i += blockDim.x) {
        short value = in[i];
        if (value > mine.x) {
            mine.y = mine.x;
            mine.x = value;
        } else if (value > mine.y) {
            mine.y = value;
        }
    }
    top[t] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            short2 other = top[t + half];
            mine = mine.x >= other.x ? make_short2(mine.x, max(mine.y, other.x))
                                     : make_short2(other.x, max(mine.x, other.y));
            top[t] = mine;
        }
        __syncthreads();
    }
    if (t == 0) {
        *first = mine.x;
        *second = mine.y;
    }
}

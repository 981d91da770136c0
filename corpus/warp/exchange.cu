// Data moved between lanes: broadcast, rotation, reversal, a transposed tile, neighbours, and a bitonic sort.
#define FULL 0xffffffffu

__global__ void broadcast_from(const int *in, const int *source, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __shfl_sync(FULL, in[i], source[i / 32]);
}

__global__ void rotate_and_reverse(const unsigned *in, unsigned by, unsigned *rotated, unsigned *reversed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    rotated[i] = __shfl_sync(FULL, in[i], (lane + by) % 32);
    reversed[i] = __shfl_xor_sync(FULL, in[i], 31);
}

// A table lookup where the table lives in the lanes of the warp, eight lanes to a table.
__global__ void gather_in_groups(const int *table, const int *index, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __shfl_sync(FULL, table[i], index[i], 8);
}

__global__ void bitonic_warp(int *values, bool descending) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int value = values[i];
#pragma unroll 1
    for (int size = 2; size <= 32; size *= 2) {
#pragma unroll 1
        for (int stride = size / 2; stride > 0; stride /= 2) {
            int other = __shfl_xor_sync(FULL, value, stride);
            bool up = ((lane & size) == 0) != descending;
            bool lower = (lane & stride) == 0;
            value = lower == up ? min(value, other) : max(value, other);
        }
    }
    values[i] = value;
}

// Differences of neighbours; the first lane of a warp reads the element before from memory.
__global__ void adjacent_difference(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i];
    int before = __shfl_up_sync(FULL, value, 1);
    if (threadIdx.x % 32 == 0) before = i > 0 ? in[i - 1] : 0;
    out[i] = value - before;
}

// Each warp turns its own tile of 4 x 8 through shared memory; no other warp is waited for.
__global__ void transpose_tile(const short *in, short *out) {
    __shared__ short tiles[8][32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int base = (blockIdx.x * blockDim.x + threadIdx.x) & ~31;
    tiles[warp][lane] = in[base + lane];
    __syncwarp();
    out[base + lane] = tiles[warp][lane % 4 * 8 + lane / 4];
}

// Polynomial a0 + a1 x + ... a31 x^31 by folding: neighbours combine, then x is squared.
__global__ void polynomial(const unsigned *coefficients, unsigned x, unsigned *out) {
    unsigned value = coefficients[threadIdx.x], power = x;
    for (int offset = 1; offset < 32; offset *= 2) {
        value += power * __shfl_down_sync(FULL, value, offset);
        power *= power;
    }
    if (threadIdx.x == 0) *out = value;
}

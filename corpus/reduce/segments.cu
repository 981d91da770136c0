// Reductions of the segments offsets[s] ... offsets[s + 1] of an array, as in the rows of a CSR matrix.
#include <limits.h>

// A thread a segment: fine while segments are short.
__global__ void sum_by_thread(const int *values, const int *offsets, int segments, int *sums) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= segments) return;
    int sum = 0;
    for (int i = offsets[s]; i < offsets[s + 1]; i++) sum += values[i];
    sums[s] = sum;
}

// Eight threads a segment, joined by shuffles in groups of eight lanes.
__global__ void max_by_group(const int *values, const int *offsets, int segments, int *largest) {
    int group = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8, best = INT_MIN;
    if (group < segments)
        for (int i = offsets[group] + lane; i < offsets[group + 1]; i += 8) best = max(best, values[i]);
    for (int offset = 4; offset > 0; offset /= 2) best = max(best, __shfl_xor_sync(0xffffffffu, best, offset, 8));
    if (lane == 0 && group < segments) largest[group] = best;
}

// A thread an element: its segment is found by binary search, its value added there.
__global__ void sum_by_element(const int *values, const int *offsets, int segments, int *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= offsets[segments]) return;
    int low = 0, high = segments;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (offsets[middle] <= i) low = middle;
        else high = middle;
    }
    atomicAdd(&sums[low], values[i]);
}

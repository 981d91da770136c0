// "GROUP BY": count, sum, smallest and largest of the values of each key, and the mean rounded towards zero.
#include <limits.h>

struct Group {
    int count, sum, smallest, largest;
};

__global__ void group_by(const unsigned char *keys, const int *values, int n, int groups, Group *result, int *mean) {
    extern __shared__ Group group[];
    for (int g = threadIdx.x; g < groups; g += blockDim.x) group[g] = {0, 0, INT_MAX, INT_MIN};
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        Group &mine = group[keys[i]];
        atomicAdd(&mine.count, 1);
        atomicAdd(&mine.sum, values[i]);
        atomicMin(&mine.smallest, values[i]);
        atomicMax(&mine.largest, values[i]);
    }
    __syncthreads();
    for (int g = threadIdx.x; g < groups; g += blockDim.x) {
        result[g] = group[g];
        mean[g] = group[g].count > 0 ? group[g].sum / group[g].count : 0;
    }
}

// Weights in 64 bits, over many blocks.
__global__ void weighted(const unsigned char *keys, const unsigned *weights, int n, unsigned long long *totals) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&totals[keys[i]], (unsigned long long)weights[i] * weights[i]);
}

// Purchases (customer, item below 32): which items a customer bought, and how many different ones.
__global__ void baskets(const uchar2 *purchases, int n, unsigned *items, int customers, int *different) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicOr(&items[purchases[i].x], 1u << purchases[i].y);
    __syncthreads();
    for (int c = threadIdx.x; c < customers; c += blockDim.x) different[c] = __popc(items[c]);
}

// PageRank in 16.16 fixed point: a page passes its rank on in equal parts; pages without links give to all.
#define ONE 65536u

__global__ void pagerank(const int *offsets, const unsigned short *sources, const int *out_degree, int n,
                         unsigned damping, int rounds, unsigned *rank) {
    extern __shared__ unsigned share[];
    __shared__ unsigned dangling;
    int v = threadIdx.x;
    unsigned mine = ONE / n;
    for (int round = 0; round < rounds; round++) {
        if (v == 0) dangling = 0;
        __syncthreads();
        if (v < n) {
            if (out_degree[v] > 0)
                share[v] = mine / out_degree[v];
            else
                atomicAdd(&dangling, mine);
        }
        __syncthreads();
        if (v < n) {
            unsigned long long sum = dangling / n;
            for (int e = offsets[v]; e < offsets[v + 1]; e++) sum += share[sources[e]];
            mine = (ONE - damping) / n + (unsigned)(sum * damping >> 16);
        }
        __syncthreads();
    }
    if (v < n) rank[v] = mine;
}

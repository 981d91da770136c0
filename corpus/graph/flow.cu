// Maximum flow (Edmonds and Karp), a network a block, a thread a vertex: the block searches, one thread augments.
#define MOST 8

// From vertex 0 to the last. Also gives the vertices that the source still reaches at the end, a minimum cut.
__global__ void max_flow(const unsigned char *capacities, int *flow, unsigned *source_side) {
    __shared__ int residual[MOST][MOST];
    __shared__ int parent[MOST];
    int n = blockDim.x, v = threadIdx.x, sink = n - 1, total = 0;
    const unsigned char *capacity = capacities + blockIdx.x * n * n;
    for (int u = 0; u < n; u++) residual[u][v] = capacity[u * n + v];
    while (true) {
        parent[v] = v == 0 ? 0 : -1;
        bool more = true;
        while (more) {
            __syncthreads();
            int from = -1;
            if (parent[v] < 0)
                for (int u = 0; u < n && from < 0; u++)
                    if (parent[u] >= 0 && residual[u][v] > 0) from = u;
            more = __syncthreads_or(from >= 0);
            if (from >= 0) parent[v] = from;
        }
        __syncthreads();
        if (parent[sink] < 0) break;
        int amount = 0x7fffffff;
        for (int w = sink; w != 0; w = parent[w]) amount = min(amount, residual[parent[w]][w]);
        total += amount;
        __syncthreads();
        if (v == 0) {
            for (int w = sink; w != 0; w = parent[w]) {
                residual[parent[w]][w] -= amount;
                residual[w][parent[w]] += amount;
            }
        }
        __syncthreads();
    }
    if (v == 0) {
        unsigned side = 0;
        for (int u = 0; u < n; u++) side |= (unsigned)(parent[u] >= 0) << u;
        flow[blockIdx.x] = total;
        source_side[blockIdx.x] = side;
    }
}

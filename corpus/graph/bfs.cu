// Breadth-first search: level by level over all vertices, with queues of the frontier, and with bit sets.
#define CAPACITY 48

// One block. A vertex may be found twice at once, but always at the same level.
__global__ void bfs_levels(const int *offsets, const int *neighbours, int n, int source, int *level) {
    for (int v = threadIdx.x; v < n; v += blockDim.x) level[v] = v == source ? 0 : -1;
    __syncthreads();
    bool more = true;
    for (int depth = 0; more; depth++) {
        bool found = false;
        for (int v = threadIdx.x; v < n; v += blockDim.x) {
            if (level[v] != depth) continue;
            for (int e = offsets[v]; e < offsets[v + 1]; e++) {
                int w = neighbours[e];
                if (level[w] < 0) {
                    level[w] = depth + 1;
                    found = true;
                }
            }
        }
        more = __syncthreads_or(found);
    }
}

// Only the frontier works; atomicCAS decides who appends a vertex to the next one. Distances start as -1.
__global__ void bfs_frontier(const int *offsets, const int *neighbours, int source, int *distance, int *reached) {
    __shared__ int queue[2][CAPACITY];
    __shared__ int tail;
    int now = 0, size = 1, total = 0;
    if (threadIdx.x == 0) {
        queue[0][0] = source;
        distance[source] = 0;
        tail = 0;
    }
    __syncthreads();
    for (int depth = 1; size > 0; depth++) {
        for (int k = threadIdx.x; k < size; k += blockDim.x) {
            int v = queue[now][k];
            for (int e = offsets[v]; e < offsets[v + 1]; e++) {
                int w = neighbours[e];
                if (atomicCAS(&distance[w], -1, depth) == -1) queue[now ^ 1][atomicAdd(&tail, 1)] = w;
            }
        }
        __syncthreads();
        total += size;
        size = tail;
        now ^= 1;
        __syncthreads();
        if (threadIdx.x == 0) tail = 0;
        __syncthreads();
    }
    if (threadIdx.x == 0) *reached = total;
}

// All pairs: a thread searches from its vertex; rows[v] has the bits of v's neighbours. 255 is out of reach.
__global__ void distances_by_bits(const unsigned *rows, int n, unsigned char *distance) {
    int source = blockIdx.x * blockDim.x + threadIdx.x;
    if (source >= n) return;
    unsigned char *mine = distance + source * n;
    for (int v = 0; v < n; v++) mine[v] = 255;
    unsigned seen = 0, frontier = 1u << source;
    for (int depth = 0; frontier; depth++) {
        seen |= frontier;
        unsigned next = 0;
        for (; frontier; frontier &= frontier - 1) {
            int v = __ffs(frontier) - 1;
            mine[v] = depth;
            next |= rows[v];
        }
        frontier = next & ~seen;
    }
}

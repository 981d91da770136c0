// Shortest and widest paths: Bellman-Ford, Floyd-Warshall and Dijkstra, each in one block.
#define INFINITE 0x3fffffff

// Edges may have negative weights; if a cycle below zero can be reached, all distances are given as 0.
__global__ void bellman_ford(const unsigned char *from, const unsigned char *to, const short *weight, int edges, int n,
                             int source, int *distance, int *negative_cycle) {
    for (int v = threadIdx.x; v < n; v += blockDim.x) distance[v] = v == source ? 0 : INFINITE;
    __syncthreads();
    bool changed = true;
    for (int round = 0; changed && round < n; round++) {
        bool shorter = false;
        for (int e = threadIdx.x; e < edges; e += blockDim.x) {
            int start = distance[from[e]];
            if (start == INFINITE) continue;
            int length = start + weight[e];
            if (length < distance[to[e]]) {
                atomicMin(&distance[to[e]], length);
                shorter = true;
            }
        }
        changed = __syncthreads_or(shorter);
    }
    if (changed)
        for (int v = threadIdx.x; v < n; v += blockDim.x) distance[v] = 0;
    if (threadIdx.x == 0) *negative_cycle = changed;
}

// A thread of a square block holds one pair of vertices.
__global__ void floyd_warshall(int *distance) {
    extern __shared__ int d[];
    int n = blockDim.x, row = threadIdx.y * n, at = row + threadIdx.x;
    d[at] = distance[at];
    __syncthreads();
    for (int k = 0; k < n; k++) {
        int to = d[row + k], on = d[k * n + threadIdx.x];
        if (to < INFINITE && on < INFINITE) d[at] = min(d[at], to + on);
        __syncthreads();
    }
    distance[at] = d[at];
}

// The widest path between two vertices: the largest smallest capacity along a path.
__global__ void widest_paths(unsigned short *width, int n) {
    for (int k = 0; k < n; k++) {
        for (int pair = threadIdx.x; pair < n * n; pair += blockDim.x) {
            int i = pair / n, j = pair % n;
            unsigned short through = min(width[i * n + k], width[k * n + j]);
            if (i != j && through > width[pair]) width[pair] = through;
        }
        __syncthreads();
    }
}

// A thread holds a vertex; the nearest open vertex is found by a tree over (distance, vertex) in one word.
// Weights are positive, 0 is no edge. A vertex's parent is the first vertex that a shortest path may come from.
__global__ void dijkstra(const unsigned char *weight, int n, int source, int *distance, signed char *parent) {
    __shared__ unsigned nearest[32];
    __shared__ unsigned settled[32];
    int v = threadIdx.x;
    unsigned mine = v == source ? 0 : INFINITE;
    bool open = v < n;
    for (int round = 0; round < n; round++) {
        nearest[v] = open && mine < INFINITE ? mine << 5 | v : ~0u;
        __syncthreads();
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            if (v < half) nearest[v] = min(nearest[v], nearest[v + half]);
            __syncthreads();
        }
        unsigned best = nearest[0];
        __syncthreads();
        if (best == ~0u) break;
        int u = best & 31;
        if (v == u) open = false;
        if (open && weight[u * n + v] > 0) mine = min(mine, (best >> 5) + weight[u * n + v]);
    }
    settled[v] = mine;
    __syncthreads();
    if (v >= n) return;
    distance[v] = mine;
    int from = -1;
    for (int u = n - 1; u >= 0 && v != source && mine < INFINITE; u--)
        if (weight[u * n + v] > 0 && settled[u] + weight[u * n + v] == mine) from = u;
    parent[v] = from;
}

// Minimum spanning trees: Prim and Boruvka, each in one block.
#define NONE 0xffffffffu

// Thread v holds vertex v and its lightest edge to the tree, as (weight, v). Weights differ; 0 is no edge.
__global__ void prim(const unsigned short *weight, int n, signed char *parent, unsigned *total) {
    __shared__ unsigned lightest[32];
    int v = threadIdx.x;
    unsigned mine = NONE, sum = 0;
    int from = -1, newest = 0;
    bool open = v > 0 && v < n;
    for (int joined = 1; joined < n; joined++) {
        if (open) {
            unsigned w = weight[newest * n + v];
            if (w > 0 && (w << 5 | v) < mine) {
                mine = w << 5 | v;
                from = newest;
            }
        }
        lightest[v] = open ? mine : NONE;
        __syncthreads();
        for (int half = blockDim.x >> 1; half > 0; half >>= 1) {
            if (v < half && lightest[v + half] < lightest[v]) lightest[v] = lightest[v + half];
            __syncthreads();
        }
        unsigned best = lightest[0];
        __syncthreads();
        newest = best & 31;
        sum += best >> 5;
        if (v == newest) open = false;
    }
    if (v < n) parent[v] = from;
    if (v == 0) *total = sum;
}

struct Edge {
    int a, b, weight;
};

// Every component picks its lightest edge (the first among equals), all picks join at once, trees are flattened.
__global__ void boruvka(const Edge *edges, int count, int n, unsigned char *chosen, int *components) {
    extern __shared__ unsigned long long best[];
    int *root = (int *)(best + n);
    for (int v = threadIdx.x; v < n; v += blockDim.x) root[v] = v;
    while (true) {
        for (int v = threadIdx.x; v < n; v += blockDim.x) best[v] = ~0ull;
        __syncthreads();
        bool any = false;
        for (int e = threadIdx.x; e < count; e += blockDim.x) {
            int a = root[edges[e].a], b = root[edges[e].b];
            if (a == b) continue;
            unsigned long long key = (unsigned long long)edges[e].weight << 32 | e;
            atomicMin(&best[a], key);
            atomicMin(&best[b], key);
            any = true;
        }
        if (!__syncthreads_or(any)) break;
        // A root hangs below the root at the other end, unless both picked one edge and it is the smaller.
        for (int v = threadIdx.x; v < n; v += blockDim.x) {
            if (best[v] == ~0ull) continue;
            int e = (int)best[v];
            chosen[e] = 1;
        }
        __syncthreads();
        int hung[4], k = 0;
        for (int v = threadIdx.x; v < n; v += blockDim.x, k++) {
            hung[k] = root[v];
            if (root[v] != v || best[v] == ~0ull) continue;
            Edge edge = edges[(int)best[v]];
            int other = root[edge.a] == v ? root[edge.b] : root[edge.a];
            if (best[other] != best[v] || other < v) hung[k] = other;
        }
        __syncthreads();
        k = 0;
        for (int v = threadIdx.x; v < n; v += blockDim.x) root[v] = hung[k++];
        __syncthreads();
        for (int jump = 1; jump < n; jump *= 2) {
            for (int v = threadIdx.x; v < n; v += blockDim.x) root[v] = root[root[v]];
            __syncthreads();
        }
    }
    int roots = 0;
    for (int v = 0; v < n; v++) roots += root[v] == v;
    if (threadIdx.x == 0) *components = roots;
}

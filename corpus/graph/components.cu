// Connected components of an edge list; a component is named by its smallest vertex.

__global__ void label_propagation(const int2 *edges, int count, int n, int *label) {
    for (int v = threadIdx.x; v < n; v += blockDim.x) label[v] = v;
    __syncthreads();
    bool changed;
    do {
        changed = false;
        for (int e = threadIdx.x; e < count; e += blockDim.x) {
            int a = label[edges[e].x], b = label[edges[e].y];
            if (a < b) atomicMin(&label[edges[e].y], a);
            if (b < a) atomicMin(&label[edges[e].x], b);
            changed |= a != b;
        }
    } while (__syncthreads_or(changed));
}

__device__ int find(volatile int *parent, int v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

// Union-find: a root is hung below a smaller one with atomicCAS, and the block that ends last flattens the trees.
// The host sets parent[v] = v.
__global__ void union_find(const int2 *edges, int count, volatile int *parent, int n, unsigned *finished) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < count) {
        int a = edges[e].x, b = edges[e].y;
        while (true) {
            a = find(parent, a);
            b = find(parent, b);
            if (a == b) break;
            int low = min(a, b), high = max(a, b);
            if (atomicCAS((int *)&parent[high], high, low) == high) break;
        }
    }
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(finished, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    for (int v = threadIdx.x; v < n; v += blockDim.x) {
        int root = v;
        while (parent[root] != root) root = parent[root];
        parent[v] = root;
    }
}

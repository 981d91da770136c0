// Trees: sums over subtrees and heights by walking to the root, and trees from their Prüfer codes.

// A vertex adds its weight to itself and to all its ancestors; the root's parent is -1.
__global__ void subtree_sums(const short *parent, const int *weight, int n, int *sum, int *height) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int steps = 0;
    for (int above = v; above >= 0; above = parent[above]) {
        atomicAdd(&sum[above], weight[v]);
        atomicMax(&height[above], steps++);
    }
}

#define MOST 10

// A thread decodes its tree on size vertices: in each step the smallest leaf hangs below the next of the code.
__global__ void from_pruefer(const unsigned char *codes, int size, signed char *parents, int n) {
    int tree = blockIdx.x * blockDim.x + threadIdx.x;
    if (tree >= n) return;
    const unsigned char *code = codes + tree * (size - 2);
    signed char *parent = parents + tree * size;
    unsigned char degree[MOST];
    for (int v = 0; v < size; v++) degree[v] = 1;
    for (int k = 0; k < size - 2; k++) degree[code[k]]++;
    for (int k = 0; k < size - 1; k++) {
        int leaf = 0;
        while (degree[leaf] != 1) leaf++;
        int above = k < size - 2 ? code[k] : size - 1;
        parent[leaf] = above;
        degree[leaf] = 0;
        degree[above]--;
    }
    parent[size - 1] = -1;
}

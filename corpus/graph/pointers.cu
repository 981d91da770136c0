// Pointer jumping: ranks in linked lists, depths in trees, cycles of functional graphs, lowest common ancestors.

// Elements to the end of the list; next[v] is -1 at the end. There may be several lists.
__global__ void list_ranks(const int *next, int n, int *rank) {
    extern __shared__ int memory[];
    int *link = memory, *steps = memory + blockDim.x;
    int v = threadIdx.x;
    link[v] = v < n ? next[v] : -1;
    steps[v] = link[v] >= 0;
    __syncthreads();
    for (int jump = 1; jump < n; jump *= 2) {
        int to = link[v], further = to >= 0 ? steps[to] : 0, beyond = to >= 0 ? link[to] : -1;
        __syncthreads();
        steps[v] += further;
        link[v] = beyond;
        __syncthreads();
    }
    if (v < n) rank[v] = steps[v];
}

// A root is its own parent. Depths and roots of a forest.
__global__ void forest_depths(const unsigned char *parent, int n, unsigned char *root, unsigned char *depth) {
    __shared__ unsigned char up[64];
    __shared__ unsigned char far[64];
    int v = threadIdx.x;
    if (v < n) {
        up[v] = parent[v];
        far[v] = parent[v] != v;
    }
    bool moving = true;
    while (moving) {
        __syncthreads();
        int above = 0, more = 0;
        if (v < n) {
            above = up[up[v]];
            more = far[up[v]];
        }
        moving = __syncthreads_or(more);
        if (v < n) {
            up[v] = above;
            far[v] += more;
        }
    }
    if (v < n) {
        root[v] = up[v];
        depth[v] = far[v];
    }
}

// Floyd's tortoise and hare from every vertex: steps before the cycle, and its length.
__global__ void tail_and_cycle(const unsigned short *next, int n, int *tail, int *cycle) {
    int start = blockIdx.x * blockDim.x + threadIdx.x;
    if (start >= n) return;
    int slow = next[start], fast = next[next[start]];
    while (slow != fast) {
        slow = next[slow];
        fast = next[next[fast]];
    }
    int mu = 0, lambda = 1;
    for (slow = start; slow != fast; mu++) {
        slow = next[slow];
        fast = next[fast];
    }
    for (fast = next[slow]; fast != slow; lambda++) fast = next[fast];
    tail[start] = mu;
    cycle[start] = lambda;
}

#define LEVELS 4

// Binary lifting: up[k][v] is the ancestor 2^k above v, the root above itself.
__global__ void common_ancestors(const int *parent, const int *depth, int n, const int2 *queries, int *answers,
                                 int count) {
    extern __shared__ int up[];
    for (int v = threadIdx.x; v < n; v += blockDim.x) up[v] = parent[v];
    __syncthreads();
    for (int k = 1; k < LEVELS; k++) {
        int *below = up + (k - 1) * n;
        for (int v = threadIdx.x; v < n; v += blockDim.x) below[n + v] = below[below[v]];
        __syncthreads();
    }
    for (int q = threadIdx.x; q < count; q += blockDim.x) {
        int a = queries[q].x, b = queries[q].y;
        if (depth[a] < depth[b]) {
            int other = a;
            a = b;
            b = other;
        }
        int apart = depth[a] - depth[b];
        for (int k = 0; k < LEVELS; k++)
            if (apart >> k & 1) a = up[k * n + a];
        for (int k = LEVELS - 1; k >= 0; k--) {
            if (up[k * n + a] == up[k * n + b]) continue;
            a = up[k * n + a];
            b = up[k * n + b];
        }
        answers[q] = a == b ? a : up[a];
    }
}

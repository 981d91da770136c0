// Transitive closure with a 64-bit set a vertex (Warshall), and strong components read from it.

__global__ void transitive_closure(unsigned long long *reach, int n) {
    int v = threadIdx.x;
    for (int k = 0; k < n; k++) {
        if (v < n && reach[v] >> k & 1) reach[v] |= reach[k];
        __syncthreads();
    }
}

// The smallest vertex that v reaches and that reaches v; every vertex reaches itself.
__global__ void strong_components(const unsigned long long *edges, int n, unsigned char *component) {
    extern __shared__ unsigned long long rows[];
    int v = threadIdx.x;
    if (v < n) rows[v] = edges[v] | 1ull << v;
    __syncthreads();
    for (int k = 0; k < n; k++) {
        if (v < n && (rows[v] & 1ull << k)) rows[v] |= rows[k];
        __syncthreads();
    }
    if (v >= n) return;
    int first = 0;
    while (!(rows[v] >> first & 1) || !(rows[first] >> v & 1)) first++;
    component[v] = first;
}

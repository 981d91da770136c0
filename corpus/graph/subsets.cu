// Hard problems on tiny graphs by trying everything: a thread takes a set of vertices, or an order of them.

// Largest clique and smallest vertex cover; (size, set) in one word, so that equal sizes are decided by the set.
__global__ void clique_and_cover(const unsigned *rows, int n, unsigned *clique, unsigned *cover) {
    unsigned set = blockIdx.x * blockDim.x + threadIdx.x, all = (1u << n) - 1;
    if (set > all) return;
    bool is_clique = true, is_cover = true;
    for (int v = 0; v < n; v++) {
        if (set >> v & 1) {
            if (set & ~rows[v] & ~(1u << v)) is_clique = false;
        } else if (rows[v] & ~set) {
            is_cover = false;
        }
    }
    if (is_clique) atomicMax(clique, (unsigned)__popc(set) << n | set);
    if (is_cover) atomicMin(cover, (unsigned)__popc(set) << n | set);
}

// Directed Hamiltonian paths and cycles through 0: thread k checks the k-th order of the other vertices.
__global__ void hamiltonian(const unsigned *rows, int n, int orders, int *paths, int *cycles) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= orders) return;
    unsigned left = (1u << n) - 2;
    int at = 0;
    for (int remaining = n - 1; remaining > 0; remaining--) {
        int skip = k % remaining;
        k /= remaining;
        unsigned choice = left;
        while (skip-- > 0) choice &= choice - 1;
        int v = __ffs(choice) - 1;
        if (!(rows[at] >> v & 1)) return;
        left &= ~(1u << v);
        at = v;
    }
    atomicAdd(paths, 1);
    if (rows[at] & 1) atomicAdd(cycles, 1);
}

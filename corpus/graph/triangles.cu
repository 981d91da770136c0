// Counting triangles: with bit sets of neighbours, and by merging sorted neighbour lists.

// A thread holds a pair i < j; the third vertex lies above j, so that a triangle counts once.
__global__ void triangles_by_bits(const unsigned *rows, int n, unsigned *total) {
    int pair = blockIdx.x * blockDim.x + threadIdx.x, i = pair / n, j = pair % n;
    unsigned count = 0;
    if (i < n && i < j && rows[i] >> j & 1) count = __popc(rows[i] & rows[j] & (0xfffffffeu << j));
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (count) atomicAdd(&sum, count);
    __syncthreads();
    if (threadIdx.x == 0 && sum > 0) atomicAdd(total, sum);
}

// Triangles at every vertex v: edges between its neighbours.
__global__ void triangles_at(const int *offsets, const unsigned char *neighbours, int n, int *triangles) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int count = 0;
    for (int e = offsets[v]; e < offsets[v + 1]; e++) {
        int w = neighbours[e];
        int i = offsets[v], j = offsets[w];
        while (i < offsets[v + 1] && j < offsets[w + 1]) {
            int a = neighbours[i], b = neighbours[j];
            count += a == b;
            i += a <= b;
            j += b <= a;
        }
    }
    triangles[v] = count / 2;
}

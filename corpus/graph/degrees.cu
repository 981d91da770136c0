// Degrees: of an edge list by atomics with their histogram, and whether a degree sequence belongs to any graph.

__global__ void degrees(const uchar2 *edges, int count, int n, int *out_degree, int *in_degree, int *histogram) {
    for (int e = threadIdx.x; e < count; e += blockDim.x) {
        uchar2 edge = edges[e];
        atomicAdd(&out_degree[edge.x], 1);
        atomicAdd(&in_degree[edge.y], 1);
    }
    __syncthreads();
    for (int v = threadIdx.x; v < n; v += blockDim.x) atomicAdd(&histogram[out_degree[v] + in_degree[v]], 1);
}

#define MOST 8

// Havel-Hakimi: the vertex of highest degree d is joined to the d next highest, until nothing is left or too little.
__global__ void is_graphical(const unsigned char *sequences, int length, bool *answer, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int d[MOST];
    for (int i = 0; i < length; i++) d[i] = sequences[row * length + i];
    bool possible = true;
    for (int first = 0; first < length && possible; first++) {
        // Selection sort of what is left, descending.
        for (int i = first; i < length; i++)
            for (int j = i + 1; j < length; j++)
                if (d[j] > d[i]) {
                    int other = d[i];
                    d[i] = d[j];
                    d[j] = other;
                }
        if (d[first] >= length - first) possible = false;
        for (int i = first + 1; possible && i <= first + d[first]; i++)
            if (--d[i] < 0) possible = false;
    }
    answer[row] = possible;
}

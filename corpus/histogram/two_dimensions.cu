// Histograms over two quantities: points on a grid, and a table of what was predicted against what was true.

// Points with coordinates from 0 up to width and height; cells are 2^shift wide.
__global__ void density(const short2 *points, int n, int width, int height, int shift, int *cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    short2 p = points[i];
    if (p.x < 0 || p.y < 0 || p.x >= width || p.y >= height) return;
    int across = (width + (1 << shift) - 1) >> shift;
    atomicAdd(&cells[(p.y >> shift) * across + (p.x >> shift)], 1);
}

__global__ void confusion(const unsigned char *truth, const unsigned char *guess, int n, int classes, int *table,
                          int *correct) {
    __shared__ int right;
    if (threadIdx.x == 0) right = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        atomicAdd(table + truth[i] * classes + guess[i], 1);
        if (truth[i] == guess[i]) atomicAdd(&right, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(correct, right);
}

// Summed-area table: rows, then columns, in one block; sums of rectangles from four of its corners.
__global__ void summed_area(const unsigned char *image, int width, int height, unsigned *table) {
    for (int y = threadIdx.x; y < height; y += blockDim.x) {
        unsigned sum = 0;
        for (int x = 0; x < width; x++) table[y * width + x] = sum += image[y * width + x];
    }
    __syncthreads();
    for (int x = threadIdx.x; x < width; x += blockDim.x) {
        unsigned sum = 0;
        for (int y = 0; y < height; y++) table[y * width + x] = sum += table[y * width + x];
    }
}

// x0, y0 (inside), x1, y1 (outside) of each rectangle.
__global__ void rectangle_sums(const unsigned *table, int width, const uchar4 *rectangles, int n, unsigned *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 r = rectangles[i];
    auto corner = [&](int x, int y) { return x > 0 && y > 0 ? table[(y - 1) * width + x - 1] : 0u; };
    sums[i] = corner(r.z, r.w) - corner(r.x, r.w) - corner(r.z, r.y) + corner(r.x, r.y);
}

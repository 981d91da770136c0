// Morton (Z-order) codes in two and three dimensions, and a matrix walked in Z order.
__device__ unsigned spread2(unsigned x) {
    x &= 0xffff;
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

__device__ unsigned gather2(unsigned x) {
    x &= 0x55555555;
    x = (x | x >> 1) & 0x33333333;
    x = (x | x >> 2) & 0x0f0f0f0f;
    x = (x | x >> 4) & 0x00ff00ff;
    return (x | x >> 8) & 0x0000ffff;
}

__global__ void morton_encode(const ushort2 *points, unsigned *codes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) codes[i] = spread2(points[i].x) | spread2(points[i].y) << 1;
}

__global__ void morton_decode(const unsigned *codes, ushort2 *points, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) points[i] = make_ushort2((unsigned short)gather2(codes[i]), (unsigned short)gather2(codes[i] >> 1));
}

__global__ void morton3(const unsigned char *x, const unsigned char *y, const unsigned char *z, unsigned *codes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned code = 0;
    for (int bit = 7; bit >= 0; bit--) {
        code = code << 3 | (z[i] >> bit & 1) << 2 | (y[i] >> bit & 1) << 1 | (x[i] >> bit & 1);
    }
    codes[i] = code;
}

__global__ void z_order(const int *matrix, int *curve, int width) {
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < width) curve[spread2(column) | spread2(row) << 1] = matrix[row * width + column];
}

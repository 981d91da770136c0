// Sums of the rows and of the columns of a matrix in row order, and of its diagonals.

// A block a row.
__global__ void row_sums(const int *matrix, int columns, int *sums) {
    extern __shared__ int cache[];
    const int *row = matrix + blockIdx.x * columns;
    int t = threadIdx.x, sum = 0;
    for (int c = t; c < columns; c += blockDim.x) sum += row[c];
    cache[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) cache[t] += cache[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = cache[0];
}

// A tile of 8 columns a block; rows are shared among threadIdx.y and folded at the end.
__global__ void column_sums(const int *matrix, int rows, int columns, int *sums) {
    __shared__ int tile[8][8];
    int c = blockIdx.x * 8 + threadIdx.x, x = threadIdx.x, y = threadIdx.y, sum = 0;
    if (c < columns)
        for (int r = y; r < rows; r += 8) sum += matrix[r * columns + c];
    tile[y][x] = sum;
    __syncthreads();
#pragma unroll 1
    for (int half = 4; half > 0; half /= 2) {
        if (y < half) tile[y][x] += tile[y + half][x];
        __syncthreads();
    }
    if (y == 0 && c < columns) sums[c] = tile[0][x];
}

// Is a square magic: all rows, columns and both diagonals of one sum?
__global__ void magic_square(const int *square, int order, int *magic) {
    __shared__ int wanted;
    int t = threadIdx.x, sum = 0;
    if (t < 2 * order + 2) {
        int start, step;
        if (t < order) {
            start = t * order, step = 1;
        } else if (t < 2 * order) {
            start = t - order, step = order;
        } else if (t == 2 * order) {
            start = 0, step = order + 1;
        } else {
            start = order - 1, step = order - 1;
        }
        for (int k = 0; k < order; k++) sum += square[start + k * step];
    }
    if (t == 0) wanted = sum;
    __syncthreads();
    int agree = __syncthreads_count(t < 2 * order + 2 && sum == wanted);
    if (t == 0) *magic = agree == 2 * order + 2 ? wanted : -1;
}

// C = A B for n by n matrices; one thread an element, in a two-dimensional launch.
extern "C" __global__ void matmul(const int *a, const int *b, int *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && column < n) {
        int sum = 0;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

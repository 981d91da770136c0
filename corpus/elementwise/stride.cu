// Grid-stride loops, and elements that change their places.
__global__ void fill_and_count(int *out, int value, int step, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = value + i * step;
}

__global__ void scaled_difference(const int *a, const int *b, int *out, int scale, unsigned n) {
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) out[i] = (a[i] - b[i]) * scale;
}

__global__ void reverse_in_place(int *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2) return;
    int swapped = values[i];
    values[i] = values[n - 1 - i];
    values[n - 1 - i] = swapped;
}

// Every block turns a piece of the array around in shared memory and writes it to the mirrored place.
__global__ void reverse_shared(const short *in, short *out, int n) {
    extern __shared__ short piece[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) piece[blockDim.x - 1 - threadIdx.x] = in[i];
    __syncthreads();
    int target = n - (int)(blockDim.x * (blockIdx.x + 1)) + (int)threadIdx.x;
    if (target >= 0 && target < n) out[target] = piece[threadIdx.x];
}

__global__ void gather(const int *in, const unsigned char *index, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i]];
}

__global__ void scatter(const int *in, const int *index, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && index[i] >= 0) out[index[i]] = in[i];
}

__global__ void interleave(const unsigned short *even, const unsigned short *odd, unsigned short *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2 * n) out[i] = i & 1 ? odd[i / 2] : even[i / 2];
}

__global__ void rotate_left(const int *in, int *out, int by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[(i + by) % n];
}

// A two-dimensional grid over a matrix with a row pitch.
__global__ void add_bias(const int *in, const int *bias, int *out, int rows, int columns, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) out[y * pitch + x] = in[y * pitch + x] + bias[x];
}

// Questions about all elements, answered by the barriers that count.

// Elements in [low, high), counted block by block.
__global__ void count_if(const int *in, int n, int low, int high, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool inside = i < n && in[i] >= low && in[i] < high;
    int found = __syncthreads_count(inside);
    if (threadIdx.x == 0) count[blockIdx.x] = found;
}

// Is the array sorted, and is any value doubled side by side? One block passes over everything in steps.
__global__ void order_check(const unsigned *in, int n, int *sorted, int *doubled) {
    int all = 1, any = 0;
    for (int base = 0; base + 1 < n; base += blockDim.x) {
        int i = base + threadIdx.x;
        bool pair = i + 1 < n;
        all &= __syncthreads_and(!pair || in[i] <= in[i + 1]);
        any |= __syncthreads_or(pair && in[i] == in[i + 1]);
        if (!all && any) break;
    }
    if (threadIdx.x == 0) {
        *sorted = all != 0;
        *doubled = any != 0;
    }
}

// First position of a value: the block stops at the first step in which anyone has found it.
__global__ void find_first(const unsigned char *in, int n, unsigned char wanted, int *where) {
    __shared__ int first;
    if (threadIdx.x == 0) first = n;
    __syncthreads();
    for (int base = 0; base < n; base += blockDim.x) {
        int i = base + threadIdx.x;
        bool hit = i < n && in[i] == wanted;
        if (hit) atomicMin(&first, i);
        if (__syncthreads_or(hit)) break;
    }
    if (threadIdx.x == 0) *where = first < n ? first : -1;
}

// Are two arrays equal? Blocks report a difference; nobody reports equality.
__global__ void differ(const long long *a, const long long *b, int n, int *flag) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (__syncthreads_or(i < n && a[i] != b[i]) && threadIdx.x == 0) atomicExch(flag, 1);
}

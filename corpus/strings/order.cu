// Ordering strings: comparison as in strcmp, and a rank sort of fixed-width names.
__device__ int compare(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

__global__ void compare_strings(const char *a, const char *b, int stride, signed char *order, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int difference = compare(a + i * stride, b + i * stride);
    order[i] = (signed char)((difference > 0) - (difference < 0));
}

__global__ void rank_sort(const char *names, int stride, char *sorted, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int rank = 0;
    for (int j = 0; j < n; j++) {
        int order = compare(names + j * stride, names + i * stride);
        if (order < 0 || (order == 0 && j < i)) rank++;
    }
    for (int k = 0; k < stride; k++) sorted[rank * stride + k] = names[i * stride + k];
}

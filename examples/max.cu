// Largest element: each thread scans a stride of the array, then one atomic a thread.
extern "C" __global__ void max_element(const int *x, int *out, int n) {
    int best = -2147483647 - 1;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (x[i] > best) {
            best = x[i];
        }
    }
    atomicMax(out, best);
}

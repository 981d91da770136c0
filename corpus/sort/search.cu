// Searches in sorted arrays, one thread a query.

__global__ void bounds(const short *sorted, int n, const short *queries, int *lower, int *upper, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    short key = queries[i];
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) >> 1;
        if (sorted[middle] < key) low = middle + 1;
        else high = middle;
    }
    lower[i] = low;
    for (high = n; low < high;) {
        int middle = (low + high) >> 1;
        if (sorted[middle] <= key) low = middle + 1;
        else high = middle;
    }
    upper[i] = low;
}

// Index of the key in a sorted array that was rotated by an unknown amount, or -1. The elements differ.
__global__ void search_rotated(const int *a, int n, const int *queries, int *found, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    int key = queries[i], low = 0, high = n - 1, at = -1;
    while (low <= high && at < 0) {
        int middle = low + (high - low) / 2;
        if (a[middle] == key) {
            at = middle;
        } else if (a[low] <= a[middle]) {  // the left half is in order
            if (a[low] <= key && key < a[middle]) high = middle - 1;
            else low = middle + 1;
        } else {
            if (a[middle] < key && key <= a[high]) low = middle + 1;
            else high = middle - 1;
        }
    }
    found[i] = at;
}

// Exponential, then binary search in 64-bit keys: the number of keys below the query.
__global__ void gallop(const unsigned long long *sorted, int n, const unsigned long long *queries,
                       unsigned char *below, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    unsigned long long key = queries[i];
    int bound = 1;
    while (bound <= n && sorted[bound - 1] < key) bound *= 2;
    int low = bound / 2, high = min(bound - 1, n);
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key) low = middle + 1;
        else high = middle;
    }
    below[i] = low;
}

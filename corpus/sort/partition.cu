// Partitions that keep or choose an order: stable partition and unique by a scan, and the Dutch national flag.

// Exclusive sum over the block; also gives the total to every thread.
__device__ int place_of(bool keep, int *sums, int *total) {
    int i = threadIdx.x;
    sums[i] = keep;
    __syncthreads();
    for (int step = 1; step < blockDim.x; step <<= 1) {
        int left = i >= step ? sums[i - step] : 0;
        __syncthreads();
        sums[i] += left;
        __syncthreads();
    }
    *total = sums[blockDim.x - 1];
    return sums[i] - keep;
}

// Elements below the pivot first, then the others; both keep their order.
__global__ void stable_partition(const int *in, int *out, int n, int pivot, int *point) {
    extern __shared__ int sums[];
    int i = threadIdx.x, total;
    bool first = i < n && in[i] < pivot;
    int before = place_of(first, sums, &total);
    if (i < n) out[first ? before : total + i - before] = in[i];
    if (i == 0) *point = total;
}

// The distinct elements of a sorted array, and how often each occurs.
__global__ void unique_counts(const unsigned short *sorted, int n, unsigned short *distinct, int *counts, int *found) {
    extern __shared__ int sums[];
    int i = threadIdx.x, total;
    bool head = i < n && (i == 0 || sorted[i] != sorted[i - 1]);
    int place = place_of(head, sums, &total);
    if (head) {
        int end = i + 1;
        while (end < n && sorted[end] == sorted[i]) end++;
        distinct[place] = sorted[i];
        counts[place] = end - i;
    }
    if (i == 0) *found = total;
}

// A thread orders its row of 'r', 'w' and 'b' in one pass.
__global__ void dutch_flag(char *rows, int length, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    char *a = rows + row * length;
    int low = 0, at = 0, high = length;
    while (at < high) {
        char colour = a[at];
        switch (colour) {
            case 'r':
                a[at++] = a[low];
                a[low++] = colour;
                break;
            case 'w':
                at++;
                break;
            default:
                a[at] = a[--high];
                a[high] = colour;
        }
    }
}

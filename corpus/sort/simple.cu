// Sorts that one thread runs on its own row: insertion, shell, heap and cycle sort.

__global__ void insertion_sort(signed char *rows, int length, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    signed char *a = rows + row * length;
    for (int i = 1; i < length; i++) {
        signed char value = a[i];
        int j = i;
        while (j > 0 && a[j - 1] > value) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = value;
    }
}

__constant__ int gaps[] = {10, 4, 1};

__global__ void shell_sort(int *rows, int length, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int *a = rows + row * length;
    for (int gap : gaps) {
        for (int i = gap; i < length; i++) {
            int value = a[i], j;
            for (j = i; j >= gap && a[j - gap] > value; j -= gap) a[j] = a[j - gap];
            a[j] = value;
        }
    }
}

__device__ void sift_down(unsigned *heap, int root, int size) {
    unsigned value = heap[root];
    while (2 * root + 1 < size) {
        int child = 2 * root + 1;
        if (child + 1 < size && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= value) break;
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = value;
}

__global__ void heap_sort(unsigned *rows, int length, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    unsigned *a = rows + row * length;
    for (int root = length / 2 - 1; root >= 0; root--) sift_down(a, root, length);
    for (int last = length - 1; last > 0; last--) {
        unsigned largest = a[0];
        a[0] = a[last];
        a[last] = largest;
        sift_down(a, 0, last);
    }
}

// Cycle sort writes only elements that are out of place, each once; the values of a row differ.
__global__ void cycle_sort(int *rows, int length, int *writes, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int *a = rows + row * length, written = 0;
    for (int start = 0; start < length - 1; start++) {
        int value = a[start];
        while (true) {
            int place = start;
            for (int i = start + 1; i < length; i++) place += a[i] < value;
            if (a[place] == value) break;
            int other = a[place];
            a[place] = value;
            value = other;
            written++;
            if (place == start) break;
        }
    }
    writes[row] = written;
}

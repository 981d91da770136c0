// Quicksort without recursion, and quickselect; a thread works on its own row.
#define DEPTH 8

// Partition of a[low..high] (Lomuto) around its middle element; returns the place where the pivot ends.
__device__ int partition(int *a, int low, int high) {
    int middle = (low + high) / 2, pivot = a[middle];
    a[middle] = a[high];
    int place = low;
    for (int i = low; i < high; i++) {
        int value = a[i];
        if (value < pivot) {
            a[i] = a[place];
            a[place++] = value;
        }
    }
    a[high] = a[place];
    a[place] = pivot;
    return place;
}

// The larger part waits on the stack, so that it holds at most log2(length) parts.
__global__ void quick_sort(int *rows, int length, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int *a = rows + row * length;
    struct {
        short low, high;
    } stack[DEPTH];
    int top = 0, low = 0, high = length - 1;
    while (true) {
        if (low >= high) {
            if (top == 0) break;
            top--;
            low = stack[top].low;
            high = stack[top].high;
            continue;
        }
        int place = partition(a, low, high);
        if (place - low < high - place) {
            stack[top].low = place + 1;
            stack[top++].high = high;
            high = place - 1;
        } else {
            stack[top].low = low;
            stack[top++].high = place - 1;
            low = place + 1;
        }
    }
}

// The k-th smallest of each row (k counts from 0); the row is left partitioned around it.
__global__ void quick_select(int *rows, int length, const int *k, int *found, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int *a = rows + row * length;
    int low = 0, high = length - 1, wanted = k[row];
    for (;;) {
        int place = partition(a, low, high);
        if (place == wanted) break;
        if (place < wanted)
            low = place + 1;
        else
            high = place - 1;
    }
    found[row] = a[wanted];
}

// Merging: bottom-up merge sort in a block, and the merge of two sorted arrays along diagonals ("merge path").

// Elements of run[0, n) that go before the value: those below it, or also those equal to it.
__device__ int count_before(const int *run, int n, int value, bool equal_too) {
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (run[middle] < value || (equal_too && run[middle] == value)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// An element's place is its place in its own run plus its rank in the run that is merged with it.
__global__ void merge_sort(int *values, int *scratch, int n) {
    int *from = values, *to = scratch;
    for (int width = 1; width < n; width *= 2) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int run = i / width, start = run * width;
            bool right = run & 1;
            int sibling = right ? start - width : min(start + width, n);
            int length = min(width, n - sibling);
            int place = min(start, sibling) + (i - start) + count_before(from + sibling, length, from[i], right);
            to[place] = from[i];
        }
        __syncthreads();
        int *swap = from;
        from = to;
        to = swap;
    }
    if (from != values)
        for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = from[i];
}

// A thread writes a stretch of the output; a search along its diagonal says where in a and b that begins.
__global__ void merge_path(const unsigned *a, int na, const unsigned *b, int nb, unsigned *out, int stretch) {
    int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * stretch;
    if (diagonal >= na + nb) return;
    int low = max(0, diagonal - nb), high = min(diagonal, na);
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    int i = low, j = diagonal - low, end = min(diagonal + stretch, na + nb);
    for (int k = diagonal; k < end; k++) {
        if (j >= nb || (i < na && a[i] <= b[j]))
            out[k] = a[i++];
        else
            out[k] = b[j++];
    }
}

#define LISTS 4

// A thread merges four sorted lists with the help of a small heap of their heads, held as (value, list) in one word.
__global__ void merge_lists(const unsigned short *lists, int length, unsigned short *out, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    lists += row * LISTS * length;
    out += row * LISTS * length;
    unsigned heap[LISTS];
    int next[LISTS], size = 0;
    for (int k = 0; k < LISTS; k++) {
        unsigned head = (unsigned)lists[k * length] << 2 | k;
        int at = size++;
        for (; at > 0 && heap[(at - 1) / 2] > head; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
        heap[at] = head;
        next[k] = 1;
    }
    while (size > 0) {
        unsigned top = heap[0];
        int list = top & 3;
        *out++ = top >> 2;
        unsigned moved = next[list] < length ? (unsigned)lists[list * length + next[list]++] << 2 | list : heap[--size];
        int at = 0;
        for (int child = 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && heap[child + 1] < heap[child]) child++;
            if (heap[child] >= moved) break;
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = moved;
    }
}

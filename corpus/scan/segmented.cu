// Scans that begin anew at every flag: the items are pairs of a flag and a value.
struct Item {
    int value;
    bool head;
};

__device__ Item operator+(Item a, Item b) { return {b.head ? b.value : a.value + b.value, a.head || b.head}; }

__global__ void segmented_sums(const int *in, const unsigned char *heads, int n, int *out) {
    __shared__ Item items[64];
    int t = threadIdx.x;
    Item mine = {t < n ? in[t] : 0, t < n && heads[t] != 0};
    items[t] = mine;
    __syncthreads();
#pragma unroll 1
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        if (t >= distance) mine = items[t - distance] + mine;
        __syncthreads();
        items[t] = mine;
        __syncthreads();
    }
    if (t < n) out[t] = mine.value;
}

// The position in its segment of each element: distance to the last head, found with a maximum scan of positions.
__global__ void rank_in_segment(const int *keys, int n, int *rank) {
    extern __shared__ int start[];
    int t = threadIdx.x;
    int first = t < n && (t == 0 || keys[t] != keys[t - 1]) ? t : 0;
    start[t] = first;
    __syncthreads();
    for (int distance = 1; distance < n; distance *= 2) {
        if (t >= distance) first = max(first, start[t - distance]);
        __syncthreads();
        start[t] = first;
        __syncthreads();
    }
    if (t < n) rank[t] = t - first;
}

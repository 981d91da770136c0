// Enumeration sorts: a thread counts the elements that go before its own, which is the place of its element.

// The input passes through shared memory tile by tile; equal elements keep their order.
__global__ void rank_sort(const int *in, int *out, int n) {
    extern __shared__ int tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = i < n ? in[i] : 0, rank = 0;
    for (int base = 0; base < n; base += blockDim.x) {
        int j = base + threadIdx.x;
        if (j < n) tile[threadIdx.x] = in[j];
        __syncthreads();
        int count = min((int)blockDim.x, n - base);
        for (int k = 0; k < count; k++) rank += tile[k] < mine || (tile[k] == mine && base + k < i);
        __syncthreads();
    }
    if (i < n) out[rank] = mine;
}

__global__ void argsort(const long long *keys, int n, bool descending, unsigned short *order) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long mine = keys[i];
    int rank = 0;
    for (int j = 0; j < n; j++) {
        long long other = keys[j];
        bool before = descending ? other > mine : other < mine;
        if (before || (other == mine && j < i)) rank++;
    }
    order[rank] = i;
}

// Competition ranks ("1224"): equal scores share the best rank, as in a league table.
__global__ void league_ranks(const unsigned char *scores, int n, int *ranks) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int rank = 1;
    for (int j = 0; j < n; j++) rank += scores[j] > scores[i];
    ranks[i] = rank;
}

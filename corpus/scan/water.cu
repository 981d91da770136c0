// Interview problems that are scans of maxima and minima.

// Rain water between walls: each column is filled to the lower of the highest walls on its left and on its right.
__global__ void trapped_water(const int *height, int n, int *depth, int *total) {
    extern __shared__ int cache[];
    int *left = cache, *right = cache + blockDim.x, t = threadIdx.x;
    int own = t < n ? height[t] : 0;
    left[t] = right[t] = own;
    __syncthreads();
    for (int distance = 1; distance < n; distance *= 2) {
        int l = left[t], r = right[t];
        if (t >= distance) l = max(l, left[t - distance]);
        if (t + distance < blockDim.x) r = max(r, right[t + distance]);
        __syncthreads();
        left[t] = l;
        right[t] = r;
        __syncthreads();
    }
    if (t < n) {
        depth[t] = min(left[t], right[t]) - own;
        atomicAdd(total, depth[t]);
    }
}

// Best profit of one purchase and one later sale: the lowest price so far is a scan, the answer a maximum.
__global__ void best_profit(const int *price, int n, int *profit) {
    extern __shared__ int lowest[];
    int t = threadIdx.x;
    lowest[t] = price[min(t, n - 1)];
    __syncthreads();
    for (int distance = 1; distance < n; distance *= 2) {
        int low = min(lowest[t], lowest[max(t - distance, 0)]);
        __syncthreads();
        lowest[t] = low;
        __syncthreads();
    }
    if (t < n) atomicMax(profit, price[t] - lowest[t]);
}

// Buildings that see the sea in the east: higher than everything behind them. A scan from the right.
__global__ void sea_view(const unsigned short *height, int n, bool *view) {
    extern __shared__ int tallest[];
    int t = threadIdx.x, place = n - 1 - t;
    tallest[t] = t > 0 && t < n ? height[place + 1] : -1;
    __syncthreads();
    for (int distance = 1; distance < n; distance *= 2) {
        int before = t >= distance ? tallest[t - distance] : -1;
        __syncthreads();
        tallest[t] = max(tallest[t], before);
        __syncthreads();
    }
    if (t < n) view[place] = height[place] > tallest[t];
}

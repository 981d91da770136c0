// Equalisation of a picture: histogram, its running sum, a table, and the picture through the table.
#define LEVELS 32

__global__ void equalise(unsigned char *pixels, int n) {
    __shared__ int count[LEVELS], running[LEVELS];
    __shared__ int lowest;
    int t = threadIdx.x;
    if (t < LEVELS) count[t] = 0;
    if (t == 0) lowest = n;
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) atomicAdd(&count[pixels[i] % LEVELS], 1);
    __syncthreads();
    if (t < LEVELS) running[t] = count[t];
    __syncthreads();
#pragma unroll 1
    for (int distance = 1; distance < LEVELS; distance *= 2) {
        int before = t >= distance && t < LEVELS ? running[t - distance] : 0;
        __syncthreads();
        if (t < LEVELS) running[t] += before;
        __syncthreads();
    }
    if (t < LEVELS && count[t] > 0) atomicMin(&lowest, running[t]);
    __syncthreads();
    int range = n - lowest;
    for (int i = t; i < n; i += blockDim.x) {
        int above = running[pixels[i] % LEVELS] - lowest;
        pixels[i] = range > 0 ? (above * (LEVELS - 1) + range / 2) / range : pixels[i];
    }
}

// Otsu's threshold: the level that separates two classes best, by weight x weight x squared distance of the means.
// The score is (mu * total - sum * below)^2 / (below * above), without fractions up to one division.
__global__ void otsu(const unsigned char *pixels, int n, int *threshold) {
    __shared__ int count[LEVELS];
    __shared__ unsigned long long best;
    int t = threadIdx.x;
    count[t] = 0;
    if (t == 0) best = 0;
    __syncthreads();
    for (int i = t; i < n; i += LEVELS) atomicAdd(&count[pixels[i] % LEVELS], 1);
    __syncthreads();
    int below = 0, sum_below = 0, sum = 0;
    for (int level = 0; level < LEVELS; level++) {
        sum += level * count[level];
        if (level <= t) {
            below += count[level];
            sum_below += level * count[level];
        }
    }
    int above = n - below;
    if (below > 0 && above > 0) {
        long long distance = sum_below * n - sum * below;
        unsigned score = (unsigned long long)(distance * distance) / (unsigned)(below * above);
        atomicMax(&best, (unsigned long long)score << 32 | (LEVELS - 1 - t));
    }
    __syncthreads();
    if (t == 0) *threshold = best ? LEVELS - 1 - (int)(best & 0xffffffff) : -1;
}

// Parentheses by scanning: how deep each one is, whether all match, and the partner of each.
__device__ int step_of(char c) { return c == '(' ? 1 : c == ')' ? -1 : 0; }

__global__ void depths(const char *text, int n, signed char *depth, int *balanced) {
    extern __shared__ int level[];
    int t = threadIdx.x, own = t < n ? step_of(text[t]) : 0;
    level[t] = own;
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        int before = t >= distance ? level[t - distance] : 0;
        __syncthreads();
        level[t] += before;
        __syncthreads();
    }
    int negative = __syncthreads_or(level[t] < 0);
    if (t < n) depth[t] = level[t] + (own < 0);  // both of a pair have the same depth
    if (t == blockDim.x - 1) *balanced = !negative && level[t] == 0;
}

// The partner of an opening one is the next closing one of the same depth.
__global__ void partners(const char *text, int n, const signed char *depth, short *partner) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (step_of(text[i]) == 0) {
        partner[i] = -1;
        return;
    }
    if (text[i] == ')') return;
    int j = i + 1;
    while (text[j] != ')' || depth[j] != depth[i]) j++;
    partner[i] = j;
    partner[j] = i;
}

// A string of brackets reduces to some closing ones and then some opening ones; neighbours' remains cancel.
__global__ void unmatched(const char *text, int n, int *closing, int *opening) {
    __shared__ short2 rest[64];
    int t = threadIdx.x;
    short2 own = make_short2(t < n && text[t] == ')', t < n && text[t] == '(');
    rest[t] = own;
    __syncthreads();
    for (int width = 1; width < blockDim.x; width *= 2) {
        if (t % (2 * width) == 0) {
            short2 right = rest[t + width];
            short pairs = min(own.y, right.x);
            own.x += right.x - pairs;
            own.y += right.y - pairs;
            rest[t] = own;
        }
        __syncthreads();
    }
    if (t == 0) {
        *closing = own.x;
        *opening = own.y;
    }
}

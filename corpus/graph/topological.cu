// Topological order (Kahn): layers by a block, and the first order of small graphs by a thread each.

// A vertex's layer is the length of the longest path to it, or -1 on a cycle and behind it.
__global__ void kahn_layers(const int *offsets, const int *successors, int n, signed char *layer) {
    extern __shared__ int waiting[];
    for (int v = threadIdx.x; v < n; v += blockDim.x) {
        waiting[v] = 0;
        layer[v] = -1;
    }
    __syncthreads();
    for (int e = threadIdx.x; e < offsets[n]; e += blockDim.x) atomicAdd(&waiting[successors[e]], 1);
    __syncthreads();
    bool more = true;
    for (int depth = 0; more; depth++) {
        for (int v = threadIdx.x; v < n; v += blockDim.x)
            if (waiting[v] == 0 && layer[v] < 0) layer[v] = depth;
        __syncthreads();
        bool any = false;
        for (int v = threadIdx.x; v < n; v += blockDim.x) {
            if (layer[v] != depth) continue;
            for (int e = offsets[v]; e < offsets[v + 1]; e++) atomicSub(&waiting[successors[e]], 1);
            any = true;
        }
        more = __syncthreads_or(any);
    }
}

// before[v]: bits of the vertices that must come before v. An order that stops early ends in 255.
__global__ void first_order(const unsigned char *before, int size, unsigned char *order, int graphs) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= graphs) return;
    before += g * size;
    order += g * size;
    unsigned done = 0;
    for (int k = 0; k < size; k++) {
        int v = 0;
        while (v < size && (done >> v & 1 || before[v] & ~done)) v++;
        if (v < size) done |= 1u << v;
        order[k] = v < size ? v : 255;
    }
}

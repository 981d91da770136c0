// Histogram of arbitrary keys in a hash table with open addressing: which slot a key gets depends on the order of the
// threads, how often it occurs does not.
#define SLOTS 64
#define EMPTY 0xffffffffu

__device__ int slot_of(unsigned *keys, unsigned key) {
    int slot = key * 2654435769u >> 26;
    while (true) {
        unsigned found = atomicCAS(&keys[slot], EMPTY, key);
        if (found == EMPTY || found == key) return slot;
        slot = (slot + 1) % SLOTS;
    }
}

// Each element learns how often its value occurs; and the block, how many values there are and how many occur once.
__global__ void frequencies(const unsigned *in, int n, int *frequency, int *distinct, int *once) {
    __shared__ unsigned keys[SLOTS];
    __shared__ int counts[SLOTS];
    for (int s = threadIdx.x; s < SLOTS; s += blockDim.x) {
        keys[s] = EMPTY;
        counts[s] = 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&counts[slot_of(keys, in[i])], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) frequency[i] = counts[slot_of(keys, in[i])];
    int used = 0, single = 0;
    for (int s = threadIdx.x; s < SLOTS; s += blockDim.x) {
        used += counts[s] > 0;
        single += counts[s] == 1;
    }
    atomicAdd(distinct, used);
    atomicAdd(once, single);
}

// Pairs (i, j), i < j, with in[i] + in[j] == wanted, counted through the table: half of the ordered ones.
__global__ void two_sum_pairs(const unsigned *in, int n, unsigned wanted, int *pairs) {
    __shared__ unsigned keys[SLOTS];
    __shared__ int counts[SLOTS], twice;
    for (int s = threadIdx.x; s < SLOTS; s += blockDim.x) {
        keys[s] = EMPTY;
        counts[s] = 0;
    }
    if (threadIdx.x == 0) twice = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&counts[slot_of(keys, in[i])], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned partner = wanted - in[i];
        int slot = partner * 2654435769u >> 26;
        while (keys[slot] != partner && keys[slot] != EMPTY) slot = (slot + 1) % SLOTS;
        if (keys[slot] == partner) atomicAdd(&twice, counts[slot] - (partner == in[i]));
    }
    __syncthreads();
    if (threadIdx.x == 0) *pairs = twice / 2;
}

// Open-addressing hash table in shared memory: keys are claimed with atomicCAS, values summed, then looked up.
#define SLOTS 64
#define EMPTY 0xffffffffu

extern "C" __global__ void hash_table(const unsigned *keys, const int *values, int n, const unsigned *queries,
                                      int *sums, int queries_count) {
    __shared__ unsigned slot_key[SLOTS];
    __shared__ int slot_sum[SLOTS];
    for (int s = threadIdx.x; s < SLOTS; s += blockDim.x) {
        slot_key[s] = EMPTY;
        slot_sum[s] = 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned key = keys[i];
        unsigned slot = (key * 2654435761u) >> 26;
        while (true) {
            unsigned owner = atomicCAS(&slot_key[slot], EMPTY, key);
            if (owner == EMPTY || owner == key) {
                atomicAdd(&slot_sum[slot], values[i]);
                break;
            }
            slot = (slot + 1) % SLOTS;
        }
    }
    __syncthreads();
    for (int q = threadIdx.x; q < queries_count; q += blockDim.x) {
        unsigned slot = (queries[q] * 2654435761u) >> 26;
        int sum = -1;
        while (slot_key[slot] != EMPTY) {
            if (slot_key[slot] == queries[q]) {
                sum = slot_sum[slot];
                break;
            }
            slot = (slot + 1) % SLOTS;
        }
        sums[q] = sum;
    }
}

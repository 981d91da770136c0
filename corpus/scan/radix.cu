// Radix sort of one block: for every bit, a stable split by a scan of the zeros.
__global__ void radix_sort(unsigned *keys, unsigned short *payload, int n, int bits) {
    __shared__ unsigned key[64], zeros[64];
    __shared__ unsigned short item[64];
    int t = threadIdx.x;
    if (t < n) {
        key[t] = keys[t];
        item[t] = payload[t];
    }
    __syncthreads();
    for (int bit = 0; bit < bits; bit++) {
        unsigned mine = t < n ? key[t] : ~0u, one = mine >> bit & 1, sum = 1 - one;
        unsigned short with = t < n ? item[t] : 0;
        zeros[t] = sum;
        __syncthreads();
#pragma unroll 1
        for (int distance = 1; distance < blockDim.x; distance *= 2) {
            if (t >= distance) sum += zeros[t - distance];
            __syncthreads();
            zeros[t] = sum;
            __syncthreads();
        }
        unsigned total = zeros[blockDim.x - 1], place = one ? total + t - sum : sum - 1;
        if (t < n) {
            key[place] = mine;
            item[place] = with;
        }
        __syncthreads();
    }
    if (t < n) {
        keys[t] = key[t];
        payload[t] = item[t];
    }
}

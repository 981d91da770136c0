// Least-significant-digit radix sorts in one block.

// One bit a pass: a scan of the zero bits gives every key its place. A thread holds a key.
__global__ void radix_sort_bits(unsigned *keys, int n, int bits) {
    extern __shared__ unsigned shared[];
    unsigned *sorted = shared, *zeros = shared + blockDim.x;
    int i = threadIdx.x;
    unsigned key = i < n ? keys[i] : 0xffffffffu;
    for (int bit = 0; bit < bits; bit++) {
        unsigned zero = ~key >> bit & 1;
        zeros[i] = zero;
        __syncthreads();
        for (int step = 1; step < blockDim.x; step *= 2) {
            unsigned left = i >= step ? zeros[i - step] : 0;
            __syncthreads();
            zeros[i] += left;
            __syncthreads();
        }
        unsigned before = zeros[i] - zero, total = zeros[blockDim.x - 1];
        sorted[zero ? before : total + i - before] = key;
        __syncthreads();
        key = sorted[i];
    }
    if (i < n) keys[i] = key;
}

#define RADIX 16

// Four bits a pass, keys with values: thread d counts and places the keys whose digit is d, in order.
__global__ void radix_sort_pairs(short *keys, unsigned char *values, short *other_keys, unsigned char *other_values,
                                 int n) {
    __shared__ int counts[RADIX];
    int digit = threadIdx.x;
    for (int shift = 0; shift < 16; shift += 4) {
        // The sign bit is flipped so that negative keys come first.
        unsigned flip = shift == 12 ? 8 : 0;
        int count = 0;
        for (int i = 0; i < n; i++) count += ((keys[i] >> shift & (RADIX - 1)) ^ flip) == digit;
        counts[digit] = count;
        __syncthreads();
        int place = 0;
        for (int d = 0; d < digit; d++) place += counts[d];
        for (int i = 0; count > 0; i++) {
            if (((keys[i] >> shift & (RADIX - 1)) ^ flip) != digit) continue;
            other_keys[place] = keys[i];
            other_values[place++] = values[i];
            count--;
        }
        __syncthreads();
        short *k = keys;
        keys = other_keys;
        other_keys = k;
        unsigned char *v = values;
        values = other_values;
        other_values = v;
    }
}

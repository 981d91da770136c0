// Prefixes by exclusive or: questions about ranges, subarrays of a given xor, and Gray codes.

// One thread block computes the prefixes, then answers questions (first, last) about ranges.
__global__ void range_xor(const unsigned *in, int n, const int2 *questions, int count, unsigned *answers) {
    extern __shared__ unsigned prefix[];  // n + 1 of them
    int t = threadIdx.x;
    if (t < n) prefix[t + 1] = in[t];
    if (t == 0) prefix[0] = 0;
    __syncthreads();
    for (int distance = 1; distance < n; distance *= 2) {
        unsigned before = t < n && t >= distance ? prefix[t + 1 - distance] : 0;
        __syncthreads();
        if (t < n) prefix[t + 1] ^= before;
        __syncthreads();
    }
    for (int q = t; q < count; q += blockDim.x) answers[q] = prefix[questions[q].y + 1] ^ prefix[questions[q].x];
}

// How many subarrays have the xor `wanted`: pairs of equal prefixes. Prefixes are bytes here.
__global__ void count_subarrays(const unsigned char *in, int n, int wanted, int *count) {
    __shared__ unsigned char prefix[65];
    int t = threadIdx.x, found = 0;
    unsigned char own = 0;
    for (int i = 0; i <= t && i < n; i++) own ^= in[i];
    if (t == 0) prefix[0] = 0;
    if (t < n) prefix[t + 1] = own;
    __syncthreads();
    if (t < n)
        for (int i = 0; i <= t; i++) found += (prefix[i] ^ own) == wanted;
    atomicAdd(count, found);
}

// The prefix xor of a Gray code, from the highest bit down, is the binary number; here of several words.
__global__ void gray_to_binary(const unsigned *gray, int words, unsigned *binary) {
    int t = threadIdx.x;
    if (t >= words) return;
    unsigned own = gray[t], above = 0;
    for (int distance = 1; distance < 32; distance *= 2) own ^= own >> distance;
    for (int w = t + 1; w < words; w++) above ^= gray[w];
    binary[t] = __popc(above) % 2 ? ~own : own;
}

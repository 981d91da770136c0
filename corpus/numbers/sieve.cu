// Sieve of Eratosthenes in shared memory, a segmented one, and the count of primes.
__global__ void sieve(unsigned char *prime, int n) {
    extern __shared__ unsigned char composite[];
    for (int k = threadIdx.x; k < n; k += blockDim.x) composite[k] = k < 2;
    __syncthreads();
    for (int p = 2; p * p < n; p++) {
        if (!composite[p]) {
            for (int multiple = p * p + threadIdx.x * p; multiple < n; multiple += blockDim.x * p) {
                composite[multiple] = 1;
            }
        }
        __syncthreads();
    }
    for (int k = threadIdx.x; k < n; k += blockDim.x) prime[k] = !composite[k];
}

// Each block sieves its own segment of numbers with a list of small primes.
__global__ void segmented_sieve(const int *small, int count, int first, int length, int *primes_found) {
    __shared__ int composite[64];
    __shared__ int found;
    int begin = first + blockIdx.x * length;
    for (int k = threadIdx.x; k < length; k += blockDim.x) composite[k] = 0;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    for (int s = threadIdx.x; s < count; s += blockDim.x) {
        int p = small[s];
        int multiple = (begin + p - 1) / p * p;
        for (; multiple < begin + length; multiple += p) {
            if (multiple > p) atomicOr(&composite[multiple - begin], 1);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < length; k += blockDim.x) {
        if (!composite[k]) atomicAdd(&found, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) primes_found[blockIdx.x] = found;
}

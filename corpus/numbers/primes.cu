// Primes: trial division, factorisation, Miller-Rabin, and Goldbach's pairs.
__device__ bool is_prime(unsigned n) {
    if (n < 2) return false;
    if (n % 2 == 0) return n == 2;
    for (unsigned d = 3; d <= n / d; d += 2) {
        if (n % d == 0) return false;
    }
    return true;
}

__global__ void trial_division(const unsigned *numbers, bool *prime, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) prime[i] = is_prime(numbers[i]);
}

// Prime factors in ascending order, up to 8 of them a number; unused places are left at 0.
__global__ void factorise(const unsigned *numbers, unsigned *factors, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned rest = numbers[i];
    int found = 0;
    for (unsigned d = 2; d <= rest / d && found < 8; d++) {
        while (rest % d == 0 && found < 8) {
            factors[8 * i + found++] = d;
            rest /= d;
        }
    }
    if (rest > 1 && found < 8) factors[8 * i + found++] = rest;
    count[i] = found;
}

__device__ unsigned power_modulo(unsigned base, unsigned exponent, unsigned modulus) {
    unsigned long long result = 1, square = base % modulus;
    while (exponent) {
        if (exponent & 1) result = result * square % modulus;
        square = square * square % modulus;
        exponent >>= 1;
    }
    return (unsigned)result;
}

__device__ bool witness(unsigned a, unsigned n) {
    unsigned d = n - 1;
    int twos = 0;
    while (d % 2 == 0) {
        d /= 2;
        twos++;
    }
    unsigned x = power_modulo(a, d, n);
    if (x == 1 || x == n - 1) return false;
    for (int r = 1; r < twos; r++) {
        x = (unsigned)((unsigned long long)x * x % n);
        if (x == n - 1) return false;
    }
    return true;
}

// One thread a witness: 2, 7 and 61 suffice below 2^32.
__global__ void miller_rabin(const unsigned *numbers, int *composite) {
    const unsigned witnesses[3] = {2, 7, 61};
    unsigned n = numbers[blockIdx.x];
    unsigned a = witnesses[threadIdx.x];
    if (n < 2 || (n % 2 == 0 && n != 2)) {
        atomicOr(&composite[blockIdx.x], 1);
        return;
    }
    if (n == 2 || n == a) return;
    if (a < n && witness(a, n)) atomicOr(&composite[blockIdx.x], 1);
}

__global__ void goldbach(int limit, int *smallest) {
    int even = 4 + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (even > limit) return;
    for (int p = 2; p <= even / 2; p++) {
        if (is_prime(p) && is_prime(even - p)) {
            smallest[even / 2 - 2] = p;
            return;
        }
    }
}

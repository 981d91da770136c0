// Greatest common divisors: Euclid, binary, of a whole array by a tree, and least common multiples in 64 bits.
__device__ unsigned gcd(unsigned a, unsigned b) {
    while (b) {
        unsigned r = a % b;
        a = b;
        b = r;
    }
    return a;
}

__global__ void gcd_lcm(const unsigned *a, const unsigned *b, unsigned *divisor, unsigned long long *multiple, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned g = gcd(a[i], b[i]);
    divisor[i] = g;
    multiple[i] = g ? (unsigned long long)(a[i] / g) * b[i] : 0;
}

__global__ void binary_gcd(const unsigned *a, const unsigned *b, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned u = a[i], v = b[i];
    if (u == 0 || v == 0) {
        out[i] = u | v;
        return;
    }
    int shift = __ffs(u | v) - 1;
    u >>= __ffs(u) - 1;
    do {
        v >>= __ffs(v) - 1;
        if (u > v) {
            unsigned t = u;
            u = v;
            v = t;
        }
        v -= u;
    } while (v);
    out[i] = u << shift;
}

// gcd is associative with identity 0, so it reduces like a sum.
__global__ void gcd_of_array(const unsigned *values, int n, unsigned *out) {
    __shared__ unsigned partial[32];
    unsigned mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) mine = gcd(mine, values[i]);
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] = gcd(partial[threadIdx.x], partial[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = partial[0];
}

// Extended Euclid: the inverse modulo m, or 0 where there is none.
__global__ void modular_inverse(const int *values, int modulus, int *inverse, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int r0 = modulus, r1 = values[i] % modulus, t0 = 0, t1 = 1;
    if (r1 < 0) r1 += modulus;
    while (r1 != 0) {
        int q = r0 / r1;
        int r2 = r0 - q * r1;
        int t2 = t0 - q * t1;
        r0 = r1;
        r1 = r2;
        t0 = t1;
        t1 = t2;
    }
    inverse[i] = r0 == 1 ? (t0 < 0 ? t0 + modulus : t0) : 0;
}

// Chinese remainder theorem by stepping: x = r[k] modulo m[k], moduli pairwise coprime.
__global__ void chinese_remainder(const unsigned *remainders, const unsigned *moduli, int congruences,
                                  unsigned long long *solution, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long x = 0, step = 1;
    for (int k = 0; k < congruences; k++) {
        while (x % moduli[k] != remainders[i * congruences + k]) x += step;
        step *= moduli[k];
    }
    solution[i] = x;
}

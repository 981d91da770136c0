// Sequences: Fibonacci by matrix powers, Collatz, Pascal's triangle, Catalan numbers, and partitions.
struct Matrix2 {
    unsigned a, b, c, d;
};

__device__ Matrix2 multiply(const Matrix2 &x, const Matrix2 &y, unsigned m) {
    Matrix2 r;
    r.a = (x.a * y.a + x.b * y.c) % m;
    r.b = (x.a * y.b + x.b * y.d) % m;
    r.c = (x.c * y.a + x.d * y.c) % m;
    r.d = (x.c * y.b + x.d * y.d) % m;
    return r;
}

// modulus at most 46340, so that the sums of products fit.
__global__ void fibonacci_mod(const unsigned *index, unsigned modulus, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Matrix2 result = {1, 0, 0, 1}, power = {1, 1, 1, 0};
    for (unsigned e = index[i]; e; e >>= 1) {
        if (e & 1) result = multiply(result, power, modulus);
        power = multiply(power, power, modulus);
    }
    out[i] = result.b % modulus;
}

__global__ void fibonacci64(unsigned long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long a = 0, b = 1;
    for (int k = 0; k < i; k++) {
        unsigned long long next = a + b;
        a = b;
        b = next;
    }
    out[i] = a;
}

__global__ void collatz(const unsigned *start, int *steps, unsigned *peak, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = start[i], top = x;
    int count = 0;
    while (x > 1) {
        x = x & 1 ? 3 * x + 1 : x >> 1;
        top = max(top, x);
        count++;
    }
    steps[i] = count;
    peak[i] = top;
}

// The number below the limit with the longest sequence: length in the high half, then the smallest number wins.
__global__ void longest_collatz(unsigned limit, unsigned *best) {
    __shared__ unsigned winner;
    if (threadIdx.x == 0) winner = 0;
    __syncthreads();
    unsigned start = 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (start < limit) {
        unsigned length = 1;
        for (unsigned x = start; x != 1; length++) x = x % 2 ? 3 * x + 1 : x / 2;
        atomicMax(&winner, length << 16 | (0xffff - start));
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(best, winner);
}

// Row by row in shared memory, modulo a prime: entry k of a row needs entries k - 1 and k of the row above.
__global__ void pascal(unsigned *triangle, int rows, unsigned modulus) {
    __shared__ unsigned row[64];
    int k = threadIdx.x;
    row[k] = k == 0 ? 1 % modulus : 0;
    __syncthreads();
    for (int r = 0; r < rows; r++) {
        if (k <= r) triangle[r * (r + 1) / 2 + k] = row[k];
        unsigned above = k > 0 ? row[k - 1] : 0;
        __syncthreads();
        row[k] = (row[k] + above) % modulus;
        __syncthreads();
    }
}

__global__ void catalan(unsigned long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long c = 1;
    for (int k = 0; k < i; k++) c = c * 2 * (2 * k + 1) / (k + 2);
    out[i] = c;
}

// Partitions of 0 .. n - 1 into parts; one part size after the other, the sums of a thread step by the part size.
__global__ void partitions(unsigned *ways, int n) {
    for (int k = threadIdx.x; k < n; k += blockDim.x) ways[k] = k == 0;
    __syncthreads();
    for (int part = 1; part < n; part++) {
        for (int first = threadIdx.x; first < part; first += blockDim.x) {
            for (int k = first + part; k < n; k += part) ways[k] += ways[k - part];
        }
        __syncthreads();
    }
}

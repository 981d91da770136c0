// Divisors: perfect, abundant and deficient numbers, Euler's totient, and amicable pairs.
__device__ int aliquot_sum(int n) {
    if (n < 2) return 0;
    int sum = 1;
    for (int d = 2; d * d <= n; d++) {
        if (n % d == 0) {
            sum += d;
            if (d != n / d) sum += n / d;
        }
    }
    return sum;
}

enum Kind { DEFICIENT, PERFECT, ABUNDANT };

__global__ void classify(const int *numbers, unsigned char *kind, int *counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = aliquot_sum(numbers[i]);
    Kind which = sum == numbers[i] ? PERFECT : sum > numbers[i] ? ABUNDANT : DEFICIENT;
    kind[i] = which;
    atomicAdd(counts + which, 1);
}

__global__ void totient(const unsigned *numbers, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned rest = numbers[i], phi = rest;
    for (unsigned p = 2; p * p <= rest; p++) {
        if (rest % p) continue;
        while (rest % p == 0) rest /= p;
        phi -= phi / p;
    }
    if (rest > 1) phi -= phi / rest;
    out[i] = phi;
}

__global__ void amicable(int first, int n, int *partner) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = first + i, b = aliquot_sum(a);
    partner[i] = b != a && aliquot_sum(b) == a ? b : 0;
}

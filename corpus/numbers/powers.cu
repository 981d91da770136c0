// Powers: modular exponentiation in 32 and 64 bits, Montgomery multiplication, integer square and cube roots.
__global__ void power_mod(const unsigned *base, const unsigned *exponent, unsigned modulus, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long result = 1 % modulus, b = base[i] % modulus;
    for (unsigned e = exponent[i]; e; e >>= 1) {
        if (e & 1) result = result * b % modulus;
        b = b * b % modulus;
    }
    out[i] = (unsigned)result;
}

// The product of two 63-bit residues does not fit 64 bits: double and add.
__device__ unsigned long long multiply_mod(unsigned long long a, unsigned long long b, unsigned long long m) {
    unsigned long long sum = 0;
    for (; b; b >>= 1) {
        if (b & 1) {
            sum += a;
            if (sum >= m) sum -= m;
        }
        a += a;
        if (a >= m) a -= m;
    }
    return sum;
}

__global__ void multiply_mod64(const unsigned long long *a, const unsigned long long *b, unsigned long long modulus,
                               unsigned long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = multiply_mod(a[i] % modulus, b[i] % modulus, modulus);
}

// Montgomery form for an odd modulus: the reduction multiplies by the inverse of -m modulo 2^32.
__global__ void montgomery(const unsigned *a, const unsigned *b, unsigned m, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned inverse = m;
    for (int k = 0; k < 4; k++) inverse *= 2 - m * inverse;
    unsigned long long t = (unsigned long long)a[i] * b[i];
    unsigned q = (unsigned)t * (0u - inverse);
    unsigned long long carry = (unsigned)t != 0;
    unsigned long long u = (t >> 32) + __umulhi(q, m) + carry;
    out[i] = (unsigned)(u >= m ? u - m : u);
}

__global__ void square_root(const unsigned *in, unsigned short *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned rest = in[i], root = 0;
    for (unsigned bit = 1u << 30; bit; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    out[i] = (unsigned short)root;
}

__global__ void cube_root(const unsigned long long *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned low = 0, high = 2642245;  // the cube of the next number does not fit
    while (low < high) {
        unsigned long long middle = (low + high + 1) / 2;
        if (middle * middle * middle <= in[i])
            low = (unsigned)middle;
        else
            high = (unsigned)middle - 1;
    }
    out[i] = low;
}

__global__ void newton_root64(const unsigned long long *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long x = in[i];
    if (x == 0) {
        out[i] = 0;
        return;
    }
    unsigned long long guess = 1ull << ((65 - __clzll(x)) / 2);
    while (true) {
        unsigned long long next = (guess + x / guess) / 2;
        if (next >= guess) break;
        guess = next;
    }
    out[i] = (unsigned)guess;
}

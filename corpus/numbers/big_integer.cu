// Big integers of 32-bit limbs, least significant first: sum with carry look-ahead, difference, product, comparison,
// factorials, and division by a small number.
// One block; thread i owns limb i. Carries travel by a scan over (generate, propagate) pairs in shared memory.
__global__ void big_add(const unsigned *a, const unsigned *b, unsigned *sum, int limbs, unsigned *carry_out) {
    __shared__ unsigned char generate[64], propagate[64];
    int i = threadIdx.x;
    unsigned s = 0;
    if (i < limbs) {
        s = a[i] + b[i];
        generate[i] = s < a[i];
        propagate[i] = s == 0xffffffffu;
    }
    __syncthreads();
    for (int distance = 1; distance < limbs; distance *= 2) {
        unsigned char g = 0, p = 0;
        if (i < limbs) {
            g = generate[i];
            p = propagate[i];
            if (i >= distance) {
                g |= p & generate[i - distance];
                p &= propagate[i - distance];
            }
        }
        __syncthreads();
        if (i < limbs) {
            generate[i] = g;
            propagate[i] = p;
        }
        __syncthreads();
    }
    if (i < limbs) sum[i] = s + (i > 0 ? generate[i - 1] : 0);
    if (i == limbs - 1) *carry_out = generate[i];
}

// One thread a pair of numbers, borrow carried along in 64-bit arithmetic.
__global__ void big_subtract(const unsigned *a, const unsigned *b, unsigned *difference, int limbs, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned borrow = 0;
    for (int k = i * limbs; k < (i + 1) * limbs; k++) {
        unsigned long long d = (unsigned long long)a[k] - b[k] - borrow;
        difference[k] = (unsigned)d;
        borrow = (unsigned)(d >> 63);
    }
}

__global__ void big_multiply(const unsigned *a, const unsigned *b, unsigned *product, int limbs, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned *x = a + i * limbs, *y = b + i * limbs;
    unsigned *p = product + 2 * i * limbs;
    for (int k = 0; k < 2 * limbs; k++) p[k] = 0;
    for (int j = 0; j < limbs; j++) {
        unsigned long long carry = 0;
        for (int k = 0; k < limbs; k++) {
            carry += (unsigned long long)x[j] * y[k] + p[j + k];
            p[j + k] = (unsigned)carry;
            carry >>= 32;
        }
        p[j + limbs] = (unsigned)carry;
    }
}

__global__ void big_compare(const unsigned *a, const unsigned *b, signed char *order, int limbs, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    signed char result = 0;
    for (int k = limbs - 1; k >= 0; k--) {
        unsigned x = a[i * limbs + k], y = b[i * limbs + k];
        if (x != y) {
            result = x < y ? -1 : 1;
            break;
        }
    }
    order[i] = result;
}

// The decimal digits of n!, least significant first, four digits a limb.
__global__ void factorial_digits(int n, unsigned short *limbs, int capacity, int *used) {
    if (threadIdx.x || blockIdx.x) return;
    int length = 1;
    limbs[0] = 1;
    for (int factor = 2; factor <= n; factor++) {
        unsigned carry = 0;
        for (int k = 0; k < length; k++) {
            carry += (unsigned)limbs[k] * factor;
            limbs[k] = (unsigned short)(carry % 10000);
            carry /= 10000;
        }
        while (carry && length < capacity) {
            limbs[length++] = (unsigned short)(carry % 10000);
            carry /= 10000;
        }
    }
    *used = length;
}

__global__ void big_divide_small(unsigned *numbers, const unsigned *divisors, unsigned *remainders, int limbs, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long rest = 0;
    for (int k = limbs - 1; k >= 0; k--) {
        rest = rest << 32 | numbers[i * limbs + k];
        numbers[i * limbs + k] = (unsigned)(rest / divisors[i]);
        rest %= divisors[i];
    }
    remainders[i] = (unsigned)rest;
}

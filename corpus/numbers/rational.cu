// Fractions with 64-bit intermediates: sums in lowest terms, comparison, and continued fractions.
struct Fraction {
    int numerator;
    int denominator;
};

__device__ long long gcd64(long long a, long long b) {
    a = a < 0 ? -a : a;
    while (b) {
        long long r = a % b;
        a = b;
        b = r;
    }
    return a;
}

__global__ void add_fractions(const Fraction *a, const Fraction *b, Fraction *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long top = (long long)a[i].numerator * b[i].denominator + (long long)b[i].numerator * a[i].denominator;
    long long bottom = (long long)a[i].denominator * b[i].denominator;
    long long g = gcd64(top, bottom);
    sum[i].numerator = (int)(top / g);
    sum[i].denominator = (int)(bottom / g);
}

// Indices of the smallest and the largest fraction, ties to the lower index; one thread walks the list.
__global__ void extreme_fractions(const Fraction *f, int n, int *extremes) {
    if (threadIdx.x != 0 || n == 0) return;
    int low = 0, high = 0;
    for (int i = 1; i < n; i++) {
        if ((long long)f[i].numerator * f[low].denominator < (long long)f[low].numerator * f[i].denominator) low = i;
        if ((long long)f[i].numerator * f[high].denominator > (long long)f[high].numerator * f[i].denominator) high = i;
    }
    extremes[0] = low;
    extremes[1] = high;
}

__global__ void continued_fraction(const Fraction *in, int *terms, int capacity, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = in[i].numerator, b = in[i].denominator, used = 0;
    while (b != 0 && used < capacity) {
        int q = a / b, r = a % b;
        if (r < 0) {
            q--;
            r += b;
        }
        terms[i * capacity + used++] = q;
        a = b;
        b = r;
    }
    count[i] = used;
}

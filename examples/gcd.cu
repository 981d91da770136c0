// Greatest common divisor of positive numbers, by subtraction: a divergent branch in a divergent loop.
extern "C" __global__ void gcd(const unsigned *a, const unsigned *b, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = a[i], y = b[i];
    while (x != y) {
        if (x > y) {
            x -= y;
        } else {
            y -= x;
        }
    }
    out[i] = x;
}

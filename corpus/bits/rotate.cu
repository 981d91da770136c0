// Rotations and shifts of several words: templates over the type, funnel shifts, and a 128-bit shift by any distance.
template <typename T>
__device__ T rotate_left(T x, unsigned by) {
    const unsigned bits = sizeof(T) * 8;
    by %= bits;
    return by ? (T)((x << by) | (x >> (bits - by))) : x;
}

__global__ void rotate_all(unsigned char *a, unsigned short *b, unsigned *c, unsigned long long *d, unsigned by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    a[i] = rotate_left(a[i], by);
    b[i] = rotate_left(b[i], by);
    c[i] = rotate_left(c[i], by);
    d[i] = rotate_left(d[i], by);
}

__global__ void funnel_shifts(const unsigned *low, const unsigned *high, const unsigned *by, unsigned *left,
                              unsigned *right, unsigned *clamped, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    left[i] = __funnelshift_l(low[i], high[i], by[i]);
    right[i] = __funnelshift_r(low[i], high[i], by[i]);
    clamped[i] = __funnelshift_lc(low[i], high[i], by[i]);
}

__global__ void shift128(ulonglong2 *values, const int *by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ulonglong2 v = values[i];
    int distance = by[i];
    if (distance >= 64) {
        v.y = distance < 128 ? v.x << (distance - 64) : 0;
        v.x = 0;
    } else if (distance > 0) {
        v.y = v.y << distance | v.x >> (64 - distance);
        v.x <<= distance;
    }
    values[i] = v;
}

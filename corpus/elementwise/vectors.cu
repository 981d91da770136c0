// Vector loads and structures.
__global__ void add_int4(const int4 *a, const int4 *b, int4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int4 x = a[i], y = b[i];
    out[i] = make_int4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

__global__ void complex_product(const int2 *a, const int2 *b, int2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int2 x = a[i], y = b[i];
    out[i] = make_int2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}

__global__ void cross_product(const int3 *a, const int3 *b, int3 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int3 u = a[i], v = b[i];
    out[i] = make_int3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x);
}

struct Particle {
    int x, y;
    short vx, vy;
};

// Particles move and bounce off the walls of a square box.
__global__ void move_particles(Particle *particles, int size, int steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle p = particles[i];
    for (int s = 0; s < steps; s++) {
        p.x += p.vx;
        p.y += p.vy;
        if (p.x < 0 || p.x >= size) {
            p.vx = -p.vx;
            p.x += 2 * p.vx;
        }
        if (p.y < 0 || p.y >= size) {
            p.vy = -p.vy;
            p.y += 2 * p.vy;
        }
    }
    particles[i] = p;
}

__global__ void widen_bytes(const char4 *in, int4 *out, int scale, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    char4 c = in[i];
    out[i] = make_int4(c.x * scale, c.y * scale, c.z * scale, c.w * scale);
}

// Two elements a thread through one 64-bit access.
__global__ void swap_pairs(longlong2 *pairs, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    longlong2 pair = pairs[i];
    pairs[i] = make_longlong2(pair.y, pair.x);
}

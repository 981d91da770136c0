// Middle-square Weyl sequence and Threefry-2x32: squares of 64 bits, and rotations picked by the round.
__global__ void middle_square(const unsigned long long *keys, unsigned *out, int draws, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long x = 0, w = 0, s = keys[i] | 1;
    unsigned last = 0;
    for (int k = 0; k < draws; k++) {
        x *= x;
        w += s;
        x += w;
        x = (x >> 32) | (x << 32);
        last = (unsigned)x;
    }
    out[i] = last;
}

__constant__ unsigned char rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};

__global__ void threefry2x32(uint2 key, uint2 *counters, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned schedule[3] = {key.x, key.y, 0x1bd11bdau ^ key.x ^ key.y};
    unsigned x = counters[i].x + schedule[0], y = counters[i].y + schedule[1];
#pragma unroll 1
    for (unsigned round = 0; round < 20; round++) {
        unsigned r = rotations[round % 8];
        x += y;
        y = ((y << r) | (y >> (32 - r))) ^ x;
        if (round % 4 == 3) {
            unsigned group = round / 4 + 1;
            x += schedule[group % 3];
            y += schedule[(group + 1) % 3] + group;
        }
    }
    counters[i] = make_uint2(x, y);
}

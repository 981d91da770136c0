// The Tiny Encryption Algorithm and its successor XTEA on blocks of 64 bits, in place, in both directions.
#define DELTA 0x9e3779b9u

__global__ void tea_encrypt(uint2 *blocks, uint4 key, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    uint2 v = blocks[i];
    unsigned sum = 0;
    for (int round = 0; round < 32; round++) {
        sum += DELTA;
        v.x += ((v.y << 4) + key.x) ^ (v.y + sum) ^ ((v.y >> 5) + key.y);
        v.y += ((v.x << 4) + key.z) ^ (v.x + sum) ^ ((v.x >> 5) + key.w);
    }
    blocks[i] = v;
}

__global__ void xtea(unsigned *data, const unsigned *key, int rounds, bool decrypt, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned v0 = data[2 * i], v1 = data[2 * i + 1];
    if (!decrypt) {
        unsigned sum = 0;
        for (int round = 0; round < rounds; round++) {
            v0 += (((v1 << 4) ^ (v1 >> 5)) + v1) ^ (sum + key[sum & 3]);
            sum += DELTA;
            v1 += (((v0 << 4) ^ (v0 >> 5)) + v0) ^ (sum + key[(sum >> 11) & 3]);
        }
    } else {
        unsigned sum = DELTA * rounds;
        for (int round = 0; round < rounds; round++) {
            v1 -= (((v0 << 4) ^ (v0 >> 5)) + v0) ^ (sum + key[(sum >> 11) & 3]);
            sum -= DELTA;
            v0 -= (((v1 << 4) ^ (v1 >> 5)) + v1) ^ (sum + key[sum & 3]);
        }
    }
    data[2 * i] = v0;
    data[2 * i + 1] = v1;
}

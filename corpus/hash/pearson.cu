// Pearson hashing: a permutation of the bytes in __constant__ memory; the wide form makes one byte of hash a thread.
__constant__ unsigned char permutation[256] = {
    55, 161, 105, 171, 133, 63, 196, 41, 181, 9, 103, 100, 93, 104, 151, 77,
    106, 67, 101, 238, 179, 141, 84, 53, 27, 108, 64, 25, 85, 248, 219, 162,
    70, 66, 58, 88, 243, 140, 239, 122, 131, 200, 197, 112, 218, 68, 107, 227,
    7, 31, 69, 213, 234, 38, 157, 130, 81, 10, 137, 44, 244, 129, 94, 111,
    132, 203, 18, 123, 20, 217, 86, 139, 169, 29, 32, 13, 168, 178, 138, 205,
    26, 99, 136, 146, 230, 121, 74, 8, 206, 190, 194, 192, 118, 221, 228, 214,
    57, 128, 83, 60, 134, 37, 22, 89, 202, 163, 222, 14, 254, 90, 226, 165,
    19, 154, 43, 195, 50, 2, 225, 236, 208, 49, 193, 172, 109, 241, 235, 249,
    170, 233, 3, 82, 147, 220, 237, 119, 187, 15, 250, 240, 166, 247, 30, 59,
    35, 212, 232, 209, 184, 24, 28, 252, 98, 245, 149, 110, 231, 92, 52, 242,
    75, 189, 145, 125, 224, 158, 54, 102, 246, 142, 176, 115, 61, 253, 16, 79,
    46, 199, 117, 229, 204, 48, 113, 182, 124, 65, 78, 45, 34, 186, 91, 148,
    210, 198, 42, 40, 95, 39, 175, 211, 5, 1, 183, 126, 71, 62, 216, 76,
    97, 185, 152, 144, 188, 56, 114, 160, 201, 156, 4, 251, 164, 80, 150, 12,
    177, 155, 223, 72, 73, 96, 173, 127, 47, 116, 167, 17, 191, 143, 120, 153,
    174, 51, 159, 0, 180, 23, 135, 36, 215, 255, 11, 33, 207, 21, 87, 6,
};

__global__ void pearson8(const unsigned char *text, const int *offsets, unsigned char *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned char hash = 0;
    for (int k = offsets[i]; k < offsets[i + 1]; k++) hash = permutation[hash ^ text[k]];
    out[i] = hash;
}

// Block i hashes string i; thread j starts from the first byte plus j.
__global__ void pearson_wide(const unsigned char *text, const int *offsets, unsigned char *out) {
    int begin = offsets[blockIdx.x], end = offsets[blockIdx.x + 1];
    unsigned char hash = permutation[(text[begin] + threadIdx.x) % 256];
    for (int k = begin + 1; k < end; k++) hash = permutation[hash ^ text[k]];
    out[blockIdx.x * blockDim.x + threadIdx.x] = hash;
}

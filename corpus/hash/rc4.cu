// RC4: each thread schedules its own key in a 256-byte local array, then encrypts its message.
extern "C" __global__ void rc4(const unsigned char *keys, int key_length, const unsigned char *plain,
                               unsigned char *cipher, int length, int count) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count) return;
    unsigned char s[256];
    for (int i = 0; i < 256; i++) s[i] = (unsigned char)i;
    unsigned char j = 0;
    for (int i = 0; i < 256; i++) {
        j += s[i] + keys[t * key_length + i % key_length];
        unsigned char swap = s[i];
        s[i] = s[j];
        s[j] = swap;
    }
    unsigned char a = 0, b = 0;
    for (int k = 0; k < length; k++) {
        a++;
        b += s[a];
        unsigned char swap = s[a];
        s[a] = s[b];
        s[b] = swap;
        cipher[t * length + k] = plain[t * length + k] ^ s[(unsigned char)(s[a] + s[b])];
    }
}

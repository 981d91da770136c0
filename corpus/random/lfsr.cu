// Linear feedback shift registers of 16 bits in the Galois and Fibonacci forms, and the period of an 8-bit one.
extern "C" __global__ void lfsr16(const unsigned short *seeds, unsigned short *galois, unsigned short *fibonacci,
                                  int steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned short g = seeds[i], f = seeds[i];
    for (int s = 0; s < steps; s++) {
        bool out = g & 1;
        g >>= 1;
        if (out) g ^= 0xb400u;
        unsigned short bit = (f ^ (f >> 2) ^ (f >> 3) ^ (f >> 5)) & 1u;
        f = (unsigned short)((f >> 1) | (bit << 15));
    }
    galois[i] = g;
    fibonacci[i] = f;
}

extern "C" __global__ void lfsr8_period(const unsigned char *taps, int *periods, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char state = 1;
    int period = 0;
    do {
        state = (unsigned char)((state >> 1) ^ (-(state & 1) & taps[i]));
        period++;
    } while (state != 1 && state != 0 && period < 256);
    periods[i] = state == 1 ? period : -1;
}

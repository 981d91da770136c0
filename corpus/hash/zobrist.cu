// Zobrist hash of noughts-and-crosses boards: the exclusive or of a random 64-bit key for each occupied square.
extern "C" __global__ void zobrist(const char *boards, const unsigned long long *keys, unsigned long long *out,
                                   bool black_to_move, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned long long hash = black_to_move ? keys[18] : 0;
    for (int square = 0; square < 9; square++) {
        char piece = boards[i * 9 + square];
        if (piece == 'x')
            hash ^= keys[square];
        else if (piece == 'o')
            hash ^= keys[9 + square];
    }
    out[i] = hash;
}

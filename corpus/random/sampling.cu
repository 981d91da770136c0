// Uses of random numbers: shuffling, dice histograms, reservoir sampling, and pi by throwing darts with integers.
__device__ unsigned draw(unsigned &state) {
    state = state * 747796405u + 2891336453u;
    unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return (word >> 22) ^ word;
}

// Each thread shuffles its own deck (Fisher-Yates).
__global__ void shuffle_decks(unsigned seed, unsigned char *decks, int cards, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = seed ^ (i * 0x9e3779b9u);
    unsigned char *deck = decks + i * cards;
    for (int k = 0; k < cards; k++) deck[k] = (unsigned char)k;
    for (int k = cards - 1; k > 0; k--) {
        int other = draw(state) % (k + 1);
        unsigned char held = deck[k];
        deck[k] = deck[other];
        deck[other] = held;
    }
}

__global__ void dice_histogram(unsigned seed, int rolls, unsigned *histogram) {
    __shared__ unsigned counts[11];
    if (threadIdx.x < 11) counts[threadIdx.x] = 0;
    __syncthreads();
    unsigned state = seed + blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < rolls; k++) {
        unsigned first = draw(state) % 6, second = draw(state) % 6;
        atomicAdd(&counts[first + second], 1);
    }
    __syncthreads();
    if (threadIdx.x < 11) atomicAdd(&histogram[threadIdx.x], counts[threadIdx.x]);
}

__global__ void reservoir(const int *stream, int length, unsigned seed, int *chosen, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = seed + i;
    int *mine = chosen + i * size;
    for (int k = 0; k < length; k++) {
        if (k < size) {
            mine[k] = stream[k];
        } else {
            int slot = (int)(draw(state) % (unsigned)(k + 1));
            if (slot < size) mine[slot] = stream[k];
        }
    }
}

__global__ void darts(unsigned seed, int throws, int *inside) {
    unsigned state = seed ^ (blockIdx.x * blockDim.x + threadIdx.x);
    int hits = 0;
    for (int k = 0; k < throws; k++) {
        unsigned word = draw(state);
        int x = (int)(word & 0xffff) - 32768, y = (int)(word >> 16) - 32768;
        if ((unsigned)(x * x) + (unsigned)(y * y) <= 32767u * 32767u) hits++;
    }
    if (hits) atomicAdd(inside, hits);
}

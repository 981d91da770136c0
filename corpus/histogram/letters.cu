// What a text is made of: letters whatever their case, kinds of characters, pairs of letters, and anagrams.
__device__ int letter_of(char c) {
    unsigned letter = (c | 0x20) - 'a';
    return letter < 26 ? letter : -1;
}

__global__ void letter_frequencies(const char *text, int n, int *frequency) {
    __shared__ int counts[26];
    if (threadIdx.x < 26) counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int letter = letter_of(text[i]);
        if (letter >= 0) atomicAdd(&counts[letter], 1);
    }
    __syncthreads();
    if (threadIdx.x < 26) atomicAdd(&frequency[threadIdx.x], counts[threadIdx.x]);
}

// Vowels, other letters, digits, blanks, others.
__global__ void kinds_of_characters(const char *text, int n, int *kinds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int kind = 4;
    switch (text[i]) {
        case 'a': case 'e': case 'i': case 'o': case 'u':
        case 'A': case 'E': case 'I': case 'O': case 'U': kind = 0; break;
        case '0' ... '9': kind = 2; break;
        case ' ': case '\t': case '\n': kind = 3; break;
        default:
            if (letter_of(text[i]) >= 0) kind = 1;
    }
    atomicAdd(&kinds[kind], 1);
}

// How often each letter of a small alphabet follows each other one.
__global__ void bigrams(const char *text, int n, int letters, unsigned short *table) {
    extern __shared__ unsigned pairs[];
    for (int p = threadIdx.x; p < letters * letters; p += blockDim.x) pairs[p] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i + 1 < n; i += blockDim.x) {
        int a = letter_of(text[i]), b = letter_of(text[i + 1]);
        if (a >= 0 && b >= 0 && a < letters && b < letters) atomicAdd(&pairs[a * letters + b], 1);
    }
    __syncthreads();
    for (int p = threadIdx.x; p < letters * letters; p += blockDim.x) table[p] = pairs[p];
}

// A block a pair of words: letters of the first count up, of the second down, and all must end at zero.
__global__ void anagrams(const char *text, const int4 *pairs, bool *result) {
    __shared__ int balance[26];
    int t = threadIdx.x;
    int4 p = pairs[blockIdx.x];  // start and end of the first word, start and end of the second one
    for (int k = t; k < 26; k += blockDim.x) balance[k] = 0;
    __syncthreads();
    for (int i = p.x + t; i < p.y; i += blockDim.x)
        if (letter_of(text[i]) >= 0) atomicAdd(&balance[letter_of(text[i])], 1);
    for (int i = p.z + t; i < p.w; i += blockDim.x)
        if (letter_of(text[i]) >= 0) atomicSub(&balance[letter_of(text[i])], 1);
    __syncthreads();
    bool odd = false;
    for (int k = t; k < 26; k += blockDim.x) odd |= balance[k] != 0;
    int differs = __syncthreads_or(odd);
    if (t == 0) result[blockIdx.x] = !differs;
}

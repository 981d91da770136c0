// Words of a text: counting them, their longest, reversing their order, and how often each letter occurs.
__device__ bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t'; }

__global__ void count_words(const char *text, int n, int *words, int *lines) {
    __shared__ int block_words, block_lines;
    if (threadIdx.x == 0) block_words = block_lines = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (!is_space(text[i]) && (i == 0 || is_space(text[i - 1]))) atomicAdd(&block_words, 1);
        if (text[i] == '\n') atomicAdd(&block_lines, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(words, block_words);
        atomicAdd(lines, block_lines);
    }
}

__global__ void longest_word(const char *text, int n, int *longest) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || is_space(text[i]) || (i > 0 && !is_space(text[i - 1]))) return;
    int end = i;
    while (end < n && !is_space(text[end])) end++;
    atomicMax(longest, end - i);
}

__device__ void reverse_range(char *s, int first, int last) {
    while (first < last) {
        char held = s[first];
        s[first++] = s[last];
        s[last--] = held;
    }
}

// One sentence a thread: reverse it all, then every word.
__global__ void reverse_words(char *text, const int *offsets, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    char *s = text + offsets[i];
    int length = offsets[i + 1] - offsets[i];
    reverse_range(s, 0, length - 1);
    for (int k = 0; k < length;) {
        int end = k;
        while (end < length && s[end] != ' ') end++;
        reverse_range(s, k, end - 1);
        k = end + 1;
    }
}

__global__ void letter_frequency(const char *text, int n, unsigned *counts) {
    __shared__ unsigned local[26];
    for (int k = threadIdx.x; k < 26; k += blockDim.x) local[k] = 0;
    __syncthreads();
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned letter = (text[i] | 0x20) - 'a';
        if (letter < 26) atomicAdd(&local[letter], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 26; k += blockDim.x) {
        if (local[k]) atomicAdd(&counts[k], local[k]);
    }
}

__global__ void anagrams(const char *first, const char *second, int length, bool *yes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    signed char balance[26] = {0};
    for (int k = 0; k < length; k++) {
        balance[first[i * length + k] - 'a']++;
        balance[second[i * length + k] - 'a']--;
    }
    bool same = true;
    for (int k = 0; k < 26; k++) same = same && balance[k] == 0;
    yes[i] = same;
}

// Lowest position of a character that occurs once, by a mask of those seen once and one of those seen again.
__global__ void first_unique(const char *text, const int *offsets, int *position, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned once = 0, again = 0;
    for (int k = offsets[i]; k < offsets[i + 1]; k++) {
        unsigned bit = 1u << (text[k] - 'a');
        again |= once & bit;
        once |= bit;
    }
    int found = -1;
    for (int k = offsets[i]; k < offsets[i + 1]; k++) {
        if (!(again >> (text[k] - 'a') & 1)) {
            found = k - offsets[i];
            break;
        }
    }
    position[i] = found;
}

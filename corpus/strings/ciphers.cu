// Classic ciphers on text: Caesar, Vigenere, Atbash, run-time substitution, and letter case.
__device__ char shift_letter(char c, int by) {
    if (c >= 'a' && c <= 'z') return (char)('a' + (c - 'a' + by + 26) % 26);
    if (c >= 'A' && c <= 'Z') return (char)('A' + (c - 'A' + by + 26) % 26);
    return c;
}

__global__ void caesar(char *text, int n, int by) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        text[i] = shift_letter(text[i], by);
}

__global__ void vigenere(const char *in, char *out, int n, const char *key, int key_length, bool decrypt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int by = key[i % key_length] - 'a';
    out[i] = shift_letter(in[i], decrypt ? -by : by);
}

__global__ void swap_case(char *text, int n, int *letters) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (letter) {
            text[i] = c ^ 0x20;
            atomicAdd(&count, 1);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && count) atomicAdd(letters, count);
}

__global__ void atbash(const unsigned char *in, unsigned char *out, int n) {
    __shared__ unsigned char alphabet[26];
    if (threadIdx.x < 26) alphabet[threadIdx.x] = (unsigned char)('z' - threadIdx.x);
    for (int k = threadIdx.x + blockDim.x; k < 26; k += blockDim.x) alphabet[k] = (unsigned char)('z' - k);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] >= 'a' && in[i] <= 'z' ? alphabet[in[i] - 'a'] : in[i];
}

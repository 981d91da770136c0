// Palindromes: of whole strings, of sentences without regard to case and punctuation, and the longest inside a text.
__global__ void is_palindrome(const char *text, const int *offsets, bool *yes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int left = offsets[i], right = offsets[i + 1] - 1;
    while (left < right && text[left] == text[right]) {
        left++;
        right--;
    }
    yes[i] = left >= right;
}

__device__ char letter_or_zero(char c) {
    if (c >= 'A' && c <= 'Z') return (char)(c + ('a' - 'A'));
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '\0';
}

__global__ void sentence_palindrome(const char *text, const int *offsets, bool *yes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int left = offsets[i], right = offsets[i + 1] - 1;
    bool same = true;
    while (left < right) {
        char a = letter_or_zero(text[left]), b = letter_or_zero(text[right]);
        if (!a) {
            left++;
            continue;
        }
        if (!b) {
            right--;
            continue;
        }
        if (a != b) {
            same = false;
            break;
        }
        left++;
        right--;
    }
    yes[i] = same;
}

// Thread t grows a palindrome around centre t / 2; length in the high half, then the leftmost start wins.
__global__ void longest_palindrome(const char *text, int length, unsigned *best) {
    int centre = blockIdx.x * blockDim.x + threadIdx.x;
    if (centre >= 2 * length - 1) return;
    int left = centre / 2, right = left + centre % 2;
    while (left >= 0 && right < length && text[left] == text[right]) {
        left--;
        right++;
    }
    int size = right - left - 1;
    if (size > 0) atomicMax(best, (unsigned)size << 16 | (unsigned)(0xffff - (left + 1)));
}

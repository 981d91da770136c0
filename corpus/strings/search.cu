// Searching text: naive at every position, Knuth-Morris-Pratt a thread a text, and patterns with wildcards.
__global__ void find_all(const char *text, int text_length, const char *pattern, int length, bool *at) {
    int start = blockIdx.x * blockDim.x + threadIdx.x;
    if (start >= text_length) return;
    bool match = start + length <= text_length;
    for (int k = 0; match && k < length; k++) match = text[start + k] == pattern[k];
    at[start] = match;
}

// The failure table is computed once a block; texts end in a zero byte.
__global__ void kmp(const char *texts, int stride, const char *pattern, int length, int *first, int *count, int n) {
    __shared__ int failure[32];
    if (threadIdx.x == 0) {
        failure[0] = 0;
        for (int k = 1, matched = 0; k < length; k++) {
            while (matched > 0 && pattern[k] != pattern[matched]) matched = failure[matched - 1];
            if (pattern[k] == pattern[matched]) matched++;
            failure[k] = matched;
        }
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const char *text = texts + i * stride;
    int where = -1, found = 0, matched = 0;
    for (int k = 0; text[k] != '\0'; k++) {
        while (matched > 0 && text[k] != pattern[matched]) matched = failure[matched - 1];
        if (text[k] == pattern[matched]) matched++;
        if (matched == length) {
            if (where < 0) where = k - length + 1;
            found++;
            matched = failure[matched - 1];
        }
    }
    first[i] = where;
    count[i] = found;
}

// '?' is any character, '*' any number of them; on a mismatch the last star takes one character more.
__device__ bool glob_match(const char *pattern, const char *text) {
    const char *star = nullptr, *resume = nullptr;
    while (*text) {
        if (*pattern == '?' || (*pattern == *text && *pattern != '*')) {
            pattern++;
            text++;
        } else if (*pattern == '*') {
            star = ++pattern;
            resume = text;
        } else if (star) {
            pattern = star;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return *pattern == '\0';
}

__global__ void glob(const char *pattern, const char *texts, int stride, bool *matches, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) matches[i] = glob_match(pattern, texts + i * stride);
}

// Numbers as text: atoi with error codes, itoa in any base, Roman numerals both ways.
enum ParseError { PARSE_OK = 0, PARSE_EMPTY = 1, PARSE_INVALID = 2, PARSE_RANGE = 3 };

__device__ ParseError parse_int(const char *s, int *value) {
    while (*s == ' ') s++;
    bool negative = false;
    if (*s == '-' || *s == '+') negative = *s++ == '-';
    if (*s == '\0') return PARSE_EMPTY;
    unsigned magnitude = 0;
    const unsigned limit = negative ? 0x80000000u : 0x7fffffffu;
    for (; *s; s++) {
        if (*s < '0' || *s > '9') return PARSE_INVALID;
        unsigned digit = *s - '0';
        if (magnitude > (limit - digit) / 10) return PARSE_RANGE;
        magnitude = magnitude * 10 + digit;
    }
    *value = (int)(negative ? 0 - magnitude : magnitude);
    return PARSE_OK;
}

__global__ void atoi_kernel(const char *texts, int stride, int *values, unsigned char *errors, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int value = 0;
    errors[i] = parse_int(texts + i * stride, &value);
    values[i] = value;
}

// Each number gets 33 characters: sign, at most 32 digits, the rest zero bytes.
__global__ void itoa_kernel(const int *values, int base, char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    char digits[32];
    int length = 0;
    unsigned rest = values[i] < 0 ? 0u - (unsigned)values[i] : (unsigned)values[i];
    do {
        unsigned digit = rest % base;
        digits[length++] = (char)(digit < 10 ? '0' + digit : 'a' + digit - 10);
        rest /= base;
    } while (rest);
    char *to = out + 33 * i;
    int at = 0;
    if (values[i] < 0) to[at++] = '-';
    while (length > 0) to[at++] = digits[--length];
    for (; at < 33; at++) to[at] = '\0';
}

__constant__ short roman_values[13] = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1};
__constant__ char roman_letters[13][2] = {{'M', 0}, {'C', 'M'}, {'D', 0}, {'C', 'D'}, {'C', 0}, {'X', 'C'}, {'L', 0},
                                          {'X', 'L'}, {'X', 0}, {'I', 'X'}, {'V', 0}, {'I', 'V'}, {'I', 0}};

__global__ void to_roman(const short *numbers, char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int rest = numbers[i], at = 16 * i;
    for (int k = 0; k < 13; k++) {
        while (rest >= roman_values[k]) {
            rest -= roman_values[k];
            out[at++] = roman_letters[k][0];
            if (roman_letters[k][1]) out[at++] = roman_letters[k][1];
        }
    }
    while (at < 16 * (i + 1)) out[at++] = '\0';
}

__device__ int roman_digit(char c) {
    switch (c) {
        case 'I': return 1;
        case 'V': return 5;
        case 'X': return 10;
        case 'L': return 50;
        case 'C': return 100;
        case 'D': return 500;
        case 'M': return 1000;
        default: return 0;
    }
}

__global__ void from_roman(const char *texts, short *numbers, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const char *s = texts + 16 * i;
    int sum = 0;
    for (int k = 0; k < 16 && s[k]; k++) {
        int here = roman_digit(s[k]), next = k < 15 ? roman_digit(s[k + 1]) : 0;
        sum += here < next ? -here : here;
    }
    numbers[i] = (short)sum;
}

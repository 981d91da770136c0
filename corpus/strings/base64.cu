// Base64 in both directions, one group of three bytes or four characters a thread, and hexadecimal dumps.
__constant__ char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void base64_encode(const unsigned char *data, int n, char *out) {
    int group = blockIdx.x * blockDim.x + threadIdx.x;
    int at = 3 * group;
    if (at >= n) return;
    unsigned bits = data[at] << 16;
    if (at + 1 < n) bits |= data[at + 1] << 8;
    if (at + 2 < n) bits |= data[at + 2];
    out[4 * group] = alphabet[bits >> 18];
    out[4 * group + 1] = alphabet[bits >> 12 & 63];
    out[4 * group + 2] = at + 1 < n ? alphabet[bits >> 6 & 63] : '=';
    out[4 * group + 3] = at + 2 < n ? alphabet[bits & 63] : '=';
}

__device__ int base64_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    if (c == '/') return 63;
    return -1;
}

// error: 1 if any character is neither in the alphabet nor padding.
__global__ void base64_decode(const char *text, int groups, unsigned char *out, int *length, int *error) {
    int group = blockIdx.x * blockDim.x + threadIdx.x;
    if (group >= groups) return;
    unsigned bits = 0;
    int bytes = 3;
    for (int k = 0; k < 4; k++) {
        char c = text[4 * group + k];
        int value = 0;
        if (c == '=') {
            bytes--;
        } else {
            value = base64_value(c);
            if (value < 0) {
                atomicExch(error, 1);
                return;
            }
        }
        bits = bits << 6 | (unsigned)value;
    }
    for (int k = 0; k < bytes; k++) out[3 * group + k] = (unsigned char)(bits >> (16 - 8 * k));
    atomicAdd(length, bytes);
}

__global__ void hex_dump(const unsigned char *data, int n, char2 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int high = data[i] >> 4, low = data[i] & 15;
    out[i] = make_char2((char)(high < 10 ? '0' + high : 'a' + high - 10), (char)(low < 10 ? '0' + low : 'a' + low - 10));
}

__global__ void hex_parse(const char *text, unsigned *values, bool *valid, int digits, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned value = 0;
    bool ok = true;
    for (int k = 0; k < digits; k++) {
        char c = text[i * digits + k];
        unsigned digit = 0;
        switch (c) {
            case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
                digit = c - '0';
                break;
            case 'a': case 'b': case 'c': case 'd': case 'e': case 'f':
                digit = c - 'a' + 10;
                break;
            case 'A': case 'B': case 'C': case 'D': case 'E': case 'F':
                digit = c - 'A' + 10;
                break;
            default:
                ok = false;
        }
        if (!ok) break;
        value = value << 4 | digit;
    }
    values[i] = ok ? value : 0;
    valid[i] = ok;
}

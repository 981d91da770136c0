// Scanning text with state: balanced brackets by a stack, a UTF-8 validator, and a tokenizer that classifies lexemes.
__global__ void balanced(const char *text, const int *offsets, bool *ok, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    char stack[16];
    int depth = 0;
    bool good = true;
    for (int k = offsets[i]; good && k < offsets[i + 1]; k++) {
        char c = text[k];
        switch (c) {
            case '(':
            case '[':
            case '{':
                if (depth == 16)
                    good = false;
                else
                    stack[depth++] = c;
                break;
            case ')':
                good = depth > 0 && stack[--depth] == '(';
                break;
            case ']':
                good = depth > 0 && stack[--depth] == '[';
                break;
            case '}':
                good = depth > 0 && stack[--depth] == '{';
                break;
            default:
                break;
        }
    }
    ok[i] = good && depth == 0;
}

// Code points of a valid text, or -1; overlong forms and surrogates are invalid.
__global__ void utf8_length(const unsigned char *text, const int *offsets, int *lengths, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int count = 0, more = 0;
    unsigned point = 0, least = 0;
    for (int k = offsets[i]; k < offsets[i + 1]; k++) {
        unsigned byte = text[k];
        if (more == 0) {
            count++;
            if (byte < 0x80) continue;
            if (byte >> 5 == 6) {
                more = 1;
                point = byte & 0x1f;
                least = 0x80;
            } else if (byte >> 4 == 14) {
                more = 2;
                point = byte & 0x0f;
                least = 0x800;
            } else if (byte >> 3 == 30) {
                more = 3;
                point = byte & 7;
                least = 0x10000;
            } else {
                count = -1;
                break;
            }
        } else {
            if (byte >> 6 != 2) {
                count = -1;
                break;
            }
            point = point << 6 | (byte & 0x3f);
            if (--more == 0 && (point < least || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))) {
                count = -1;
                break;
            }
        }
    }
    lengths[i] = more && count >= 0 ? -1 : count;
}

enum State { START, NAME, NUMBER, OPERATOR };

// Counts of names, numbers and operators of an expression a thread.
__global__ void tokenize(const char *text, const int *offsets, int3 *counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int names = 0, numbers = 0, operators = 0;
    State state = START;
    for (int k = offsets[i]; k < offsets[i + 1]; k++) {
        char c = text[k];
        bool letter = (c >= 'a' && c <= 'z') || c == '_', digit = c >= '0' && c <= '9';
        State next;
        if (letter || (digit && state == NAME))
            next = NAME;
        else if (digit)
            next = NUMBER;
        else if (c == ' ')
            next = START;
        else
            next = OPERATOR;
        if (next == NAME && state != NAME) names++;
        if (next == NUMBER && state != NUMBER) numbers++;
        if (next == OPERATOR) operators++;
        state = next;
    }
    counts[i] = make_int3(names, numbers, operators);
}

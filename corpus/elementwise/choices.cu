// Elements that take different ways.
__global__ void fizz_buzz(int first, char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = first + i;
    if (x % 15 == 0) out[i] = 'B';
    else if (x % 5 == 0) out[i] = 'b';
    else if (x % 3 == 0) out[i] = 'f';
    else out[i] = '.';
}

__global__ void median_of_three(const int *a, const int *b, const int *c, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = max(min(a[i], b[i]), min(max(a[i], b[i]), c[i]));
}

__global__ void days_of_month(const int *year, const unsigned char *month, unsigned char *days, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    switch (month[i]) {
        case 2: {
            bool leap = (year[i] % 4 == 0 && year[i] % 100 != 0) || year[i] % 400 == 0;
            days[i] = leap ? 29 : 28;
            break;
        }
        case 4:
        case 6:
        case 9:
        case 11: days[i] = 30; break;
        default: days[i] = 31;
    }
}

__global__ void calculator(const int *a, const int *b, const char *op, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i], y = b[i], result;
    switch (op[i]) {
        case '+': result = x + y; break;
        case '-': result = x - y; break;
        case '*': result = x * y; break;
        case '/': result = y ? x / y : -1; break;
        case '&': result = x & y; break;
        case '|': result = x | y; break;
        case '^': result = x ^ y; break;
        default: result = 0;
    }
    out[i] = result;
}

// Income tax in brackets, in cents.
__global__ void income_tax(const unsigned *income, unsigned *tax, const unsigned *limits, const unsigned *percent,
                           int brackets, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned due = 0, below = 0;
    for (int k = 0; k < brackets; k++) {
        if (income[i] <= below) break;
        due += (min(income[i], limits[k]) - below) / 100 * percent[k];
        below = limits[k];
    }
    tax[i] = due;
}

// Decimal digits: their sum, digital root, reversal, Armstrong and happy numbers, and the Kaprekar routine.
__global__ void digit_facts(const unsigned *numbers, int *sum, int *root, unsigned *reversed, bool *armstrong, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = numbers[i], back = 0;
    int total = 0, length = 0;
    for (unsigned rest = x; rest; rest /= 10) {
        total += rest % 10;
        back = back * 10 + rest % 10;
        length++;
    }
    unsigned powers = 0;
    for (unsigned rest = x; rest; rest /= 10) {
        unsigned power = 1;
        for (int k = 0; k < length; k++) power *= rest % 10;
        powers += power;
    }
    sum[i] = total;
    root[i] = x ? 1 + (x - 1) % 9 : 0;
    reversed[i] = back;
    armstrong[i] = powers == x;
}

__global__ void happy(int first, bool *is_happy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = first + i;
    // Every sequence ends in 1 or passes 4.
    while (x != 1 && x != 4) {
        int squares = 0;
        while (x > 0) {
            int digit = x % 10;
            squares += digit * digit;
            x /= 10;
        }
        x = squares;
    }
    is_happy[i] = x == 1;
}

// Steps to 6174 for numbers of four digits that are not all the same; -1 for those.
__global__ void kaprekar(const short *numbers, signed char *steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = numbers[i];
    signed char count = 0;
    while (x != 6174) {
        int histogram[10] = {0};
        for (int k = 0; k < 4; k++, x /= 10) histogram[x % 10]++;
        int ascending = 0, descending = 0;
        for (int d = 0; d < 10; d++) {
            for (int k = 0; k < histogram[d]; k++) ascending = ascending * 10 + d;
            for (int k = 0; k < histogram[9 - d]; k++) descending = descending * 10 + 9 - d;
        }
        if (ascending == descending) {
            count = -1;
            break;
        }
        x = descending - ascending;
        count++;
    }
    steps[i] = count;
}

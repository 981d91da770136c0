// Distances of strings: edit distance a pair a thread and as a wavefront of a block, and common subsequences.
__global__ void edit_distance(const char *a, const char *b, int length, unsigned char *distance, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const char *s = a + i * length, *t = b + i * length;
    unsigned char row[17];
    for (int k = 0; k <= length; k++) row[k] = (unsigned char)k;
    for (int r = 1; r <= length; r++) {
        unsigned char diagonal = row[0];
        row[0] = (unsigned char)r;
        for (int k = 1; k <= length; k++) {
            int best = min(min(row[k] + 1, row[k - 1] + 1), diagonal + (s[r - 1] != t[k - 1]));
            diagonal = row[k];
            row[k] = (unsigned char)best;
        }
    }
    distance[i] = row[length];
}

// Thread t owns row t + 1 of the table; step d of the wavefront computes its column d - t.
__global__ void edit_wavefront(const char *a, int rows, const char *b, int columns, int *distance) {
    extern __shared__ int diagonals[];
    int *previous = diagonals, *before = diagonals + blockDim.x + 1, *current = diagonals + 2 * (blockDim.x + 1);
    int t = threadIdx.x, row = t + 1;
    for (int d = 2; d <= rows + columns; d++) {
        // Entry r of a diagonal's array is cell (r, d - r).
        int column = d - row;
        if (row <= rows && column >= 1 && column <= columns) {
            int up = row == 1 ? column : previous[row - 1];
            int left = column == 1 ? row : previous[row];
            int corner = row == 1 ? column - 1 : column == 1 ? row - 1 : before[row - 1];
            int cost = corner + (a[row - 1] != b[column - 1]);
            cost = min(cost, min(up, left) + 1);
            current[row] = cost;
            if (row == rows && column == columns) *distance = cost;
        }
        __syncthreads();
        int *oldest = before;
        before = previous;
        previous = current;
        current = oldest;
    }
}

// Longest common subsequence of 64-letter strings at most, bits of a word as a row of the table.
__global__ void lcs_bits(const char *a, const char *b, int length_a, int length_b, int *lcs, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long row = ~0ull;
    for (int k = 0; k < length_b; k++) {
        unsigned long long matches = 0;
        for (int j = 0; j < length_a; j++) {
            if (a[i * length_a + j] == b[i * length_b + k]) matches |= 1ull << j;
        }
        unsigned long long meet = row & matches;
        row = (row + meet) | (row - meet);
    }
    unsigned long long used = length_a == 64 ? ~0ull : (1ull << length_a) - 1;
    lcs[i] = __popcll(~row & used);
}

__global__ void common_prefix(const char *strings, int stride, int n, int *length) {
    // Column k of all strings agrees if no thread sees a difference.
    int k = threadIdx.x;
    __shared__ int shortest;
    if (k == 0) shortest = stride;
    __syncthreads();
    if (k < stride) {
        for (int i = 0; i < n; i++) {
            char c = strings[i * stride + k];
            if (c == '\0' || c != strings[k]) {
                atomicMin(&shortest, k);
                break;
            }
        }
    }
    __syncthreads();
    if (k == 0) *length = shortest;
}

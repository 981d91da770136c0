// Rolling hash: a thread hashes the first window of its chunk, then slides it one byte at a time.
extern "C" __global__ void rolling_hash(const unsigned char *data, int n, int window, int chunk, unsigned *hashes) {
    const unsigned base = 31;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    int windows = n - window + 1;
    if (first >= windows) return;
    unsigned top = 1, hash = 0;
    for (int k = 0; k < window; k++) {
        hash = hash * base + data[first + k];
        if (k) top *= base;
    }
    hashes[first] = hash;
    int last = min(first + chunk, windows);
    for (int s = first + 1; s < last; s++) {
        hash = (hash - data[s - 1] * top) * base + data[s + window - 1];
        hashes[s] = hash;
    }
}

// Steps of the Collatz iteration until 1; threads leave the loop at different times.
extern "C" __global__ void collatz(const unsigned *x, int *steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned value = x[i];
    int count = 0;
    while (value > 1) {
        value = value % 2 ? 3 * value + 1 : value / 2;
        count++;
    }
    steps[i] = count;
}

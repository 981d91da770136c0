// Recurrences in parallel: steps are functions, functions compose, and composition is associative.

// x[i] = a[i] x[i-1] + b[i] modulo 2^32.
__global__ void linear_recurrence(const uint2 *steps, int n, unsigned start, unsigned *x) {
    extern __shared__ uint2 functions[];
    int t = threadIdx.x;
    uint2 own = t < n ? steps[t] : make_uint2(1, 0);
    functions[t] = own;
    __syncthreads();
    for (int distance = 1; distance < n; distance *= 2) {
        if (t >= distance) {
            uint2 first = functions[t - distance];
            own = make_uint2(own.x * first.x, own.x * first.y + own.y);
        }
        __syncthreads();
        functions[t] = own;
        __syncthreads();
    }
    if (t < n) x[t] = own.x * start + own.y;
}

// The states of an automaton of four states on a text: a step is a map of states, packed in a byte.
__device__ unsigned then(unsigned first, unsigned second) {
    unsigned both = 0;
    for (int state = 0; state < 8; state += 2) both |= (second >> 2 * (first >> state & 3) & 3) << state;
    return both;
}

__global__ void automaton(const unsigned char *text, int n, const unsigned char *maps, unsigned char *states) {
    __shared__ unsigned char composed[64];
    int t = threadIdx.x;
    unsigned own = t < n ? maps[text[t]] : 0xe4;  // 0xe4 maps every state to itself
    composed[t] = own;
    __syncthreads();
#pragma unroll 1
    for (int distance = 1; distance < n; distance *= 2) {
        if (t >= distance) own = then(composed[t - distance], own);
        __syncthreads();
        composed[t] = own;
        __syncthreads();
    }
    if (t < n) states[t] = own & 3;  // the automaton starts in state 0
}

// Carries of a long addition by lookahead: a limb makes a carry, passes it on, or stops it.
__global__ void carry_lookahead(const unsigned *a, const unsigned *b, int limbs, unsigned *sum, int *carry) {
    __shared__ unsigned char makes[64], passes[64];
    int t = threadIdx.x;
    unsigned own = t < limbs ? a[t] + b[t] : 0;
    bool make = t < limbs && own < a[t], pass = own == ~0u;
    makes[t] = make;
    passes[t] = pass;
    __syncthreads();
    for (int distance = 1; distance < limbs; distance *= 2) {
        if (t >= distance) {
            make |= pass && makes[t - distance];
            pass = pass && passes[t - distance];
        }
        __syncthreads();
        makes[t] = make;
        passes[t] = pass;
        __syncthreads();
    }
    if (t < limbs) sum[t] = own + (t > 0 && makes[t - 1]);
    if (t == limbs - 1) *carry = make;
}

// Rounds in which the vertices of highest priority among their open neighbours act at once: colouring (Jones and
// Plassmann) and a maximal independent set (Luby). Priorities differ.

__global__ void colour(const int *offsets, const int *neighbours, const int *priority, int n, int *colours) {
    int v = threadIdx.x, mine = -1;
    if (v < n) colours[v] = -1;
    __syncthreads();
    bool more = true;
    while (more) {
        bool ready = v < n && mine < 0;
        unsigned taken = 0;
        if (ready) {
            for (int e = offsets[v]; e < offsets[v + 1]; e++) {
                int w = neighbours[e], c = colours[w];
                if (c >= 0)
                    taken |= 1u << c;
                else if (priority[w] > priority[v])
                    ready = false;
            }
        }
        __syncthreads();
        if (ready) colours[v] = mine = __ffs(~taken) - 1;
        more = __syncthreads_or(v < n && mine < 0);
    }
}

enum State { OPEN, IN, OUT };

__global__ void independent_set(const int *offsets, const int *neighbours, const int *priority, int n, int *member) {
    extern __shared__ State state[];
    int v = threadIdx.x;
    if (v < n) state[v] = OPEN;
    __syncthreads();
    do {
        State next = v < n ? state[v] : OUT;
        if (next == OPEN) {
            next = IN;
            for (int e = offsets[v]; e < offsets[v + 1]; e++) {
                int w = neighbours[e];
                if (state[w] == IN) {
                    next = OUT;
                    break;
                }
                if (state[w] == OPEN && priority[w] > priority[v]) next = OPEN;
            }
        }
        __syncthreads();
        if (v < n) state[v] = next;
    } while (__syncthreads_or(v < n && state[v] == OPEN));
    if (v < n) member[v] = state[v] == IN;
}

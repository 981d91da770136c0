// Bipartite graphs held as bit sets, a thread a graph: two colours by breadth-first search, and maximum matching.

// side: bits of the vertices of the second colour, where every component's first vertex has the first; or all ones.
__global__ void two_colours(const unsigned short *rows, int size, unsigned *side, int graphs) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= graphs) return;
    rows += g * size;
    unsigned colour[2] = {0, 0};
    bool odd_cycle = false;
    for (int start = 0; start < size; start++) {
        if ((colour[0] | colour[1]) >> start & 1) continue;
        unsigned layer = 1u << start;
        for (int c = 0; layer; c ^= 1) {
            colour[c] |= layer;
            unsigned next = 0;
            for (unsigned rest = layer; rest; rest &= rest - 1) next |= rows[__ffs(rest) - 1];
            if (next & colour[c]) odd_cycle = true;
            layer = next & ~colour[0] & ~colour[1];
        }
    }
    side[g] = odd_cycle ? 0xffffffffu : colour[1];
}

#define LEFT 6
#define RIGHT 8

// Augmenting paths: from each worker a search over tasks, which remembers through whom a task was reached.
__global__ void maximum_matching(const unsigned char *can_do, unsigned char *size, int graphs) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= graphs) return;
    can_do += g * LEFT;
    signed char worker_of[RIGHT], task_of[LEFT], reached_by[RIGHT];
    for (int t = 0; t < RIGHT; t++) worker_of[t] = -1;
    for (int w = 0; w < LEFT; w++) task_of[w] = -1;
    int matched = 0;
    for (int start = 0; start < LEFT; start++) {
        unsigned seen = 0, workers = 1u << start;
        int free_task = -1;
        while (workers && free_task < 0) {
            int w = __ffs(workers) - 1;
            workers &= workers - 1;
            for (unsigned tasks = can_do[w] & ~seen; tasks; tasks &= tasks - 1) {
                int t = __ffs(tasks) - 1;
                seen |= 1u << t;
                reached_by[t] = w;
                if (worker_of[t] < 0) {
                    free_task = t;
                    break;
                }
                workers |= 1u << worker_of[t];
            }
        }
        matched += free_task >= 0;
        while (free_task >= 0) {
            int w = reached_by[free_task], before = task_of[w];
            worker_of[free_task] = w;
            task_of[w] = free_task;
            free_task = before;
        }
    }
    size[g] = matched;
}

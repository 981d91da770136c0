/* Qwen3.5 decoder layers on sparse weights, one token at a time, with bf16 rounding where stock transformers rounds.
 *
 * Generic over weights. Two facts, checked for every token, are used to leave out work whose result is exactly 0:
 *   - a SwiGLU neuron whose gate is 0 or below -89 contributes exactly 0 (exp overflows, SiLU gives -0), and the same
 *     holds for rows of keys and queries;
 *   - if every channel lies in 0..high of its layer (an array that comes with the weights), a row can only be above
 *     that when at least one of its "watch" channels is not 0. Watch sets are worked out here, from the weights.
 * When a channel is out of its range, all rows of that sublayer are evaluated. Rows come in blocks, bounded from above
 * by one row of largest weights, so that an address decoder costs little more than the row it selects.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TAPS 4
#define GROUP 256 /* vocabulary rows bounded together */
#define BLOCK 16
#define TUNE 256  /* tokens after which the choice of watch channels is first revised */

typedef struct Rows {
    int rows;
    const int32_t *ptr, *idx; /* CSR */
    const float *val;
    struct Rows *blocks; /* upper bounds of BLOCK rows each, or NULL; then the watch sets are those of the blocks */
    float limit;         /* of a block: not above it means that all its rows give exactly 0 */
    int32_t *watch_ptr, *watch; /* channel -> rows that watch it */
    int32_t *always;            /* rows that no set of channels switches off */
    int n_always;
    int32_t *stamp;
} Rows;

typedef struct {
    Rows qkv, qk, z, b, a, gate, up; /* qk: the rows of qkv that are queries and keys */
    const int32_t *out_ptr, *out_idx; /* CSC: by value dimension */
    const float *out_val;
    const int32_t *down_ptr, *down_idx; /* CSC: by neuron */
    const float *down_val;
    const float *conv, *dt_bias, *a_rate, *head_norm, *norm1, *norm2, *high1, *high2;
    float *rank1, *rank2; /* how often a channel is not 0, or at least 2 where it always is */
    int32_t *seen1, *seen2;
    float *state;   /* heads x key x value */
    float *history; /* (TAPS - 1) x qkv rows, newest last */
    int32_t *delayed;
    int n_delayed;
    uint8_t *head_decays;
} Layer;

typedef struct {
    int hidden, layers, vocabulary, heads, width, bf16;
    float eps;
    Layer *layer;
    Rows embed;
    const float *final_norm;
    float *group_max, *group_min; /* groups x hidden */
    float *x, *n, *work, *acc;
    int32_t *active, *listed, n_active, *candidates;
    int64_t *rows_evaluated, tokens, tune_at; /* rows evaluated, by sublayer */
} Engine;

static inline float round_bf16(float v) {
    uint32_t u;
    memcpy(&u, &v, 4);
    u += 0x7fff + ((u >> 16) & 1);
    u &= 0xffff0000u;
    memcpy(&v, &u, 4);
    return v;
}

#define ROUND(e, v) ((e)->bf16 ? round_bf16(v) : (v))

static inline float sigmoid(float v) { return 1.0f / (1.0f + expf(-v)); }

static inline float silu(float v) {
    if (v > 32.0f) return v; /* sigmoid is 1 in float32 */
    if (v < -89.0f) return -0.0f;
    return v * sigmoid(v);
}

static inline float dot(const Rows *m, int row, const float *n) {
    float sum = 0;
    for (int k = m->ptr[row]; k < m->ptr[row + 1]; k++) sum += m->val[k] * n[m->idx[k]];
    return sum;
}

/* --- watch sets ------------------------------------------------------------------------------------------------- */


typedef struct {
    float gain, rank;
    int channel;
} Term;

static int by_rank(const void *x, const void *y) {
    const Term *a = x, *b = y;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return a->gain > b->gain ? -1 : a->gain < b->gain;
}

static void build_watch(Rows *m, int hidden, const float *high, const float *rank) {
    if (m->blocks) m = m->blocks;
    int n = m->rows, total = 0;
    int32_t *count = calloc(hidden + 1, 4);
    int32_t *pairs = malloc(8 * (size_t)(m->ptr[n] + 1));
    Term *terms = malloc(sizeof(Term) * (hidden + 1));
    free(m->always), free(m->stamp), free(m->watch_ptr), free(m->watch);
    m->always = malloc(4 * (size_t)(n + 1));
    m->stamp = calloc(n + 1, 4);
    m->n_always = 0;
    for (int r = 0; r < n; r++) {
        int len = 0, lattice = 1;
        float most = 0;
        if (m->ptr[r] == m->ptr[r + 1]) continue;
        for (int k = m->ptr[r]; k < m->ptr[r + 1]; k++) {
            int c = m->idx[k];
            float gain = m->val[k] * high[c];
            /* is the row always a multiple of 128, given that channels are multiples of their unit? */
            float step = m->val[k] * high[hidden] / 128.0f;
            if (step != floorf(step)) lattice = 0;
            if (m->val[k] > 0 && high[c] > 0) {
                most += gain;
                terms[len++] = (Term){gain, rank[c], c};
            }
        }
        /* constants: channels whose lowest value equals their highest are marked by rank 2 and stay in the bound */
        for (int k = m->ptr[r]; k < m->ptr[r + 1]; k++)
            if (m->val[k] < 0 && rank[m->idx[k]] >= 2) most += m->val[k] * high[m->idx[k]];
        float limit = lattice ? 0.0f : -89.0f;
        if (most <= limit) continue;
        qsort(terms, len, sizeof(Term), by_rank);
        int used = 0;
        while (used < len && most > limit && terms[used].rank < 2) most -= terms[used++].gain;
        if (most > limit) {
            m->always[m->n_always++] = r;
            continue;
        }
        for (int i = 0; i < used; i++) {
            pairs[2 * total] = terms[i].channel;
            pairs[2 * total++ + 1] = r;
            count[terms[i].channel + 1]++;
        }
    }
    for (int c = 0; c < hidden; c++) count[c + 1] += count[c];
    m->watch_ptr = malloc(4 * (size_t)(hidden + 1));
    memcpy(m->watch_ptr, count, 4 * (size_t)(hidden + 1));
    m->watch = malloc(4 * (size_t)(total + 1));
    for (int i = 0; i < total; i++) m->watch[count[pairs[2 * i]]++] = pairs[2 * i + 1];
    free(count);
    free(pairs);
    free(terms);
}

/* Bound every BLOCK rows by a row of their largest weights. */
static void build_blocks(Rows *m, int hidden) {
    int n = (m->rows + BLOCK - 1) / BLOCK, total = 0;
    Rows *b = m->blocks = calloc(1, sizeof(Rows));
    int32_t *ptr = malloc(4 * (size_t)(n + 1)), *idx = malloc(4 * (size_t)(m->ptr[m->rows] + 1));
    float *val = malloc(4 * (size_t)(m->ptr[m->rows] + 1)), *most = calloc(hidden, 4);
    int32_t *count = calloc(hidden, 4), *used = malloc(4 * (size_t)hidden);
    for (int i = 0; i < n; i++) {
        int channels = 0, rows = 0;
        ptr[i] = total;
        for (int r = i * BLOCK; r < m->rows && r < (i + 1) * BLOCK; r++) {
            if (m->ptr[r] == m->ptr[r + 1]) continue; /* a row of zeros gives 0 */
            rows++;
            for (int k = m->ptr[r]; k < m->ptr[r + 1]; k++) {
                int c = m->idx[k];
                if (!count[c]++) used[channels++] = c, most[c] = m->val[k];
                else if (m->val[k] > most[c]) most[c] = m->val[k];
            }
        }
        for (int j = 0; j < channels; j++) {
            int c = used[j];
            float v = count[c] < rows && most[c] < 0 ? 0 : most[c];
            if (v != 0) idx[total] = c, val[total++] = v;
            count[c] = 0;
        }
    }
    ptr[n] = total;
    b->rows = n, b->ptr = ptr, b->idx = idx, b->val = val;
    free(most), free(count), free(used);
}

/* Rows that can be above 0; returns how many, in e->candidates. */
static int candidates(Engine *e, Rows *m, int in_range, int64_t *evaluated) {
    int32_t *list = e->candidates;
    if (!in_range) {
        *evaluated += m->rows;
        for (int r = 0; r < m->rows; r++) list[r] = r;
        return m->rows;
    }
    if (m->blocks) {
        int n = candidates(e, m->blocks, 1, evaluated), rows = 0;
        int32_t *blocks = list + m->rows; /* the blocks found move out of the way of their rows */
        memmove(blocks, list, 4 * (size_t)n);
        for (int i = 0; i < n; i++) {
            int first = blocks[i] * BLOCK;
            if (dot(m->blocks, blocks[i], e->n) <= m->limit) continue;
            for (int r = first; r < first + BLOCK && r < m->rows; r++) list[rows++] = r;
        }
        *evaluated += rows;
        return rows;
    }
    int32_t mark = ++m->stamp[m->rows];
    memcpy(list, m->always, 4 * (size_t)m->n_always);
    int n = m->n_always;
    for (int i = 0; i < e->n_active; i++) {
        int c = e->active[i];
        for (int k = m->watch_ptr[c]; k < m->watch_ptr[c + 1]; k++) {
            int r = m->watch[k];
            if (m->stamp[r] == mark) continue;
            m->stamp[r] = mark;
            list[n++] = r;
        }
    }
    *evaluated += n;
    return n;
}

/* --- the residual stream ---------------------------------------------------------------------------------------- */

static inline void touch(Engine *e, int c) {
    if (!e->listed[c]) {
        e->listed[c] = 1;
        e->active[e->n_active++] = c;
    }
}

/* Normed values of the channels that are not 0 into e->n; returns whether all lie in 0..high. */
static int normalise(Engine *e, const float *weight, const float *high, int32_t *seen) {
    double square = 0;
    int kept = 0, in_range = 1;
    for (int i = 0; i < e->n_active; i++) {
        int c = e->active[i];
        if (e->x[c] == 0) {
            e->listed[c] = 0;
            continue;
        }
        e->active[kept++] = c;
        square += (double)e->x[c] * e->x[c];
    }
    e->n_active = kept;
    float scale = (float)(1.0 / sqrt(square / e->hidden + e->eps));
    for (int i = 0; i < kept; i++) {
        int c = e->active[i];
        float v = ROUND(e, e->x[c] * scale * (1.0f + weight[c]));
        e->n[c] = v;
        if (seen) seen[c]++;
        if (high && (v < 0 || v > high[c])) in_range = 0;
        if (high && v != high[c] && fmodf(v, high[e->hidden]) != 0) in_range = 0;
    }
    return in_range;
}

static void forget_normed(Engine *e) {
    for (int i = 0; i < e->n_active; i++) e->n[e->active[i]] = 0;
}

/* Add e->acc (channels in list) to the residual stream. */
static inline void accumulate(Engine *e, int32_t *list, int *count, const int32_t *ptr, const int32_t *idx,
                              const float *val, int column, float v) {
    for (int k = ptr[column]; k < ptr[column + 1]; k++) {
        int c = idx[k];
        if (e->acc[c] == 0) list[(*count)++] = c;
        e->acc[c] += val[k] * v;
    }
}

static void add_to_residual(Engine *e, const int32_t *list, int count) {
    for (int i = 0; i < count; i++) {
        int c = list[i];
        float v = e->acc[c];
        e->acc[c] = 0;
        if (v == 0) continue;
        e->x[c] = ROUND(e, e->x[c] + ROUND(e, v));
        touch(e, c);
    }
}

/* --- sublayers -------------------------------------------------------------------------------------------------- */

static void delta_net(Engine *e, Layer *l) {
    int heads = e->heads, w = e->width, all = heads * w;
    int in_range = normalise(e, l->norm1, l->high1, l->seen1);
    float *mixed = e->work;
    /* rows that use the short convolution's past keep it up to date */
    float now[16];
    int fresh = l->n_delayed <= 16 ? l->n_delayed : 0;
    for (int i = 0; i < fresh; i++) now[i] = ROUND(e, dot(&l->qkv, l->delayed[i], e->n));
    int n = candidates(e, &l->qk, in_range, e->rows_evaluated + 2 * (l - e->layer));
    int32_t *list = e->candidates;
    uint8_t reads[256] = {0}, writes[256] = {0};
    int used = 0;
    for (int i = 0; i < n; i++) {
        int r = list[i];
        float v = ROUND(e, dot(&l->qkv, r, e->n) * l->conv[r * TAPS + TAPS - 1]);
        v = ROUND(e, silu(v));
        if (v == 0) continue;
        mixed[r] = v;
        list[used++] = r;
        if (r < all) reads[r / w] = 1;
        else writes[(r - all) / w] = 1;
    }
    int32_t *channels = e->candidates + used + 1;
    int touched = 0;
    for (int h = 0; h < heads; h++) {
        float *state = l->state + (size_t)h * w * w;
        if (l->head_decays[h]) {
            float rate = ROUND(e, dot(&l->a, h, e->n)) + l->dt_bias[h];
            float soft = rate > 20 ? rate : log1pf(expf(rate));
            float decay = expf(-l->a_rate[h] * soft);
            if (decay != 1.0f)
                for (int i = 0; i < w * w; i++) state[i] *= decay;
        }
        if (writes[h]) {
            float value[256], norm = 0;
            for (int j = 0; j < w; j++) {
                int r = 2 * all + h * w + j;
                float v = 0;
                if (l->qkv.ptr[r] < l->qkv.ptr[r + 1]) {
                    const float *taps = l->conv + r * TAPS;
                    v = taps[TAPS - 1] ? ROUND(e, dot(&l->qkv, r, e->n)) * taps[TAPS - 1] : 0;
                    for (int t = 0; t < TAPS - 1; t++)
                        if (taps[t]) v += l->history[(size_t)t * 3 * all + r] * taps[t];
                    v = ROUND(e, silu(ROUND(e, v)));
                }
                value[j] = v;
            }
            float beta = ROUND(e, sigmoid(ROUND(e, dot(&l->b, h, e->n))));
            for (int i = 0; i < used; i++)
                if (list[i] >= all && (list[i] - all) / w == h) norm += mixed[list[i]] * mixed[list[i]];
            float inverse = 1.0f / sqrtf(norm + 1e-6f), held[256];
            memset(held, 0, sizeof(float) * w);
            for (int i = 0; i < used; i++) {
                int r = list[i] - all;
                if (r < 0 || r / w != h) continue;
                float k = mixed[list[i]] * inverse, *row = state + (size_t)(r % w) * w;
                for (int j = 0; j < w; j++) held[j] += k * row[j];
            }
            for (int i = 0; i < used; i++) {
                int r = list[i] - all;
                if (r < 0 || r / w != h) continue;
                float k = mixed[list[i]] * inverse, *row = state + (size_t)(r % w) * w;
                for (int j = 0; j < w; j++) row[j] += k * (value[j] - held[j]) * beta;
            }
        }
        if (!reads[h]) continue;
        float norm = 0, core[256], square = 0;
        for (int i = 0; i < used; i++)
            if (list[i] < all && list[i] / w == h) norm += mixed[list[i]] * mixed[list[i]];
        float inverse = 1.0f / sqrtf(norm + 1e-6f) / sqrtf((float)w);
        memset(core, 0, sizeof(float) * w);
        for (int i = 0; i < used; i++) {
            if (list[i] >= all || list[i] / w != h) continue;
            float q = mixed[list[i]] * inverse, *row = state + (size_t)(list[i] % w) * w;
            for (int j = 0; j < w; j++) core[j] += q * row[j];
        }
        for (int j = 0; j < w; j++) {
            core[j] = ROUND(e, core[j]);
            square += core[j] * core[j];
        }
        if (square == 0) continue;
        float scale = 1.0f / sqrtf(square / w + e->eps);
        for (int j = 0; j < w; j++) {
            if (core[j] == 0) continue;
            int r = h * w + j;
            float v = ROUND(e, l->head_norm[j] * ROUND(e, core[j] * scale));
            v = ROUND(e, v * silu(ROUND(e, dot(&l->z, r, e->n))));
            if (v != 0) accumulate(e, channels, &touched, l->out_ptr, l->out_idx, l->out_val, r, v);
        }
    }
    for (int i = 0; i < fresh; i++) {
        int r = l->delayed[i];
        for (int t = 0; t + 1 < TAPS - 1; t++)
            l->history[(size_t)t * 3 * all + r] = l->history[(size_t)(t + 1) * 3 * all + r];
        l->history[(size_t)(TAPS - 2) * 3 * all + r] = now[i];
    }
    forget_normed(e);
    add_to_residual(e, channels, touched);
}

static void mlp(Engine *e, Layer *l) {
    int in_range = normalise(e, l->norm2, l->high2, l->seen2);
    int n = candidates(e, &l->gate, in_range, e->rows_evaluated + 2 * (l - e->layer) + 1), touched = 0;
    int32_t *list = e->candidates, *channels = e->candidates + n + 1;
    for (int i = 0; i < n; i++) {
        int r = list[i];
        float g = ROUND(e, silu(ROUND(e, dot(&l->gate, r, e->n))));
        if (g == 0) continue;
        float v = ROUND(e, g * ROUND(e, dot(&l->up, r, e->n)));
        if (v != 0) accumulate(e, channels, &touched, l->down_ptr, l->down_idx, l->down_val, r, v);
    }
    forget_normed(e);
    add_to_residual(e, channels, touched);
}

static int32_t argmax_logit(Engine *e) {
    normalise(e, e->final_norm, NULL, NULL);
    int groups = (e->vocabulary + GROUP - 1) / GROUP, best = -1;
    float top = -INFINITY, bounds[1024];
    for (int g = 0; g < groups; g++) {
        float bound = 0;
        for (int i = 0; i < e->n_active; i++) {
            int c = e->active[i];
            float v = e->n[c];
            bound += v > 0 ? v * e->group_max[(size_t)g * e->hidden + c] : v * e->group_min[(size_t)g * e->hidden + c];
        }
        bounds[g] = bound;
    }
    for (;;) {
        int g = -1;
        for (int i = 0; i < groups; i++)
            if (bounds[i] > -INFINITY && (g < 0 || bounds[i] > bounds[g])) g = i;
        if (g < 0 || bounds[g] < top) break;
        bounds[g] = -INFINITY;
        int end = (g + 1) * GROUP < e->vocabulary ? (g + 1) * GROUP : e->vocabulary;
        for (int r = g * GROUP; r < end; r++) {
            float v = ROUND(e, dot(&e->embed, r, e->n));
            if (v > top || (v == top && r < best)) {
                top = v;
                best = r;
            }
        }
    }
    forget_normed(e);
    return best;
}

/* --- interface -------------------------------------------------------------------------------------------------- */

Engine *engine_new(int hidden, int layers, int vocabulary, int heads, int width, float eps, int bf16, int most_rows) {
    Engine *e = calloc(1, sizeof(Engine));
    e->hidden = hidden, e->layers = layers, e->vocabulary = vocabulary, e->heads = heads, e->width = width;
    e->eps = eps, e->bf16 = bf16, e->tune_at = TUNE;
    e->layer = calloc(layers, sizeof(Layer));
    e->rows_evaluated = calloc(2 * layers, sizeof(int64_t));
    e->x = calloc(hidden, 4);
    e->n = calloc(hidden, 4);
    e->acc = calloc(hidden, 4);
    e->work = calloc(most_rows, 4);
    e->active = calloc(hidden, 4);
    e->listed = calloc(hidden, 4);
    /* rows, then channels that are added to (each at most once a time its sum passes 0) */
    e->candidates = malloc(4 * ((size_t)most_rows * 2 + 64 * (size_t)hidden + 64));
    return e;
}

static void set_rows(Rows *m, int rows, const int32_t *ptr, const int32_t *idx, const float *val) {
    m->rows = rows, m->ptr = ptr, m->idx = idx, m->val = val;
}

void engine_matrix(Engine *e, int layer, int which, int rows, const int32_t *ptr, const int32_t *idx,
                   const float *val) {
    if (which == 8) {
        set_rows(&e->embed, rows, ptr, idx, val);
        return;
    }
    Layer *l = e->layer + layer;
    if (which == 6) l->out_ptr = ptr, l->out_idx = idx, l->out_val = val;
    else if (which == 7) l->down_ptr = ptr, l->down_idx = idx, l->down_val = val;
    else set_rows((Rows *[]){&l->qkv, &l->z, &l->b, &l->a, &l->gate, &l->up}[which], rows, ptr, idx, val);
}

void engine_vectors(Engine *e, int layer, const float *conv, const float *dt_bias, const float *a_rate,
                    const float *head_norm, const float *norm1, const float *norm2, const float *high1,
                    const float *high2, float *rank1, float *rank2, int32_t *delayed, int n_delayed,
                    uint8_t *head_decays) {
    Layer *l = e->layer + layer;
    l->conv = conv, l->dt_bias = dt_bias, l->a_rate = a_rate, l->head_norm = head_norm;
    l->norm1 = norm1, l->norm2 = norm2, l->high1 = high1, l->high2 = high2;
    l->delayed = delayed, l->n_delayed = n_delayed, l->head_decays = head_decays;
    size_t all = (size_t)e->heads * e->width;
    l->rank1 = rank1, l->rank2 = rank2;
    l->seen1 = calloc(e->hidden, 4), l->seen2 = calloc(e->hidden, 4);
    l->state = calloc(all * e->width, 4);
    l->history = calloc((TAPS - 1) * 3 * all, 4);
    l->qk = l->qkv;
    l->qk.rows = 2 * (int)all;
    l->qk.limit = -89.0f;
    build_blocks(&l->qk, e->hidden);
    build_watch(&l->qk, e->hidden, high1, rank1);
    build_watch(&l->gate, e->hidden, high2, rank2);
}

void engine_head(Engine *e, const float *final_norm, float *group_max, float *group_min) {
    e->final_norm = final_norm, e->group_max = group_max, e->group_min = group_min;
}

/* Choose watch channels anew, by how often channels were seen not to be 0. Results do not depend on the choice. */
static void tune(Engine *e) {
    for (int i = 0; i < e->layers; i++) {
        Layer *l = e->layer + i;
        for (int c = 0; c < e->hidden; c++) {
            if (l->rank1[c] < 2) l->rank1[c] = (float)l->seen1[c] / e->tokens;
            if (l->rank2[c] < 2) l->rank2[c] = (float)l->seen2[c] / e->tokens;
            l->seen1[c] /= 2, l->seen2[c] /= 2; /* what was seen of late counts for more */
        }
        build_watch(&l->qk, e->hidden, l->high1, l->rank1);
        build_watch(&l->gate, e->hidden, l->high2, l->rank2);
    }
}

/* Feed a token; the residual stream after every layer goes to trail (layers + 1 rows) when it is given. */
void engine_feed(Engine *e, int32_t token, float *trail) {
    for (int i = 0; i < e->n_active; i++) e->listed[e->active[i]] = 0, e->x[e->active[i]] = 0;
    e->n_active = 0;
    for (int k = e->embed.ptr[token]; k < e->embed.ptr[token + 1]; k++) {
        e->x[e->embed.idx[k]] = e->embed.val[k];
        touch(e, e->embed.idx[k]);
    }
    if (++e->tokens == e->tune_at) {
        tune(e);
        e->tune_at *= 4;
    }
    if (trail) memcpy(trail, e->x, 4 * (size_t)e->hidden);
    for (int i = 0; i < e->layers; i++) {
        delta_net(e, e->layer + i);
        mlp(e, e->layer + i);
        if (trail) memcpy(trail + (size_t)(i + 1) * e->hidden, e->x, 4 * (size_t)e->hidden);
    }
}

static int contains(const int32_t *tokens, int count, int32_t token) {
    for (int i = 0; i < count; i++)
        if (tokens[i] == token) return 1;
    return 0;
}

/* Feed a prompt, then write up to count tokens; stops after one of stop. Returns the number written. */
int engine_generate(
    Engine *e, const int32_t *prompt, int length, const int32_t *stop, int stops, int count, int32_t *out
) {
    for (int i = 0; i < length; i++) engine_feed(e, prompt[i], NULL);
    int n = 0;
    while (n < count) {
        out[n] = argmax_logit(e);
        engine_feed(e, out[n], NULL);
        if (contains(stop, stops, out[n++])) break;
    }
    return n;
}

float *engine_state(Engine *e, int layer, int head) {
    return e->layer[layer].state + (size_t)head * e->width * e->width;
}

void engine_free(Engine *e) {
    for (int i = 0; i < e->layers; i++) {
        Layer *l = e->layer + i;
        Rows *watched[] = {l->qk.blocks, &l->gate};
        for (int k = 0; k < 2; k++)
            free(watched[k]->always), free(watched[k]->stamp), free(watched[k]->watch_ptr), free(watched[k]->watch);
        free((void *)l->qk.blocks->ptr), free((void *)l->qk.blocks->idx), free((void *)l->qk.blocks->val);
        free(l->qk.blocks);
        free(l->state), free(l->history), free(l->seen1), free(l->seen2);
    }
    free(e->layer), free(e->x), free(e->n), free(e->acc), free(e->work), free(e->active), free(e->listed);
    free(e->candidates), free(e->rows_evaluated), free(e);
}

const int64_t *engine_rows_evaluated(Engine *e) { return e->rows_evaluated; }

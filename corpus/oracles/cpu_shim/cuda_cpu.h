// CUDA C++ as C++ for the CPU: included before a .cu file, so that an ordinary compiler makes a program of its kernels.
// Threads are fibers: one runs until it waits for others, so that a launch is deterministic.
#pragma once
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__ static  // blocks run one after another
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)

typedef unsigned char uchar;
typedef long long longlong;
typedef unsigned long long ulonglong;
#define VECTORS(N, T, ALIGN2, ALIGN4)                                               \
    struct N##1 { T x; };                                                           \
    struct __align__(ALIGN2) N##2 { T x, y; };                                      \
    struct N##3 { T x, y, z; };                                                     \
    struct __align__(ALIGN4) N##4 { T x, y, z, w; };                                \
    inline N##1 make_##N##1(T x) { return N##1{x}; }                                \
    inline N##2 make_##N##2(T x, T y) { return N##2{x, y}; }                        \
    inline N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; }                \
    inline N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }
VECTORS(char, signed char, 2, 4)
VECTORS(uchar, unsigned char, 2, 4)
VECTORS(short, short, 4, 8)
VECTORS(ushort, unsigned short, 4, 8)
VECTORS(int, int, 8, 16)
VECTORS(uint, unsigned, 8, 16)
VECTORS(long, long, 16, 16)
VECTORS(ulong, unsigned long, 16, 16)
VECTORS(longlong, long long, 16, 16)
VECTORS(ulonglong, unsigned long long, 16, 16)
#undef VECTORS

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

// --- fibers, and how they wait for one another ---------------------------------------------------------------------

namespace cuda_cpu {

constexpr int THREADS = 1024, WARP = 32;
constexpr size_t STACK = 64 * 1024;
typedef uint64_t Lanes[WARP];

// Lanes of a warp that meet in a warp-wide operation. Each brings a value; the last to come lets all go on.
struct Meeting {
    unsigned mask = 0, arrived = 0, left = 0;
    const void *place = nullptr;  // tells the meetings of __activemask apart
    bool open = false, done = false;
    Lanes values = {};
};

struct Warp {
    unsigned ended = 0;
    Meeting meetings[2 * WARP];
};

struct Thread {
    ucontext_t context;
    uint3 index;
    int number;
    bool ended, waits;   // waits: for all threads of the block
    bool spins;          // gives others a turn, without waiting for an event
    Meeting *meeting;    // waits for lanes of its warp
};

inline Thread threads[THREADS];
inline Warp warps[THREADS / WARP];
inline char *stacks;
inline ucontext_t scheduler;
inline Thread *current;
inline dim3 grid_dim, block_dim;
inline uint3 block_index;
inline int thread_count, alive, arrived, votes, votes_now;
inline bool moved;  // something happened in this round of the scheduler
alignas(16) inline unsigned char dynamic_shared[64 * 1024];

[[noreturn]] inline void fail(const char *message) {
    fflush(stdout);
    fprintf(stderr, "%s: block (%u, %u, %u), thread (%u, %u, %u)\n", message, block_index.x, block_index.y,
            block_index.z, current->index.x, current->index.y, current->index.z);
    _Exit(3);
}

inline void yield() { swapcontext(&current->context, &scheduler); }

// Number of threads of the block for which the predicate holds, once all that have not ended are here.
inline int barrier(int predicate) {
    arrived++;
    votes += predicate != 0;
    current->waits = true;
    while (current->waits) yield();
    return votes_now;
}

inline void release_barrier() {
    if (!arrived || arrived < alive) return;
    votes_now = votes, arrived = votes = 0, moved = true;
    for (int i = 0; i < thread_count; i++) threads[i].waits = false;
}

inline int lane() { return current->number % WARP; }
inline Warp &warp() { return warps[current->number / WARP]; }

inline void settle(Warp &w, Meeting &m) {
    if (m.open && !m.done && m.place == nullptr && ((m.arrived | w.ended) & m.mask) == m.mask) m.done = moved = true;
}

// Meets the lanes of the mask; `values` gets what each brought. Returns the lanes that came.
inline unsigned meet(unsigned mask, uint64_t value, Lanes &values, const void *place = nullptr) {
    Warp &w = warp();
    unsigned mine = 1u << lane();
    if (place == nullptr && !(mask & mine)) fail("the mask of a warp operation lacks the thread itself");
    Meeting *m = nullptr;
    for (Meeting &other : w.meetings) {
        if (other.open && !other.done && other.mask == mask && other.place == place && !(other.arrived & mine)) m = &other;
    }
    if (!m) {
        for (Meeting &other : w.meetings) {
            if (!other.open) m = &other;
        }
        if (!m) fail("too many warp operations at once");
        *m = Meeting();
        m->mask = mask, m->place = place, m->open = true;
    }
    m->arrived |= mine;
    m->values[lane()] = value;
    current->meeting = m;
    settle(w, *m);
    while (!m->done) yield();
    current->meeting = nullptr;
    memcpy(values, m->values, sizeof values);
    unsigned came = m->arrived;
    m->left |= mine;
    if (m->left == m->arrived) m->open = false;
    return came;
}

typedef void (*Body)();
inline Body body;

inline void fiber() {
    body();
    current->ended = true;
    alive--;
    moved = true;
    Warp &w = warp();
    w.ended |= 1u << lane();
    for (Meeting &m : w.meetings) settle(w, m);
    yield();
}

// Nothing can go on: the lanes that ask which lanes are active have waited for as many as can come.
inline bool settle_active() {
    bool any = false;
    for (int i = 0; i < thread_count; i++) {
        Meeting *m = threads[i].meeting;
        if (m && !m->done && m->place) m->done = any = true;
    }
    return any;
}

inline void run_block() {
    memset(static_cast<void *>(warps), 0, sizeof warps);
    memset(dynamic_shared, 0xA5, sizeof dynamic_shared);
    alive = thread_count, arrived = votes = 0;
    for (int i = 0; i < thread_count; i++) {
        Thread &t = threads[i];
        unsigned x = i % block_dim.x, rest = i / block_dim.x;
        t.index = uint3{x, rest % block_dim.y, rest / block_dim.y};
        t.number = i;
        t.ended = t.waits = t.spins = false;
        t.meeting = nullptr;
        getcontext(&t.context);
        t.context.uc_stack.ss_sp = stacks + i * STACK;
        t.context.uc_stack.ss_size = STACK;
        t.context.uc_link = nullptr;
        makecontext(&t.context, fiber, 0);
    }
    for (int i = thread_count; i % WARP; i++) warps[i / WARP].ended |= 1u << i % WARP;
    while (alive) {
        moved = false;
        for (int i = 0; i < thread_count; i++) {
            Thread &t = threads[i];
            if (t.ended || t.waits || (t.meeting && !t.meeting->done)) continue;
            t.spins = false;
            current = &t;
            moved = true;
            swapcontext(&scheduler, &t.context);
        }
        release_barrier();
        if (!moved && alive && !settle_active()) fail("a barrier is not reached by all threads");
    }
}

}  // namespace cuda_cpu

#define threadIdx (cuda_cpu::current->index)
#define blockIdx (cuda_cpu::block_index)
#define blockDim (cuda_cpu::block_dim)
#define gridDim (cuda_cpu::grid_dim)
enum { warpSize = cuda_cpu::WARP };

// --- barriers, fences, exchanges within a warp ---------------------------------------------------------------------

inline void __syncthreads() { cuda_cpu::barrier(0); }
inline int __syncthreads_count(int p) { return cuda_cpu::barrier(p); }
inline int __syncthreads_or(int p) { return cuda_cpu::barrier(p) > 0; }
inline int __syncthreads_and(int p) { return cuda_cpu::barrier(!p) == 0; }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) { cuda_cpu::yield(); }
inline void __trap() { cuda_cpu::fail("trap"); }

inline void __syncwarp(unsigned mask = 0xffffffffu) {
    cuda_cpu::Lanes values;
    cuda_cpu::meet(mask, 0, values);
}
__attribute__((noinline)) inline unsigned __activemask() {
    cuda_cpu::Lanes values;
    return cuda_cpu::meet(0, 0, values, __builtin_return_address(0));
}
inline unsigned __ballot_sync(unsigned mask, int p) {
    cuda_cpu::Lanes values;
    unsigned came = cuda_cpu::meet(mask, p != 0, values), result = 0;
    for (int i = 0; i < cuda_cpu::WARP; i++) {
        if (came >> i & 1 && values[i]) result |= 1u << i;
    }
    return result;
}
inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, !p) == 0; }
inline int __uni_sync(unsigned mask, int p) {
    cuda_cpu::Lanes values;
    unsigned came = cuda_cpu::meet(mask, p != 0, values);
    for (int i = 0; i < cuda_cpu::WARP; i++) {
        if (came >> i & 1 && values[i] != (uint64_t)(p != 0)) return 0;
    }
    return 1;
}

namespace cuda_cpu {
// A lane that reads from one that has not come gets its own value: CUDA leaves it undefined.
template <class T> T shuffle(unsigned mask, T value, int from, bool inside) {
    Lanes values;
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    unsigned came = meet(mask, bits, values);
    if (inside && came >> from & 1) memcpy(&value, &values[from], sizeof value);
    return value;
}
}  // namespace cuda_cpu
template <class T> T __shfl_sync(unsigned mask, T v, int from, int width = 32) {
    int first = cuda_cpu::lane() & ~(width - 1);
    return cuda_cpu::shuffle(mask, v, first + (from & (width - 1)), true);
}
template <class T> T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {
    int from = cuda_cpu::lane() - (int)delta;
    return cuda_cpu::shuffle(mask, v, from & 31, from >= (cuda_cpu::lane() & ~(width - 1)));
}
template <class T> T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {
    int from = cuda_cpu::lane() + (int)delta;
    return cuda_cpu::shuffle(mask, v, from & 31, from <= (cuda_cpu::lane() | (width - 1)));
}
template <class T> T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32) {
    int from = cuda_cpu::lane() ^ bits;
    return cuda_cpu::shuffle(mask, v, from & 31, from <= (cuda_cpu::lane() | (width - 1)));
}
template <class T> unsigned __match_any_sync(unsigned mask, T v) {
    cuda_cpu::Lanes values;
    unsigned came = cuda_cpu::meet(mask, (uint64_t)v, values), result = 0;
    for (int i = 0; i < cuda_cpu::WARP; i++) {
        if (came >> i & 1 && values[i] == (uint64_t)v) result |= 1u << i;
    }
    return result;
}
template <class T> unsigned __match_all_sync(unsigned mask, T v, int *predicate) {
    unsigned same = __match_any_sync(mask, v);
    cuda_cpu::Lanes values;
    *predicate = cuda_cpu::meet(mask, 0, values) == same;
    return *predicate ? same : 0;
}

// --- atomics: one fiber runs at a time ------------------------------------------------------------------------------

namespace cuda_cpu {
template <class T> struct Same { typedef T type; };
template <class T> T swap(T *p, T v) { T old = *p; *p = v; return old; }
}  // namespace cuda_cpu
#define VALUE typename cuda_cpu::Same<T>::type
#define ATOMIC(NAME, ...)                                                                            \
    template <class T> T atomic##NAME(T *p, VALUE v) { T old = *p; *p = __VA_ARGS__; return old; }   \
    template <class T> T atomic##NAME##_block(T *p, VALUE v) { return atomic##NAME(p, v); }          \
    template <class T> T atomic##NAME##_system(T *p, VALUE v) { return atomic##NAME(p, v); }
ATOMIC(Add, old + v)
ATOMIC(Sub, old - v)
ATOMIC(And, old & v)
ATOMIC(Or, old | v)
ATOMIC(Xor, old ^ v)
ATOMIC(Min, v < old ? v : old)
ATOMIC(Max, v > old ? v : old)
ATOMIC(Inc, old >= v ? 0 : old + 1)
ATOMIC(Dec, old == 0 || old > v ? v : old - 1)
#undef ATOMIC
template <class T> T atomicExch(T *p, VALUE v) {
    T old = cuda_cpu::swap(p, v);
    cuda_cpu::yield();  // it may be the lock that another thread waits for
    return old;
}
template <class T> T atomicCAS(T *p, VALUE expected, VALUE v) {
    T old = *p;
    if (old == expected) *p = v;
    else cuda_cpu::yield();
    return old;
}
#undef VALUE

// --- numbers --------------------------------------------------------------------------------------------------------

#define MINMAX(T, A, B)                                    \
    inline T min(A a, B b) { return (T)b < (T)a ? b : a; } \
    inline T max(A a, B b) { return (T)a < (T)b ? b : a; }
#define MINMAXES(S, U) MINMAX(S, S, S) MINMAX(U, U, U) MINMAX(U, U, S) MINMAX(U, S, U)
MINMAXES(int, unsigned)
MINMAXES(long, unsigned long)
MINMAXES(long long, unsigned long long)
#undef MINMAXES
#undef MINMAX
inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }

inline int __popcll(unsigned long long x) { int n = 0; for (; x; x &= x - 1) n++; return n; }
inline int __popc(unsigned x) { return __popcll(x); }
inline int __clzll(long long x) { int n = 0; while (n < 64 && !(x << n & LLONG_MIN)) n++; return n; }
inline int __clz(int x) { return __clzll((unsigned)x) - 32; }
inline int __ffsll(long long x) { for (int i = 0; i < 64; i++) if (x >> i & 1) return i + 1; return 0; }
inline int __ffs(int x) { return __ffsll((unsigned)x); }
inline unsigned long long __brevll(unsigned long long x) {
    unsigned long long r = 0;
    for (int i = 0; i < 64; i++) r |= (x >> i & 1) << (63 - i);
    return r;
}
inline unsigned __brev(unsigned x) { return (unsigned)(__brevll(x) >> 32); }
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline int __mul24(int a, int b) { return (int)((long long)(a << 8 >> 8) * (b << 8 >> 8)); }
inline unsigned __umul24(unsigned a, unsigned b) { return (unsigned)((unsigned long long)(a & 0xffffff) * (b & 0xffffff)); }
inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
inline unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
inline unsigned __sad(int a, int b, unsigned c) { return (unsigned)(a > b ? (long long)a - b : (long long)b - a) + c; }
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        result |= (unsigned)(bytes >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
    }
    return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n) {
    return (unsigned)(((unsigned long long)high << 32 | low) << (n & 31) >> 32);
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned n) {
    return n >= 32 ? low : __funnelshift_l(low, high, n);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (n & 31));
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned n) {
    return n >= 32 ? high : __funnelshift_r(low, high, n);
}

namespace cuda_cpu {
template <class P, class Q, class R> R dot(unsigned a, unsigned b, R c, int n, int step, int shift) {
    for (int i = 0; i < n; i++) c += (R)((P)(a >> step * i)) * (R)((Q)(b >> (shift + 8 * i)));
    return c;
}
}  // namespace cuda_cpu
inline int __dp4a(int a, int b, int c) { return cuda_cpu::dot<signed char, signed char, int>(a, b, c, 4, 8, 0); }
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    return cuda_cpu::dot<unsigned char, unsigned char, unsigned>(a, b, c, 4, 8, 0);
}
inline int __dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline int __dp2a_lo(int a, int b, int c) { return cuda_cpu::dot<short, signed char, int>(a, b, c, 2, 16, 0); }
inline int __dp2a_hi(int a, int b, int c) { return cuda_cpu::dot<short, signed char, int>(a, b, c, 2, 16, 16); }
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
    return cuda_cpu::dot<unsigned short, unsigned char, unsigned>(a, b, c, 2, 16, 0);
}
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
    return cuda_cpu::dot<unsigned short, unsigned char, unsigned>(a, b, c, 2, 16, 16);
}

#define LOAD(NAME) template <class T> T NAME(const T *p) { return *p; }
LOAD(__ldg) LOAD(__ldca) LOAD(__ldcg) LOAD(__ldcs) LOAD(__ldlu) LOAD(__ldcv)
#undef LOAD
#define STORE(NAME) template <class T> void NAME(T *p, T v) { *p = v; }
STORE(__stwb) STORE(__stcg) STORE(__stcs) STORE(__stwt)
#undef STORE

// --- the program: reads a launch, runs it, writes the arrays -------------------------------------------------------

namespace cuda_cpu {

inline FILE *launch_file;

inline uint64_t word() {
    uint64_t value;
    if (fread(&value, 8, 1, launch_file) != 1) {
        fprintf(stderr, "the launch file is too short\n");
        _Exit(4);
    }
    return value;
}

struct Array { void *data; size_t size; };
inline Array arrays[64];
inline int array_count;

template <class P> struct Read {
    static P scalar() {
        uint64_t words[2] = {word(), word()};
        static_assert(sizeof(P) <= sizeof words, "an argument of more than 16 bytes");
        P value;
        memcpy(&value, words, sizeof value);
        return value;
    }
};
template <class P> struct Read<P *> {
    static P *scalar() {
        size_t size = word();
        void *data = aligned_alloc(256, (size + 511) / 256 * 256);
        if (size && fread(data, 1, size, launch_file) != size) _Exit(4);
        arrays[array_count++] = Array{data, size};
        return (P *)data;
    }
};
template <class P> struct Plain { typedef P type; };
template <class P> struct Plain<const P> { typedef P type; };

template <class... P> struct Arguments;
template <> struct Arguments<> {
    template <class F> void call(F f) { f(); }
};
template <class P, class... Rest> struct Arguments<P, Rest...> {
    typename Plain<P>::type first = Read<typename Plain<P>::type>::scalar();
    Arguments<Rest...> rest;
    template <class F> void call(F f) {
        rest.call([&](auto... others) { f(first, others...); });
    }
};

template <class... P> void launch(void (*kernel)(P...)) {
    static void (*the_kernel)(P...);
    static Arguments<P...> *the_arguments;
    static Arguments<P...> values;
    the_kernel = kernel, the_arguments = &values;
    body = [] { the_arguments->call(the_kernel); };
    for (unsigned z = 0; z < grid_dim.z; z++)
        for (unsigned y = 0; y < grid_dim.y; y++)
            for (unsigned x = 0; x < grid_dim.x; x++) {
                block_index = uint3{x, y, z};
                run_block();
            }
}

// Launch file: grid, block, the arguments: an array as its bytes after their number, a scalar as 16 bytes.
template <class... P> int main(void (*kernel)(P...), char **argv) {
    launch_file = fopen(argv[1], "rb");
    FILE *out = fopen(argv[2], "wb");
    if (!launch_file || !out) return 4;
    stacks = (char *)malloc(STACK * THREADS);
    unsigned shape[6];
    for (unsigned &n : shape) n = (unsigned)word();
    grid_dim = dim3(shape[0], shape[1], shape[2]);
    block_dim = dim3(shape[3], shape[4], shape[5]);
    thread_count = (int)(block_dim.x * block_dim.y * block_dim.z);
    if (thread_count > THREADS) return 4;
    launch(kernel);
    for (int i = 0; i < array_count; i++) fwrite(arrays[i].data, 1, arrays[i].size, out);
    return fclose(out) ? 4 : 0;
}

}  // namespace cuda_cpu

// The part of CUDA C++ that this machine runs, for a clang without the CUDA toolkit.
// Force-included before the user's source, so that ordinary .cu files need no #include.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)
#define __grid_constant__

#define QWENGPU_FN static __device__ __forceinline__

// --- types ----------------------------------------------------------------------------------------------------------

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long long longlong;
typedef unsigned long long ulonglong;

// char1 .. ulonglong4 and make_char1 .. make_ulonglong4, aligned as CUDA does it.
#define QWENGPU_VECTORS(T, ALIGN2, ALIGN4)                                                                           \
    struct T##1 { T x; };                                                                                            \
    struct __align__(ALIGN2) T##2 { T x, y; };                                                                       \
    struct T##3 { T x, y, z; };                                                                                      \
    struct __align__(ALIGN4) T##4 { T x, y, z, w; };                                                                 \
    static __host__ __device__ __forceinline__ T##1 make_##T##1(T x) { return T##1{x}; }                             \
    static __host__ __device__ __forceinline__ T##2 make_##T##2(T x, T y) { return T##2{x, y}; }                     \
    static __host__ __device__ __forceinline__ T##3 make_##T##3(T x, T y, T z) { return T##3{x, y, z}; }             \
    static __host__ __device__ __forceinline__ T##4 make_##T##4(T x, T y, T z, T w) { return T##4{x, y, z, w}; }
#define QWENGPU_SIGNS(T, ALIGN2, ALIGN4) QWENGPU_VECTORS(T, ALIGN2, ALIGN4) QWENGPU_VECTORS(u##T, ALIGN2, ALIGN4)
QWENGPU_SIGNS(char, 2, 4)
QWENGPU_SIGNS(short, 4, 8)
QWENGPU_SIGNS(int, 8, 16)
QWENGPU_SIGNS(long, 16, 16)
QWENGPU_SIGNS(longlong, 16, 16)
#undef QWENGPU_SIGNS
#undef QWENGPU_VECTORS

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

// --- indices --------------------------------------------------------------------------------------------------------

// threadIdx.x and the like: properties that read a PTX special register.
#define QWENGPU_AXIS(axis, builtin)                       \
    __declspec(property(get = get_##axis)) unsigned axis; \
    static __device__ __forceinline__ unsigned get_##axis() { return builtin; }
#define QWENGPU_INDEX(name, prefix)                                                      \
    struct qwengpu_##name {                                                              \
        QWENGPU_AXIS(x, __nvvm_read_ptx_sreg_##prefix##_x())                             \
        QWENGPU_AXIS(y, __nvvm_read_ptx_sreg_##prefix##_y())                             \
        QWENGPU_AXIS(z, __nvvm_read_ptx_sreg_##prefix##_z())                             \
        __device__ __forceinline__ operator dim3() const { return dim3(x, y, z); }       \
        __device__ __forceinline__ operator uint3() const { return uint3{x, y, z}; }     \
    };                                                                                   \
    extern const __device__ __attribute__((weak)) qwengpu_##name name;
QWENGPU_INDEX(threadIdx, tid)
QWENGPU_INDEX(blockIdx, ctaid)
QWENGPU_INDEX(blockDim, ntid)
QWENGPU_INDEX(gridDim, nctaid)
#undef QWENGPU_INDEX
#undef QWENGPU_AXIS
enum { warpSize = 32 };

// --- barriers and fences --------------------------------------------------------------------------------------------

// Newer clangs have __syncthreads itself as a builtin.
#if !__has_builtin(__syncthreads)
QWENGPU_FN void __syncthreads() { __nvvm_barrier0(); }
#endif
QWENGPU_FN int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
QWENGPU_FN int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
QWENGPU_FN int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
QWENGPU_FN void __syncwarp(unsigned mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }
QWENGPU_FN void __threadfence() { __nvvm_membar_gl(); }
QWENGPU_FN void __threadfence_block() { __nvvm_membar_cta(); }
QWENGPU_FN void __threadfence_system() { __nvvm_membar_sys(); }

// --- exchanges between the threads of a warp ------------------------------------------------------------------------

// The operand that tells the segment of lanes to PTX: above it the lanes' common bits, below it the last lane.
#define QWENGPU_SEGMENT(width, last) ((32 - (width)) << 8 | (last))
#define QWENGPU_SHUFFLE(NAME, MODE, LAST, AMOUNT)                                                                     \
    QWENGPU_FN int NAME(unsigned mask, int value, AMOUNT, int width = 32) {                                           \
        return __nvvm_shfl_sync_##MODE##_i32(mask, value, amount, QWENGPU_SEGMENT(width, LAST));                      \
    }                                                                                                                 \
    QWENGPU_FN unsigned NAME(unsigned mask, unsigned value, AMOUNT, int width = 32) {                                 \
        return (unsigned)NAME(mask, (int)value, amount, width);                                                       \
    }                                                                                                                 \
    QWENGPU_FN unsigned long long NAME(unsigned mask, unsigned long long value, AMOUNT, int width = 32) {             \
        unsigned low = NAME(mask, (unsigned)value, amount, width);                                                    \
        return (unsigned long long)NAME(mask, (unsigned)(value >> 32), amount, width) << 32 | low;                    \
    }                                                                                                                 \
    QWENGPU_FN long long NAME(unsigned mask, long long value, AMOUNT, int width = 32) {                               \
        return (long long)NAME(mask, (unsigned long long)value, amount, width);                                       \
    }                                                                                                                 \
    QWENGPU_FN long NAME(unsigned mask, long value, AMOUNT, int width = 32) {                                         \
        return sizeof(long) == 8 ? (long)NAME(mask, (long long)value, amount, width)                                  \
                                 : (long)NAME(mask, (int)value, amount, width);                                       \
    }                                                                                                                 \
    QWENGPU_FN unsigned long NAME(unsigned mask, unsigned long value, AMOUNT, int width = 32) {                       \
        return (unsigned long)NAME(mask, (long)value, amount, width);                                                 \
    }
QWENGPU_SHUFFLE(__shfl_sync, idx, 31, int amount)
QWENGPU_SHUFFLE(__shfl_up_sync, up, 0, unsigned amount)
QWENGPU_SHUFFLE(__shfl_down_sync, down, 31, unsigned amount)
QWENGPU_SHUFFLE(__shfl_xor_sync, bfly, 31, int amount)
#undef QWENGPU_SHUFFLE
#undef QWENGPU_SEGMENT

QWENGPU_FN int __all_sync(unsigned mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
QWENGPU_FN int __any_sync(unsigned mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
QWENGPU_FN int __uni_sync(unsigned mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
QWENGPU_FN unsigned __ballot_sync(unsigned mask, int predicate) { return __nvvm_vote_ballot_sync(mask, predicate); }
QWENGPU_FN unsigned __activemask() { return __nvvm_activemask(); }
#define QWENGPU_MATCH(T, BITS, AS)                                                                                    \
    QWENGPU_FN unsigned __match_any_sync(unsigned mask, T value) {                                                    \
        return __nvvm_match_any_sync_i##BITS(mask, (AS)value);                                                        \
    }                                                                                                                 \
    QWENGPU_FN unsigned __match_all_sync(unsigned mask, T value, int *predicate) {                                    \
        return __nvvm_match_all_sync_i##BITS##p(mask, (AS)value, predicate);                                          \
    }
QWENGPU_MATCH(int, 32, int)
QWENGPU_MATCH(unsigned, 32, int)
QWENGPU_MATCH(long, 64, long long)
QWENGPU_MATCH(unsigned long, 64, long long)
QWENGPU_MATCH(long long, 64, long long)
QWENGPU_MATCH(unsigned long long, 64, long long)
#undef QWENGPU_MATCH

// --- atomics --------------------------------------------------------------------------------------------------------

#define QWENGPU_ATOMIC(NAME, T, PARAMETERS, ...)                                        \
    QWENGPU_FN T atomic##NAME PARAMETERS { return __VA_ARGS__; }                        \
    QWENGPU_FN T atomic##NAME##_block PARAMETERS { return __VA_ARGS__; }                \
    QWENGPU_FN T atomic##NAME##_system PARAMETERS { return __VA_ARGS__; }
#define QWENGPU_ATOMICS(T, WORD, MIN, MAX, EXCHANGE, SWAP)                              \
    QWENGPU_ATOMIC(Add, T, (T *p, T v), __atomic_fetch_add(p, v, __ATOMIC_RELAXED))     \
    QWENGPU_ATOMIC(And, T, (T *p, T v), __atomic_fetch_and(p, v, __ATOMIC_RELAXED))     \
    QWENGPU_ATOMIC(Or, T, (T *p, T v), __atomic_fetch_or(p, v, __ATOMIC_RELAXED))       \
    QWENGPU_ATOMIC(Xor, T, (T *p, T v), __atomic_fetch_xor(p, v, __ATOMIC_RELAXED))     \
    QWENGPU_ATOMIC(Min, T, (T *p, T v), (T)MIN(p, v))                                   \
    QWENGPU_ATOMIC(Max, T, (T *p, T v), (T)MAX(p, v))                                   \
    QWENGPU_ATOMIC(Exch, T, (T *p, T v), (T)EXCHANGE((WORD *)p, (WORD)v))               \
    QWENGPU_ATOMIC(CAS, T, (T *p, T expected, T v), (T)SWAP((WORD *)p, (WORD)expected, (WORD)v))
QWENGPU_ATOMICS(int, int, __nvvm_atom_min_gen_i, __nvvm_atom_max_gen_i, __nvvm_atom_xchg_gen_i, __nvvm_atom_cas_gen_i)
QWENGPU_ATOMICS(unsigned, int, __nvvm_atom_min_gen_ui, __nvvm_atom_max_gen_ui, __nvvm_atom_xchg_gen_i,
                __nvvm_atom_cas_gen_i)
QWENGPU_ATOMICS(long long, long long, __nvvm_atom_min_gen_ll, __nvvm_atom_max_gen_ll, __nvvm_atom_xchg_gen_ll,
                __nvvm_atom_cas_gen_ll)
QWENGPU_ATOMICS(unsigned long long, long long, __nvvm_atom_min_gen_ull, __nvvm_atom_max_gen_ull,
                __nvvm_atom_xchg_gen_ll, __nvvm_atom_cas_gen_ll)
QWENGPU_ATOMIC(Sub, int, (int *p, int v), __atomic_fetch_sub(p, v, __ATOMIC_RELAXED))
QWENGPU_ATOMIC(Sub, unsigned, (unsigned *p, unsigned v), __atomic_fetch_sub(p, v, __ATOMIC_RELAXED))
QWENGPU_ATOMIC(Inc, unsigned, (unsigned *p, unsigned v), __nvvm_atom_inc_gen_ui(p, v))
QWENGPU_ATOMIC(Dec, unsigned, (unsigned *p, unsigned v), __nvvm_atom_dec_gen_ui(p, v))
#undef QWENGPU_ATOMICS
#undef QWENGPU_ATOMIC
QWENGPU_FN unsigned short atomicCAS(unsigned short *p, unsigned short expected, unsigned short v) {
    return __nvvm_atom_cas_gen_us(p, expected, v);
}

// --- numbers --------------------------------------------------------------------------------------------------------

#define QWENGPU_MINMAX(T, A, B)                                                            \
    QWENGPU_FN T min(A a, B b) { return (T)b < (T)a ? (T)b : (T)a; }                       \
    QWENGPU_FN T max(A a, B b) { return (T)a < (T)b ? (T)b : (T)a; }
#define QWENGPU_MINMAXES(S, U)                                                             \
    QWENGPU_MINMAX(S, S, S) QWENGPU_MINMAX(U, U, U) QWENGPU_MINMAX(U, S, U) QWENGPU_MINMAX(U, U, S)
QWENGPU_MINMAXES(int, unsigned)
QWENGPU_MINMAXES(long, unsigned long)
QWENGPU_MINMAXES(long long, unsigned long long)
#undef QWENGPU_MINMAXES
#undef QWENGPU_MINMAX
QWENGPU_FN unsigned umin(unsigned a, unsigned b) { return min(a, b); }
QWENGPU_FN unsigned umax(unsigned a, unsigned b) { return max(a, b); }
QWENGPU_FN long long llmin(long long a, long long b) { return min(a, b); }
QWENGPU_FN long long llmax(long long a, long long b) { return max(a, b); }
QWENGPU_FN unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
QWENGPU_FN unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
QWENGPU_FN int abs(int x) { return x < 0 ? -x : x; }
QWENGPU_FN long labs(long x) { return x < 0 ? -x : x; }
QWENGPU_FN long long llabs(long long x) { return x < 0 ? -x : x; }
QWENGPU_FN long abs(long x) { return labs(x); }
QWENGPU_FN long long abs(long long x) { return llabs(x); }

QWENGPU_FN int __popc(unsigned x) { return __builtin_popcount(x); }
QWENGPU_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
QWENGPU_FN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
QWENGPU_FN int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
QWENGPU_FN int __ffs(int x) { return __builtin_ffs(x); }
QWENGPU_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
QWENGPU_FN unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
QWENGPU_FN unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

QWENGPU_FN int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
QWENGPU_FN unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
QWENGPU_FN long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
QWENGPU_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
QWENGPU_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
QWENGPU_FN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
QWENGPU_FN unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
QWENGPU_FN unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }

// Functions that are one PTX instruction.
#define QWENGPU_PTX2(NAME, T, A, B, PTX)                                    \
    QWENGPU_FN T NAME(A a, B b) {                                           \
        T result;                                                           \
        asm(PTX " %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));            \
        return result;                                                      \
    }
#define QWENGPU_PTX3(NAME, T, A, B, C, PTX)                                 \
    QWENGPU_FN T NAME(A a, B b, C c) {                                      \
        T result;                                                           \
        asm(PTX " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c)); \
        return result;                                                      \
    }
QWENGPU_PTX2(__mul24, int, int, int, "mul24.lo.s32")
QWENGPU_PTX2(__umul24, unsigned, unsigned, unsigned, "mul24.lo.u32")
QWENGPU_PTX3(__sad, unsigned, int, int, unsigned, "sad.s32")
QWENGPU_PTX3(__usad, unsigned, unsigned, unsigned, unsigned, "sad.u32")
QWENGPU_PTX3(qwengpu_prmt, unsigned, unsigned, unsigned, unsigned, "prmt.b32")
// Of each selector three bits count; the fourth, which asks PTX for a byte's sign, is no part of the function.
QWENGPU_FN unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    return qwengpu_prmt(a, b, selector & 0x7777);
}
QWENGPU_PTX3(__funnelshift_l, unsigned, unsigned, unsigned, unsigned, "shf.l.wrap.b32")
QWENGPU_PTX3(__funnelshift_lc, unsigned, unsigned, unsigned, unsigned, "shf.l.clamp.b32")
QWENGPU_PTX3(__funnelshift_r, unsigned, unsigned, unsigned, unsigned, "shf.r.wrap.b32")
QWENGPU_PTX3(__funnelshift_rc, unsigned, unsigned, unsigned, unsigned, "shf.r.clamp.b32")
QWENGPU_PTX3(__dp4a, int, int, int, int, "dp4a.s32.s32")
QWENGPU_PTX3(__dp4a, unsigned, unsigned, unsigned, unsigned, "dp4a.u32.u32")
QWENGPU_PTX3(__dp2a_lo, int, int, int, int, "dp2a.lo.s32.s32")
QWENGPU_PTX3(__dp2a_lo, unsigned, unsigned, unsigned, unsigned, "dp2a.lo.u32.u32")
QWENGPU_PTX3(__dp2a_hi, int, int, int, int, "dp2a.hi.s32.s32")
QWENGPU_PTX3(__dp2a_hi, unsigned, unsigned, unsigned, unsigned, "dp2a.hi.u32.u32")
#undef QWENGPU_PTX2
#undef QWENGPU_PTX3
#define QWENGPU_BYTES(V, T, CALL) \
    QWENGPU_FN T CALL(V a, V b, T c) { return CALL(*(T *)&a, *(T *)&b, c); }
QWENGPU_BYTES(char4, int, __dp4a)
QWENGPU_BYTES(uchar4, unsigned, __dp4a)
#undef QWENGPU_BYTES

// --- memory ---------------------------------------------------------------------------------------------------------

// There is no cache: loads and stores that name one are plain.
#define QWENGPU_LOAD(NAME) \
    template <typename T> QWENGPU_FN T NAME(const T *p) { return *p; }
QWENGPU_LOAD(__ldg)
QWENGPU_LOAD(__ldca)
QWENGPU_LOAD(__ldcg)
QWENGPU_LOAD(__ldcs)
QWENGPU_LOAD(__ldlu)
QWENGPU_LOAD(__ldcv)
#undef QWENGPU_LOAD
#define QWENGPU_STORE(NAME) \
    template <typename T> QWENGPU_FN void NAME(T *p, T value) { *p = value; }
QWENGPU_STORE(__stwb)
QWENGPU_STORE(__stcg)
QWENGPU_STORE(__stcs)
QWENGPU_STORE(__stwt)
#undef QWENGPU_STORE

// --- the end of a launch, output, time ------------------------------------------------------------------------------

QWENGPU_FN void __trap() { asm volatile("trap;"); }
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ __attribute__((noreturn)) void __assertfail(const char *, const char *, unsigned, const char *,
                                                                  size_t);
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
    ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__, sizeof(char)))
#endif
// Declared so that the compiler's message names what this machine lacks.
QWENGPU_FN int clock() {
    int time;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(time));
    return time;
}
QWENGPU_FN long long clock64() {
    long long time;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(time));
    return time;
}

#undef QWENGPU_FN

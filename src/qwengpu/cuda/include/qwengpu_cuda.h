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

typedef __SIZE_TYPE__ size_t;
typedef unsigned int uint;

// threadIdx.x and the like: properties that read a PTX special register.
#define QWENGPU_AXIS(axis, builtin)                      \
    __declspec(property(get = get_##axis)) unsigned axis; \
    static __device__ __forceinline__ unsigned get_##axis() { return builtin; }
#define QWENGPU_INDEX(name, prefix)                    \
    struct qwengpu_##name {                            \
        QWENGPU_AXIS(x, __nvvm_read_ptx_sreg_##prefix##_x()) \
        QWENGPU_AXIS(y, __nvvm_read_ptx_sreg_##prefix##_y()) \
        QWENGPU_AXIS(z, __nvvm_read_ptx_sreg_##prefix##_z()) \
    };                                                 \
    extern const __device__ __attribute__((weak)) qwengpu_##name name;
QWENGPU_INDEX(threadIdx, tid)
QWENGPU_INDEX(blockIdx, ctaid)
QWENGPU_INDEX(blockDim, ntid)
QWENGPU_INDEX(gridDim, nctaid)
#undef QWENGPU_INDEX
#undef QWENGPU_AXIS

// Newer clangs have __syncthreads itself as a builtin.
#if !__has_builtin(__syncthreads)
static __device__ __forceinline__ void __syncthreads() { __nvvm_barrier0(); }
#endif
static __device__ __forceinline__ void __threadfence() { __nvvm_membar_gl(); }
static __device__ __forceinline__ void __threadfence_block() { __nvvm_membar_cta(); }

#define QWENGPU_ATOMICS(T, MIN, MAX)                                                                               \
    static __device__ __forceinline__ T atomicAdd(T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); } \
    static __device__ __forceinline__ T atomicSub(T *p, T v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); } \
    static __device__ __forceinline__ T atomicAnd(T *p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); } \
    static __device__ __forceinline__ T atomicOr(T *p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }   \
    static __device__ __forceinline__ T atomicXor(T *p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); } \
    static __device__ __forceinline__ T atomicMin(T *p, T v) { return MIN(p, v); }                                  \
    static __device__ __forceinline__ T atomicMax(T *p, T v) { return MAX(p, v); }                                  \
    static __device__ __forceinline__ T atomicExch(T *p, T v) { return __nvvm_atom_xchg_gen_i((int *)p, v); }       \
    static __device__ __forceinline__ T atomicCAS(T *p, T expected, T v) {                                          \
        return __nvvm_atom_cas_gen_i((int *)p, expected, v);                                                        \
    }
QWENGPU_ATOMICS(int, __nvvm_atom_min_gen_i, __nvvm_atom_max_gen_i)
#define QWENGPU_MIN(p, v) __nvvm_atom_min_gen_ui((unsigned *)p, v)
#define QWENGPU_MAX(p, v) __nvvm_atom_max_gen_ui((unsigned *)p, v)
QWENGPU_ATOMICS(unsigned, QWENGPU_MIN, QWENGPU_MAX)
#undef QWENGPU_ATOMICS
#undef QWENGPU_MIN
#undef QWENGPU_MAX

#define QWENGPU_MINMAX(T)                                                                  \
    static __device__ __forceinline__ T min(T a, T b) { return b < a ? b : a; }            \
    static __device__ __forceinline__ T max(T a, T b) { return a < b ? b : a; }
QWENGPU_MINMAX(int)
QWENGPU_MINMAX(unsigned)
#undef QWENGPU_MINMAX
static __device__ __forceinline__ int abs(int x) { return x < 0 ? -x : x; }
static __device__ __forceinline__ int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
static __device__ __forceinline__ unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a * b) >> 32);
}

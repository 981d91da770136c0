// For clang, qwengpu_cuda.h has assert; so has NVRTC of itself, if it is new.
#pragma once
#if !defined(__clang__) && !defined(assert)
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, "", 1))
#endif
#endif

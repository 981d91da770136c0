// Nothing is left to declare: size_t and ptrdiff_t are declared without it.
#pragma once
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#ifdef __clang__
#define offsetof(type, member) __builtin_offsetof(type, member)
#else
#define offsetof(type, member) ((size_t)&((type *)0)->member)
#endif
#endif

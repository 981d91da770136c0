// Integers of a given width, as every compiler of CUDA lays them out.
#pragma once
#ifndef __clang__  // for clang, qwengpu_cuda.h has them
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#endif

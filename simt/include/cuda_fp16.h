/* CUDA's float16: __half and pairs of it (simt_narrow.h). */
#ifndef CUDA_FP16_H
#define CUDA_FP16_H

#include "simt_narrow.h"

SIMT_NARROW(__half, __half2, half, half2, true)

typedef __half half;
typedef __half2 half2;

#endif

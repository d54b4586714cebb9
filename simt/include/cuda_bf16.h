/* CUDA's bfloat16: __nv_bfloat16 and pairs of it (simt_narrow.h). */
#ifndef CUDA_BF16_H
#define CUDA_BF16_H

#include "simt_narrow.h"

SIMT_NARROW(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, false)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#endif

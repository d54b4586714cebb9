/* CUDA's bfloat16: __nv_bfloat16 and pairs of it (simt_narrow.h). */
#pragma once

#include "simt_narrow.h"

SIMT_NARROW(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, false)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16        __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16        __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16   __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16       __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16        __ushort_as_bfloat16(0x3f80)

/* CUDA's bfloat16: __nv_bfloat16 and pairs of it (simt_narrow.h). */
#pragma once

#include "simt_narrow.h"
#include <bf16_constants.h>

SIMT_NARROW(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, false)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* CUDA's float16: __half and pairs of it (simt_narrow.h). */
#pragma once

#include "simt_narrow.h"
#include <fp16_constants.h>

SIMT_NARROW(__half, __half2, half, half2, true)

typedef __half half;
typedef __half2 half2;

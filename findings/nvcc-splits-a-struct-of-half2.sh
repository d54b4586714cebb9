#!/usr/bin/env bash
# nvcc 13.5.37: a copy of a struct of 16 bytes, aligned to 16, is one load of 16 bytes if its members
# are floats, float2, short2 or __half; but four loads of 4 bytes if they are __half2 or
# __nv_bfloat162, and 16 loads of a byte by memcpy.
#
# Expected: one load of 16 bytes in each case, since size and alignment are the same.
# Seen: 1 for eight __half, 4 for four __half2, 16 for memcpy. __half2 and __nv_bfloat162 have a copy
# constructor of their own in cuda_fp16.h and cuda_bf16.h, so the struct is copied member by member,
# and nothing joins the loads again. On an H200 each of the four touches 16 sectors of a warp's 512
# bytes: 64 where one load touches 16. A load through a pointer to int4 is one.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
cuda_wheels nvidia-cuda-nvcc==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-cuda-runtime==13.5.37 \
    nvidia-nvvm==13.5.37

cat >copies.cu <<'CODE'
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string.h>
#define COPY(type, count)                                                                          \
    struct __align__(16) of_##type { type e[count]; };                                             \
    extern "C" __global__ void copy_##type(const of_##type *in, of_##type *out)                    \
    {                                                                                              \
        out[threadIdx.x] = in[threadIdx.x];                                                        \
    }
COPY(float, 4)
COPY(float2, 2)
COPY(short2, 4)
COPY(__half, 8)
COPY(__half2, 4)
COPY(__nv_bfloat16, 8)
COPY(__nv_bfloat162, 4)
extern "C" __global__ void copy_by_memcpy(const of___half2 *in, of___half2 *out)
{
    memcpy(&out[threadIdx.x], &in[threadIdx.x], 16);
}
CODE
nvcc -arch=sm_90 -ptx copies.cu -o copies.ptx
awk '/\.entry/ { sub(/\(.*/, "", $3); name = $3 }
    match($0, /ld\.global[a-z0-9.]*/) { loads[name " " substr($0, RSTART, RLENGTH)]++ }
    END { for (load in loads) print load, loads[load] }' copies.ptx | sort >seen
cat >expected <<'TEXT'
copy___half ld.global.v4.u32 1
copy___half2 ld.global.u32 4
copy___nv_bfloat16 ld.global.v4.u32 1
copy___nv_bfloat162 ld.global.u32 4
copy_by_memcpy ld.global.u8 16
copy_float ld.global.v4.f32 1
copy_float2 ld.global.v4.f32 1
copy_short2 ld.global.v4.u32 1
TEXT
same seen expected

#!/usr/bin/env bash
# nvcc 13.0.88 (not 13.5.37): __mul24(a, a) is taken to be never negative, and often it is.
#
# Expected: what the CUDA Math API says, "the least significant 32 bits of the product of the least significant 24
# bits", for any two numbers: __mul24(50000, 50000) is -1794967296.
# Seen: stored as it is, it is that, on an H200 too. But __mul24(a, a) < 0 is compiled to 0, and what depends on the
# sign works as if there were none: on the H200 __mul24(50000, 50000) / 7 is 357142857, % 300 is 100, >> 5 is
# 78125000. The multiplication becomes a signed one that must not overflow. With two variables the sign is kept, and
# with __umul24; so a hash or a generator of random numbers changes when it is called with one variable twice.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
cuda_wheels nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96

cat >sign.cu <<'CODE'
extern "C" {
__global__ void two_less(int *out, int a, int b) { *out = __mul24(a, b) < 0; }
__global__ void two_shift(int *out, int a, int b) { *out = __mul24(a, b) >> 5; }
__global__ void one_less(int *out, int a) { *out = __mul24(a, a) < 0; }
__global__ void one_shift(int *out, int a) { *out = __mul24(a, a) >> 5; }
__global__ void one_unsigned(int *out, unsigned a) { *out = (int)__umul24(a, a) < 0; }
}
CODE
nvcc -arch=sm_90 -ptx sign.cu -o sign.ptx
# for each kernel its multiplication, and what then looks at the product
awk '/\.entry/ { sub(/\(.*/, "", $3); if (name) print name said; name = $3; said = ":" }
     /mul\.lo/ { product = $2; for (i = 2; i <= NF; i++) sub(/,$/, "", $i); product = $2; said = said " " $1 }
     /shr/ && product != "" && index($0, product ",") { said = said " then " $1 " " $4 }
     END { print name said }' sign.ptx | tr -d ';' >seen
cat >expected <<'TEXT'
two_less: mul.lo.s32 then shr.u32 31
two_shift: mul.lo.s32 then shr.s32 5
one_less:
one_shift: mul.lo.s32 then shr.u32 5
one_unsigned: mul.lo.s32 then shr.u32 31
TEXT
same seen expected

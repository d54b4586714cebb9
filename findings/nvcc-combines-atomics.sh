#!/usr/bin/env bash
# nvcc 13.5.37 (and 13.0.88), sm_90: of atomics on one address nvcc combines a warp's lanes into one.
#
# Expected: 32 lanes that add to one address are 32 atomic operations, as the source says; only
# cooperative groups or one's own shuffles make them one.
# Seen: nvcc does it by itself, if the address does not depend on threadIdx. The rules are finer than
# "when the result is not used":
#   int add      combined, used or not; if the result is used and the addends differ, by a scan
#   max          combined only if the result is not used
#   64-bit add   combined only if all lanes add the same (1, a parameter), used or not
#   float, 64-bit minimum, inc, exchange: never
# So a counter of contended atomics is 1 a warp for ints and 32 for floats, from the same source.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
cuda_wheels nvidia-cuda-nvcc==13.5.37 nvidia-cuda-cuobjdump==13.5.37 nvidia-cuda-nvdisasm==13.5.37

cat >atomics.cu <<'CODE'
#define T (threadIdx.x + blockIdx.x * blockDim.x)
extern "C" {
__global__ void add(int *c, const int *in) { atomicAdd(c, in[T]); }
__global__ void add_block(int *c, const int *in) { atomicAdd(c + blockIdx.x, in[T]); }
__global__ void add_warp(int *c, const int *in) { atomicAdd(c + threadIdx.x / 32, in[T]); }
__global__ void add_used(int *c, const int *in, int *out) { out[T] = atomicAdd(c, in[T]); }
__global__ void add_one_used(int *c, int *out) { out[T] = atomicAdd(c, 1); }
__global__ void max_unused(int *c, const int *in) { atomicMax(c, in[T]); }
__global__ void max_used(int *c, const int *in, int *out) { out[T] = atomicMax(c, in[T]); }
__global__ void add_64(unsigned long long *c, const unsigned long long *in) { atomicAdd(c, in[T]); }
__global__ void add_64_one(unsigned long long *c) { atomicAdd(c, 1ull); }
__global__ void min_64(unsigned long long *c, const unsigned long long *in) { atomicMin(c, in[T]); }
__global__ void add_float(float *c, const float *in) { atomicAdd(c, in[T]); }
__global__ void inc(unsigned *c) { atomicInc(c, 1000u); }
__global__ void exchange(int *c, const int *in) { atomicExch(c, in[T]); }
}
CODE
instructions atomics.cu sm_90 'REDUX[.A-Z0-9]*|U?POPC|SHFL.[A-Z]*|(REDG|ATOMG)[.][.A-Z0-9]*' >seen
cat >expected <<'TEXT'
add: REDUX.SUM REDG.E.ADD.STRONG.GPU
add_64: REDG.E.ADD.64.STRONG.GPU
add_64_one: UPOPC REDG.E.ADD.64.STRONG.GPU
add_block: REDUX.SUM REDG.E.ADD.STRONG.GPU
add_float: REDG.E.ADD.F32.FTZ.RN.STRONG.GPU
add_one_used: POPC ATOMG.E.ADD.STRONG.GPU POPC SHFL.IDX
add_used: ATOMG.E.ADD.STRONG.GPU SHFL.UP SHFL.UP SHFL.UP SHFL.UP SHFL.UP ATOMG.E.ADD.STRONG.GPU SHFL.UP SHFL.IDX
add_warp: REDG.E.ADD.STRONG.GPU
exchange: ATOMG.E.EXCH.STRONG.GPU
inc: REDG.E.INC.STRONG.GPU
max_unused: REDUX.MAX.S32 REDG.E.MAX.S32.STRONG.GPU
max_used: ATOMG.E.MAX.S32.STRONG.GPU
min_64: REDG.E.MIN.64.STRONG.GPU
TEXT
same seen expected

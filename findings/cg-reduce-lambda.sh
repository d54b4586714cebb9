#!/usr/bin/env bash
# cooperative_groups/reduce.h of CUDA 13.5 (nvcc 13.5.37, sm_90): the same sum of ints over a tile
# costs one instruction or five and more, by how the addition is spelled and how large the tile is.
#
# Expected: reduce(tile, v, plus<int>()) and reduce(tile, v, [](int a, int b) { return a + b; })
# become the same code, as for the algorithms of the C++ library; a smaller tile costs less.
# Seen: plus<int> over 32 lanes, and over 16, is one REDUX; the lambda is five shuffles. Over 8 lanes
# both are shuffles, and the code that finds a tile's mask (MATCH, REDUX.OR, VOTEU) comes on top: a
# tile of 8 is the most expensive of the three.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
cuda_wheels nvidia-cuda-nvcc==13.5.37 nvidia-cuda-cuobjdump==13.5.37 nvidia-cuda-nvdisasm==13.5.37 \
    nvidia-cuda-cccl==13.3.5.0.6

cat >reduce.cu <<'CODE'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
#define SUM(NAME, LANES, OPERATION)                                                                \
    extern "C" __global__ void NAME(int *v) {                                                      \
        auto tile = cg::tiled_partition<LANES>(cg::this_thread_block());                           \
        v[threadIdx.x] = cg::reduce(tile, v[threadIdx.x], OPERATION);                              \
    }
SUM(plus_32, 32, cg::plus<int>())
SUM(plus_16, 16, cg::plus<int>())
SUM(plus_8, 8, cg::plus<int>())
SUM(lambda_32, 32, [](int a, int b) { return a + b; })
SUM(lambda_8, 8, [](int a, int b) { return a + b; })
CODE
instructions reduce.cu sm_90 'REDUX[.A-Z0-9]*|SHFL.[A-Z]*|MATCH.[A-Z]*|VOTEU?.[A-Z]*' >seen
cat >expected <<'TEXT'
lambda_32: SHFL.BFLY SHFL.BFLY SHFL.BFLY SHFL.BFLY SHFL.BFLY
lambda_8: MATCH.ANY REDUX.OR VOTEU.ANY SHFL.BFLY SHFL.BFLY SHFL.BFLY SHFL.BFLY SHFL.BFLY SHFL.BFLY
plus_16: REDUX.SUM.S32
plus_32: REDUX.SUM.S32
plus_8: MATCH.ANY REDUX.OR VOTEU.ANY SHFL.BFLY SHFL.BFLY SHFL.BFLY SHFL.BFLY SHFL.BFLY SHFL.BFLY
TEXT
same seen expected

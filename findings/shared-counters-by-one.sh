#!/usr/bin/env bash
# nvcc 13.5.37 (and 13.0.88), sm_90: a histogram in shared memory that counts by a literal 1 has no
# contention; by 2, by -1, by a variable, or with the result used, all of it.
#
# Expected: atomicAdd(&s[k], 1) and atomicAdd(&s[k], 2) are the same instruction, in which lanes with
# the same word take turns.
# Seen: the literal 1 becomes ATOMS.POPC.INC, which counts the lanes of each word: on an H200 32
# lanes on one word took one wavefront, and 32 with ATOMS.ADD (Nsight Compute 2025.3.1; a histogram
# of 256 bins, all of one key: 256 wavefronts against 8192). atomicInc without a limit is one, too.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
cuda_wheels nvidia-cuda-nvcc==13.5.37 nvidia-cuda-cuobjdump==13.5.37 nvidia-cuda-nvdisasm==13.5.37

cat >counters.cu <<'CODE'
#define COUNTER(NAME, ADD)                                                                         \
    extern "C" __global__ void NAME(const int *key, unsigned one, unsigned *out)                   \
    {                                                                                              \
        __shared__ unsigned s[256];                                                                \
        s[threadIdx.x] = 0;                                                                        \
        __syncthreads();                                                                           \
        unsigned *bin = &s[key[threadIdx.x]];                                                      \
        ADD;                                                                                       \
        __syncthreads();                                                                           \
        out[threadIdx.x] = s[threadIdx.x];                                                         \
    }
COUNTER(by_one, atomicAdd(bin, 1u))
COUNTER(by_two, atomicAdd(bin, 2u))
COUNTER(by_minus_one, atomicSub(bin, 1u))
COUNTER(by_a_variable, atomicAdd(bin, one))
COUNTER(by_one_used, out[256 + atomicAdd(bin, 1u)] = 1)
COUNTER(by_inc, atomicInc(bin, 0xffffffffu))
CODE
instructions counters.cu sm_90 'ATOMS[.A-Z0-9]*' >seen
cat >expected <<'TEXT'
by_a_variable: ATOMS.ADD
by_inc: ATOMS.POPC.INC.32
by_minus_one: ATOMS.ADD
by_one: ATOMS.POPC.INC.32
by_one_used: ATOMS.ADD
by_two: ATOMS.ADD
TEXT
same seen expected

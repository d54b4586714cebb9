#!/usr/bin/env bash
# NVIDIA's wheels of CUDA 13.5 (nvidia-cuda-nvcc 13.5.37, nvidia-cuda-cuobjdump 13.5.37): two of them
# do not name what they need, so that pip installs a toolkit in which parts end with an error.
#
# Expected: pip install nvidia-cuda-nvcc compiles any program of CUDA's own headers; pip install
# nvidia-cuda-cuobjdump disassembles.
# Seen: cooperative_groups.h and cuda_fp16.h are there, but the first includes cuda/std/type_traits,
# which only nvidia-cuda-cccl brings; cuobjdump -sass starts nvdisasm, which only
# nvidia-cuda-nvdisasm brings. Neither is among the wheels' requirements.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
cuda_wheels nvidia-cuda-nvcc==13.5.37 nvidia-cuda-cuobjdump==13.5.37

{
    for header in cuda_fp16.h cooperative_groups.h; do
        echo "#include <$header>" >header.cu
        if nvcc -arch=sm_90 -cubin header.cu -o kernels.cubin >log 2>&1; then
            echo "$header: compiles"
        else
            grep -o 'cuda/std[^:]*: No such.*' log
        fi
    done
    echo '__global__ void kernel(int *out) { *out = 1; }' >kernel.cu
    nvcc -arch=sm_90 -cubin kernel.cu -o kernels.cubin
    cuobjdump -sass kernels.cubin 2>&1 >/dev/null | grep -o 'Could not find[^;]*' || true
} >seen
cat >expected <<'TEXT'
cuda_fp16.h: compiles
cuda/std/type_traits: No such file or directory
Could not find executable file 'nvdisasm'
TEXT
same seen expected

#!/usr/bin/env bash
# The wheel nvidia-cuda-nvcc-cu12 12.9.86 holds no nvcc.
#
# Expected: as in nvidia-cuda-nvcc 13.5.37, a program bin/nvcc, which compiles a .cu file.
# Seen: ptxas, libdevice and headers alone. So a machine whose driver is older than 580, which CUDA 13
# refuses, cannot get a compiler without root from the package of that name.
. "$(dirname "$0")/common.sh"
packages nvidia-cuda-nvcc-cu12==12.9.86

(cd venv/lib/python3*/site-packages/nvidia/cuda_nvcc && find . -type f -perm -u+x -path '*bin/*' | sort) >seen
find venv -name cicc -o -name nvcc -type f -perm -u+x >>seen
cat >expected <<'TEXT'
./bin/ptxas
TEXT
same seen expected

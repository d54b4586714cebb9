#!/usr/bin/env bash
# nvcc 13.5.37 (and 13.0.88): a function of the host that reads threadIdx compiles without a word, and the linker
# refuses the program; made inline it links, too, as long as the host does not call it.
#
# Expected: an error of the compiler, as for a __popc in its place ("calling a __device__ function … is not allowed").
# Seen: nvcc -c ends with 0, for a function of the host alone and for a __host__ __device__ one. The object wants a
# variable that no library has, __device_builtin_variable_threadIdx; the linker names it and the function, but no line
# of the source. Of an inline function that only kernels call nothing is left for the host, and the program links. So
# a helper that moves from a header into a .cu file, or loses its inline, may end a build that worked.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
cuda_wheels nvidia-cuda-nvcc==13.5.37 nvidia-cuda-cccl==13.3.5.0.6 nvidia-cuda-runtime==13.5.37

cat >lane.cu <<'CODE'
OF int lane() { return READ; }
__global__ void store(int *out) {
#ifndef HOST
    out[threadIdx.x] = lane();
#endif
}
int main() {
#ifdef CALL
    return lane();
#endif
}
CODE
mkdir lib && ln -s "$work"/venv/lib/python3*/site-packages/nvidia/cu13/lib/* lib/

# try NAME OPTION …: how the compiler and the linker end, and what the one says that does not end well
try() {
    local name=$1 status=0
    shift
    nvcc -arch=sm_90 "$@" -c lane.cu -o lane.o >told 2>&1 || status=$?
    if [ $status = 0 ]; then
        name+=': compiled,'
        nvcc -arch=sm_90 lane.o -Llib -o lane >told 2>&1 || status=$?
    fi
    echo "$name: $status $(grep -m1 -oE 'undefined reference to .\w+|calling a __device__ function' told || true)"
}
{
    try 'host' -DHOST -DOF= -DREAD=threadIdx.x
    try 'both sides' '-DOF=__host__ __device__' -DREAD=threadIdx.x
    try 'inline' '-DOF=inline __host__ __device__' -DREAD=threadIdx.x
    try 'inline, called by the host' '-DOF=inline __host__ __device__' -DREAD=threadIdx.x -DCALL
    try '__popc' '-DOF=__host__ __device__' '-DREAD=__popc(5)'
} | sed 's/,: /, linked: /; s/ $//' >seen
cat >expected <<'TEXT'
host: compiled, linked: 1 undefined reference to `__device_builtin_variable_threadIdx
both sides: compiled, linked: 1 undefined reference to `__device_builtin_variable_threadIdx
inline: compiled, linked: 0
inline, called by the host: compiled, linked: 1 undefined reference to `__device_builtin_variable_threadIdx
__popc: 2 calling a __device__ function
TEXT
same seen expected

#!/usr/bin/env bash
# CUDA 13.5.37's cooperative_groups.h (and 13.0's): thread_group::num_threads() is declared, but defined nowhere.
#
# Expected: what size() gives. Every other group has num_threads(), which CUDA's guide prefers; size() is its old name.
# Seen: for a thread_group, such as tiled_partition(this_thread_block(), 8) returns, nvcc compiles the call to PTX with
# a warning in its own header, and ptxas ends with "Unresolved extern function", a mangled name and no line of the
# source. size() works. group_size(g), for code that takes any group, calls num_threads() itself.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
cuda_wheels nvidia-cuda-nvcc==13.5.37 nvidia-cuda-cccl==13.3.5.0.6 nvidia-cuda-runtime==13.5.37 \
    nvidia-cuda-crt==13.5.37

cat >group.cu <<'CODE'
#include <cooperative_groups.h>
using namespace cooperative_groups;
__global__ void count(unsigned *out)
{
#ifdef ANY
    thread_group g = tiled_partition(this_thread_block(), 8);
#else
    thread_block_tile<8> g = tiled_partition<8>(this_thread_block());
#endif
    out[threadIdx.x] = (unsigned)CALL;
}
CODE
# try NAME OPTION …: how the compiler ends with PTX, and with machine code; and what it says
try() {
    local ptx=0 cubin=0 name=$1
    shift
    nvcc -arch=sm_90 "$@" -ptx group.cu -o group.ptx >told 2>&1 || ptx=$?
    nvcc -arch=sm_90 "$@" -cubin group.cu -o group.cubin >told 2>&1 || cubin=$?
    echo "$name: PTX $ptx, machine code $cubin $(grep -m1 -o 'Unresolved extern function' told || true)"
}
{
    try 'tile, num_threads' '-DCALL=g.num_threads()'
    try 'tile, group_size' '-DCALL=group_size(g)'
    try 'thread_group, size' -DANY '-DCALL=g.size()'
    try 'thread_group, num_threads' -DANY '-DCALL=g.num_threads()'
    try 'thread_group, group_size' -DANY '-DCALL=group_size(g)'
} | sed 's/ $//' >seen
cat >expected <<'TEXT'
tile, num_threads: PTX 0, machine code 0
tile, group_size: PTX 0, machine code 0
thread_group, size: PTX 0, machine code 0
thread_group, num_threads: PTX 0, machine code 255 Unresolved extern function
thread_group, group_size: PTX 0, machine code 255 Unresolved extern function
TEXT
same seen expected

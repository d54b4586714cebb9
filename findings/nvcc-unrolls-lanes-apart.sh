#!/usr/bin/env bash
# A loop of which each lane makes 1 to 8 turns, a load in each (nvcc 13.0, sm_90, H200; ncu 2025.3.1). Needs a GPU, the
# toolkit that is there, and a user who may read the GPU's counters.
#
# Expected: 9 requests for a warp, one of them for the numbers of turns: lanes that have more go on alone.
# Seen: 9 with #pragma unroll 1, and 12 without. nvcc makes one turn of four and runs the turns that are left over apart
# from them, so lanes that are in the same turn of the source stand at different loads.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

cat >turns.cu <<'CODE'
__global__ void unrolled(const int *in, const unsigned *turns, int *out)
{
    int sum = 0;
    for (unsigned i = 0, n = turns[threadIdx.x]; i < n; i++)
        sum += in[threadIdx.x + i * 32];
    out[threadIdx.x] = sum;
}
__global__ void as_written(const int *in, const unsigned *turns, int *out)
{
    int sum = 0;
#pragma unroll 1
    for (unsigned i = 0, n = turns[threadIdx.x]; i < n; i++)
        sum += in[threadIdx.x + i * 32];
    out[threadIdx.x] = sum;
}
int main()
{
    int *in, *out;
    unsigned h[32], *turns;
    for (unsigned lane = 0; lane < 32; lane++)
        h[lane] = 1 + lane % 8;
    cudaMalloc(&turns, sizeof h);
    cudaMemcpy(turns, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMalloc(&in, 256 * sizeof *in);
    cudaMalloc(&out, 32 * sizeof *out);
    cudaMemset(in, 0, 256 * sizeof *in);
    unrolled<<<1, 32>>>(in, turns, out);
    as_written<<<1, 32>>>(in, turns, out);
    return cudaDeviceSynchronize();
}
CODE
nvcc -arch=native turns.cu -o turns
metric=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
ncu --csv --page raw --clock-control none --metrics $metric ./turns >counted
awk -F'","' -v metric=$metric '/^"ID"/ {while ($++column != metric);}
             /^"[0-9]+"/ {sub(/\(.*/, "", $5); print $5 ":", $column, "requests"}' counted >seen
cat >expected <<'TEXT'
unrolled: 12 requests
as_written: 9 requests
TEXT
same seen expected

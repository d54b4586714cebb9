#!/usr/bin/env bash
# cooperative_groups::reduce with greater<float>, over a tile of 32 lanes of which one has NaN (CUDA 13.0,
# H200). Needs a GPU and the toolkit that is there.
#
# Expected: one answer for all lanes, as the guide says of a collective: NaN, or the largest number.
# Seen: three. With NaN in lane 0 that lane gets it back, its three neighbours get 30, all others 31; with
# NaN in lane 9 only lane 9 differs. A program that goes by its own lane's answer diverges.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

cat >largest.cu <<'CODE'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void largest(int nan, float *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int lane = tile.thread_rank();
    float v = lane == nan ? NAN : float((lane * 7 + 3) % 32); /* each of 0 to 31 once; 31 in lane 4 */
    out[lane] = cg::reduce(tile, v, cg::greater<float>());
}

int main()
{
    float *out, h[32];
    cudaMalloc(&out, sizeof h);
    for (int nan : {-1, 0, 4, 9}) {
        largest<<<1, 32>>>(nan, out);
        cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
        printf("NaN in %d:", nan);
        for (int i = 0, same = 1; i < 32; i += same, same = 1) {
            while (i + same < 32 && (h[i + same] == h[i]))
                same++;
            printf(" %g x%d", h[i], same);
        }
        printf("\n");
    }
    return 0;
}
CODE
nvcc -std=c++17 -arch=native largest.cu -o largest
./largest >seen
cat >expected <<'TEXT'
NaN in -1: 31 x32
NaN in 0: nan x1 30 x3 31 x28
NaN in 4: 30 x4 nan x1 30 x27
NaN in 9: 31 x9 nan x1 31 x22
TEXT
same seen expected

#!/usr/bin/env bash
# Numba 0.68.0's CUDA simulator (NUMBA_ENABLE_CUDASIM=1, NumPy 2.4.6, Python 3.11): behind grid.sync() a block reads
# zeros of blocks that have not run yet, and nothing says so.
#
# Expected: what the kernel gives on a GPU, where grid.sync() waits for all blocks of the grid; or an error, as a GPU's
# launch of more blocks than fit at once ends with one. The simulator itself names 1 as the most blocks of such a grid.
# Seen: it runs two. Its blocks run one after the other, and each sync() holds one block's threads alone: the first
# block of two reads 0 0 0 0 where the second one's 8 7 6 5 belong. Thread 0's barrier in a branch, which a GPU may wait
# at for ever, is passed without a word, too.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
packages numba==0.68.0 numpy==2.4.6

cat >reverse.py <<'CODE'
import numpy
from numba import cuda
@cuda.jit
def reverse(numbers, reversed):
    i = cuda.grid(1)
    numbers[i] = i + 1
    cuda.cg.this_grid().sync()
    reversed[i] = numbers[numbers.size - 1 - i]
@cuda.jit
def alone(reached):
    if cuda.threadIdx.x == 0:
        cuda.syncthreads()
    reached[cuda.threadIdx.x] = 1
for blocks, threads in (1, 8), (2, 4):
    numbers, out = numpy.zeros(8, numpy.int64), numpy.zeros(8, numpy.int64)
    reverse[blocks, threads](numbers, out)
    print(blocks, "blocks:", *out)
reached = numpy.zeros(4, numpy.int64)
alone[1, 4](reached)
print("barrier in a branch:", *reached)
CODE
NUMBA_ENABLE_CUDASIM=1 "$python" -W ignore reverse.py >seen 2>&1
cat >expected <<'TEXT'
1 blocks: 8 7 6 5 4 3 2 1
2 blocks: 0 0 0 0 4 3 2 1
barrier in a branch: 1 1 1 1
TEXT
same seen expected

#!/usr/bin/env bash
# Numba 0.68.0's CUDA simulator (NUMBA_ENABLE_CUDASIM=1, NumPy 2.4.6, Python 3.11) computes other sums than the
# compiled kernel, and says nothing.
#
# Expected: the simulator, which needs no GPU, gives what the kernel gives on one.
# Seen: two int32 of 2^31 - 1 have the sum -2 in the simulator, since a kernel's variables are NumPy's scalars
# there, which wrap in 32 bits. The compiler types int32 + int32 as int64: 4294967294. A float accumulator that
# starts at 0.0 is a double when compiled and turns into a float32 in the simulator; a float32 times 0.1 likewise.
# The compiled side is numba.njit here, which has the same rules of types: the kernel on an H200 (numba-cuda
# 0.30.4) gave its numbers.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
packages numba==0.68.0 numpy==2.4.6

cat >sums.py <<'CODE'
import sys
import numba, numpy
from numba import cuda
def sums(ints, floats, whole, real):
    whole[0] = ints[0] + ints[1]
    total = 0
    for i in range(2):
        total += ints[i]
    whole[1] = total
    sum_of_floats = 0.0
    for i in range(2):
        sum_of_floats += floats[i]
    real[0] = sum_of_floats
    real[1] = floats[0] * 0.1
ints = numpy.array([2**31 - 1, 2**31 - 1], numpy.int32)
floats = numpy.array([1, 1e8], numpy.float32)
whole, real = numpy.zeros(2, numpy.int64), numpy.zeros(2)
if sys.argv[1] == "njit":
    numba.njit(sums)(ints, floats, whole, real)
else:
    cuda.jit(sums)[1, 1](ints, floats, whole, real)
print(*whole, *real)
CODE
{
    echo "simulator: $(NUMBA_ENABLE_CUDASIM=1 "$python" -W ignore sums.py cuda)"
    echo "compiled:  $("$python" sums.py njit)"
} >seen
cat >expected <<'TEXT'
simulator: -2 -2 100000000.0 0.10000000149011612
compiled:  4294967294 4294967294 100000001.0 0.1
TEXT
same seen expected

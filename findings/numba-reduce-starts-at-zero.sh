#!/usr/bin/env bash
# numba-cuda 0.30.4 (Numba 0.68.0, NumPy 2.4.6, Python 3.11): cuda.reduce includes a 0 in every reduction, whatever the
# operation is.
#
# Expected: the operation over the elements of the array alone, as functools.reduce computes it. The documentation calls
# `init` an optional initial value, and its example is a sum.
# Seen: without `init` the product of 1..5 is 0, the maximum of -5, -2 and -7 is 0, and the minimum of 5, 2 and 7 is 0.
# `init` is 0 by default and takes part. With init=1, or an element of the array, the results are right.
# The script runs in the simulator, which needs no GPU. The class for the GPU has the same default and applies it in its
# first block, as the last line reads from its source.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
packages numba-cuda==0.30.4 numba==0.68.0 numpy==2.4.6

cat >reductions.py <<'CODE'
import numpy
from numba import cuda
product = cuda.reduce(lambda a, b: a * b)
greatest = cuda.reduce(lambda a, b: max(a, b))
least = cuda.reduce(lambda a, b: min(a, b))
numbers = numpy.array([5, 2, 7])
print("product", product(numpy.arange(1, 6)), "with init=1", product(numpy.arange(1, 6), init=1))
print("greatest", greatest(-numbers), "with init=-5", greatest(-numbers, init=-5))
print("least", least(numbers), "with init=5", least(numbers, init=5))
print("product of nothing", product(numbers[:0]))
CODE
cat >kernel.py <<'CODE'
import inspect
from numba.cuda.kernels import reduction
default = inspect.signature(reduction.Reduce.__call__).parameters["init"].default
uses = [line.strip() for line in inspect.getsource(reduction).splitlines() if "reduce_op(" in line and "init" in line]
print("the kernel's class: init =", str(default) + ";", *uses)
CODE
{
    NUMBA_ENABLE_CUDASIM=1 "$python" -W ignore reductions.py
    "$python" -W ignore kernel.py
} >seen
cat >expected <<'TEXT'
product 0 with init=1 120
greatest 0 with init=-5 -2
least 0 with init=5 2
product of nothing 0
the kernel's class: init = 0; partials[0] = reduce_op(partials[0], init)
TEXT
same seen expected

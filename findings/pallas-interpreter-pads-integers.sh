#!/usr/bin/env bash
# JAX 0.10.2, Pallas with interpret=True (Python 3.11): a sum of integers without a mask is right in the interpreter
# if the number of elements behind the end of the array is even.
#
# Expected: the last block reaches behind the end of the array, so a kernel that adds the whole block is wrong, and the
# interpreter shows it. For floats it does: it fills the rest of the block with NaN, as JAX's guide to grids and block
# specs says.
# Seen: it fills a block of int32 with -2^31, and two of those add up to 0. In blocks of 8 the sums of 1..6 and 1..4
# are right, and the sums of 1..7 and 1..5 are wrong. The maximum is right for every size. It fills a block of uint32
# with 0, so every sum is right. Tests with powers of two and other even sizes never notice the missing mask.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
packages jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6

cat >blocks.py <<'CODE'
import jax, jax.numpy as jnp
from jax.experimental import pallas as pl
def reduce(operation, numbers):
    def kernel(block, out):
        out[0] = operation(block[...])
    return pl.pallas_call(kernel, grid=(1,), in_specs=[pl.BlockSpec((8,), lambda i: (i,))],
                          out_specs=pl.BlockSpec((1,), lambda i: (i,)),
                          out_shape=jax.ShapeDtypeStruct((1,), numbers.dtype), interpret=True)(numbers)[0]
for type in jnp.int32, jnp.uint32, jnp.float32:
    for name in "sum", "max", "min":
        print(f"{type.__name__} {name}:", *(reduce(getattr(jnp, name), jnp.arange(1, n + 1, dtype=type))
                                            for n in (8, 7, 6, 5, 4)))
CODE
JAX_PLATFORMS=cpu "$python" blocks.py >seen
cat >expected <<'TEXT'
int32 sum: 36 -2147483620 21 -2147483633 10
int32 max: 8 7 6 5 4
int32 min: 1 -2147483648 -2147483648 -2147483648 -2147483648
uint32 sum: 36 28 21 15 10
uint32 max: 8 7 6 5 4
uint32 min: 1 0 0 0 0
float32 sum: 36.0 nan nan nan nan
float32 max: 8.0 nan nan nan nan
float32 min: 1.0 nan nan nan nan
TEXT
same seen expected

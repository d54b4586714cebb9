#!/usr/bin/env bash
# PyTorch 2.11.0 on an H200: what torch.cumsum of float16 counts to depends on the direction. Down the columns of a
# matrix of ones it stops at 2048. Needs a GPU and a python3 with torch.
#
# Expected: the prefix sums of 5000 ones, each rounded to a half once (3000, 4096, 5000 are halves), whatever
# the shape: torch.sum adds halves in floats, and torch.cumsum on the CPU gives these numbers.
# Seen, at the elements 3000, 4096, 5000: an array of one dimension 2972, 4080, 4980; along the rows 2998, 4094,
# 4996; down the columns 2048, 2048, 2048, since each addition rounds to a half and 2048 + 1 is 2048 there.
# bfloat16 stops at 256 there. JAX 0.11.2 gave 3000, 4096, 5000 on that GPU, CuPy 14.2.0 2976, 4080, 4992.
# cumsum(dtype=torch.float32) is right.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

cat >sums.py <<'CODE'
import torch
def told(name, sums):
    print(name, [int(sums[i - 1]) for i in (3000, 4096, 5000)])
for kind in (torch.float16, torch.bfloat16):
    ones = torch.ones(5000, dtype=kind, device="cuda")
    matrix = torch.ones(5000, 8, dtype=kind, device="cuda")
    print(kind, "sum", int(ones.sum()))
    told("  CPU           ", ones.cpu().cumsum(0))
    told("  one dimension ", ones.cumsum(0))
    told("  along rows    ", matrix.T.contiguous().cumsum(1)[0])
    told("  down columns  ", matrix.cumsum(0)[:, 0])
    told("  as float32    ", matrix.cumsum(0, dtype=torch.float32)[:, 0])
CODE
python3 sums.py >seen
cat >expected <<'TEXT'
torch.float16 sum 5000
  CPU            [3000, 4096, 5000]
  one dimension  [2972, 4080, 4980]
  along rows     [2998, 4094, 4996]
  down columns   [2048, 2048, 2048]
  as float32     [3000, 4096, 5000]
torch.bfloat16 sum 4992
  CPU            [3008, 4096, 4992]
  one dimension  [2976, 4080, 4992]
  along rows     [2976, 4080, 4960]
  down columns   [256, 256, 256]
  as float32     [3000, 4096, 5000]
TEXT
same seen expected

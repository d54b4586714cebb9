#!/usr/bin/env bash
# Triton 3.6.0 (torch 2.11.0) on an H200: with TRITON_INTERPRET=1 reductions give other results than when they are
# compiled, and nothing says so. Needs a GPU and a python3 with Triton and torch.
#
# Expected: equal results; the interpreter is there to debug a kernel on the CPU (Triton's page "Debugging").
# Seen: tl.sum of 1024 bfloat16 ones is 0 in the interpreter, stored as float32 or bfloat16, while a copy and tl.max of
# them, and the sum of float16 ones, are right. tl.argmax names the first NaN there, and passes over NaNs when compiled.
# tl.histogram of 4 bins counts the value 4 in the last bin there, and drops it when compiled.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

cat >kernels.py <<'CODE'
import torch, triton, triton.language as tl
@triton.jit
def total(x, y, N: tl.constexpr): tl.store(y, tl.sum(tl.load(x + tl.arange(0, N)), 0))
@triton.jit
def largest(x, y, N: tl.constexpr): tl.store(y, tl.max(tl.load(x + tl.arange(0, N)), 0))
@triton.jit
def place(x, y, N: tl.constexpr): tl.store(y, tl.argmax(tl.load(x + tl.arange(0, N)), 0))
@triton.jit
def bins(x, y, N: tl.constexpr): tl.store(y + tl.arange(0, 4), tl.histogram(tl.load(x + tl.arange(0, N)), 4))
def run(kernel, x, type, count=1):
    y = torch.zeros(count, dtype=type, device="cuda")
    kernel[(1,)](x, y, len(x))
    return y.tolist()
half, bfloat = (torch.ones(1024, dtype=type, device="cuda") for type in (torch.float16, torch.bfloat16))
numbers = torch.arange(1024, dtype=torch.int32, device="cuda")
nans = torch.where((numbers == 5) | (numbers == 9), float("nan"), numbers.float())
print(" sums: float16", *run(total, half, torch.float32), "bfloat16", *run(total, bfloat, torch.float32),
      *run(total, bfloat, torch.bfloat16), "largest", *run(largest, bfloat, torch.float32))
print(" argmax with NaNs", *run(place, nans, torch.int32), "histogram", *run(bins, numbers % 6, torch.int32, 4))
CODE
{
    echo compiled && python3 kernels.py
    echo interpreted && TRITON_INTERPRET=1 python3 kernels.py
} >seen
cat >expected <<'TEXT'
compiled
 sums: float16 1024.0 bfloat16 1024.0 1024.0 largest 1.0
 argmax with NaNs 1023 histogram 171 171 171 171
interpreted
 sums: float16 1024.0 bfloat16 0.0 0.0 largest 1.0
 argmax with NaNs 5 histogram 171 171 171 341
TEXT
same seen expected

#!/usr/bin/env bash
# PyTorch 2.11.0 on an H200: torch.sum of the same floats has other last bits where the array begins at
# another multiple of four bytes. Needs a GPU and a python3 with torch.
#
# Expected: the same values in the same order have the same sum, as they have in each of many calls on
# one array.
# Seen: of 2^24 + 3 floats at eight offsets of one element each torch.sum gives three different
# results, which repeat every 16 bytes: the loads' width decides the order of additions. cupy.sum
# (CuPy 14.2.0) gave one result there and two at 2^12. So "deterministic" is a property of the call
# and the address.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

cat >sums.py <<'CODE'
import torch
generator = torch.Generator(device="cuda")
generator.manual_seed(1)
n = (1 << 24) + 3
values = torch.rand(n, device="cuda", generator=generator)
sums = []
for offset in range(8):
    view = torch.empty(n + 8, device="cuda")[offset:offset + n]
    view.copy_(values)
    assert len({view.sum().item() for _ in range(20)}) == 1
    sums.append(view.sum().item())
print("the same in 20 calls at one address")
print("repeats after four elements:", sums[:4] == sums[4:])
print("one result for all addresses:", len(set(sums)) == 1)
CODE
python3 sums.py >seen
cat >expected <<'TEXT'
the same in 20 calls at one address
repeats after four elements: True
one result for all addresses: False
TEXT
same seen expected

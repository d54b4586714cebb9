#!/usr/bin/env bash
# CuPy 14.2.0 on an H200: of two NaNs cupy.argmax names the second one in a large array, the first in a small one.
# Needs a GPU and a python3 with CuPy and torch.
#
# Expected: the index of the first NaN, as numpy.argmax says ("the first occurrence"), and as CuPy itself says of
# equal maxima, in arrays of any size.
# Seen: right with 1000 floats; with 2^20 and 2^24 the index of the second NaN, from argmin, too. Equal maxima
# without NaN are right in all three. NumPy and torch.argmax name the first everywhere.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

cat >nans.py <<'CODE'
import cupy, numpy, torch
for n in (1000, 1 << 20, 1 << 24):
    values = numpy.ones(n, numpy.float32)
    values[[n // 3, n // 2]] = 5
    first = {n // 3: "first", n // 2: "second"}
    on_gpu = cupy.asarray(values)
    print(n, "equal maxima:", first[int(cupy.argmax(on_gpu))])
    values[[n // 3, n // 2]] = numpy.nan
    on_gpu = cupy.asarray(values)
    print(n, "two NaNs: numpy", first[int(numpy.argmax(values))],
          "torch", first[int(torch.argmax(torch.as_tensor(on_gpu)))],
          "cupy argmax", first[int(cupy.argmax(on_gpu))], "argmin", first[int(cupy.argmin(on_gpu))])
CODE
python3 nans.py >seen
cat >expected <<'TEXT'
1000 equal maxima: first
1000 two NaNs: numpy first torch first cupy argmax first argmin first
1048576 equal maxima: first
1048576 two NaNs: numpy first torch first cupy argmax second argmin second
16777216 equal maxima: first
16777216 two NaNs: numpy first torch first cupy argmax second argmin second
TEXT
same seen expected

#!/usr/bin/env bash
# How many registers and bytes of shared memory nvcc gave to each kernel: registers.sh PROGRAM …
# Needs cuobjdump, which comes with the CUDA toolkit, and no GPU. The harness's own kernels are left
# out.
set -euo pipefail

command -v cuobjdump >/dev/null ||
    { echo "make registers: no cuobjdump in PATH, which comes with the CUDA toolkit" >&2; exit 3; }
row='%-23s %9s %6s  %s\n'
# shellcheck disable=SC2059 # the format is ours
printf "$row" program registers shared kernel
for program in "$@"; do
    cuobjdump -res-usage "$program" | c++filt | awk -v row="$row" -v program="${program##*/}" '
        / Function / { sub(/ *Function /, ""); sub(/:$/, ""); kernel = $0 }
        kernel ~ /^(read_all|spin|nothing)\(/ { next }
        / REG:/ && match($0, /REG:[0-9]+/) {
            registers = substr($0, RSTART + 4, RLENGTH - 4)
            match($0, /SHARED:[0-9]+/)
            printf row, program, registers, substr($0, RSTART + 7, RLENGTH - 7), kernel
        }'
done

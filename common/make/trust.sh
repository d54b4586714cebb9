#!/usr/bin/env bash
# How far the times of one program lie apart: trust.sh PROGRAM …, each at small sizes in five
# processes. Prints rows of --csv under their header.
set -euo pipefail

"$1" -n 1 -r 1 --csv | sed -n 1p
for n in 2^10 2^12 2^14 2^16 2^18 2^20; do
    echo "make bench-trust: n = $n" >&2
    for _ in 1 2 3 4 5; do
        for program in "$@"; do
            "$program" -n $n --csv | tail -n 1
        done
    done
done

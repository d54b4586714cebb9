#!/usr/bin/env bash
# How far a sum of floats in [0, 1) depends on the order: float-order.sh ATOMIC FIXED …, programs
# built with TYPE=float. The first runs 12 times, the others, one for each BLOCK, once.
# Prints rows name,block,n,result,expected.
set -euo pipefail
. "$(dirname "$0")/../make/csv.sh"

echo name,block,n,result,expected
for program in $(printf "$1 %.0s" {1..12}) "${@:2}"; do
    row_of "$program" -n 2^24 --uniform -r 1
    echo "${field[name]},${field[block]},${field[n]},${field[result]},${field[expected]}"
done

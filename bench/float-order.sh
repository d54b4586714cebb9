#!/usr/bin/env bash
# How far a sum of floats in [0, 1) depends on the order: float-order.sh ATOMIC FIXED …, programs
# built with TYPE=float. The first runs 12 times, the others, one for each BLOCK, once.
# Prints rows name,block,n,result,expected.
set -euo pipefail

echo name,block,n,result,expected
for program in $(printf "$1 %.0s" {1..12}) "${@:2}"; do
    "$program" -n 2^24 --uniform -r 1 --csv | tail -n 1 | cut -d, -f 2,6,7,15,16
done

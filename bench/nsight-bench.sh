#!/usr/bin/env bash
# What the CPU backend's counters are held against: nsight-bench.sh MAKE (a command, for the GPU)
# Prints Nsight Compute's of the first launch of every program of ints that both backends run, of
# the steps at more sizes and with other blocks: its version, a header, nsight.sh's rows.
set -euo pipefail

make=$1
nsight=$(dirname "$0")/nsight.sh

rows() { # BLOCK N PROGRAM …
    echo "make bench-nsight: blocks of $1, n = $2" >&2
    "$nsight" "${@:2}"
}

echo "# nsight: $(ncu --version | awk '/^Version/ {print $2}')"
echo step,name,type,block,n,metric,value
list=$($make programs)
others='/(cluster|cooperative-groups|cub|deterministic-float|multi-gpu.*)$'
mapfile -t programs < <(grep -vE "$others" <<<"$list")
mapfile -t steps < <(grep -E '/step[0-9]+$' <<<"$list")
for n in 1000 65537; do
    rows 256 $n "${programs[@]}"
done
for n in 1000003 2^20; do
    rows 256 $n "${steps[@]}"
done
for block in 32 64 1024; do # step 00 has a block of its own
    list=$($make BLOCK=$block programs)
    mapfile -t steps < <(grep -E '/step0[1-7]$' <<<"$list")
    for n in 65537 2^20; do
        rows $block $n "${steps[@]}"
    done
done

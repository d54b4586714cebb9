#!/usr/bin/env bash
# What the CPU backend's counters are held against: nsight-bench.sh MAKE (a command, for the GPU)
# Prints Nsight Compute's of the first launch of every program of ints that both backends run (all
# but $NEEDS_GPU), of the steps at more sizes and with other blocks: its version, a header,
# nsight.sh's rows.
set -euo pipefail

make=$1
nsight=$(dirname "$0")/nsight.sh

rows() { # BLOCK PROGRAMS N …
    local n
    for n in "${@:3}"; do
        echo "make bench-nsight: blocks of $1, n = $n" >&2
        # shellcheck disable=SC2086 # a program a word
        "$nsight" "$n" $2
    done
}

steps_of() { grep -E '/step[0-9]+$' <<<"$1"; }

echo "# nsight: $(ncu --version | awk '/^Version/ {print $2}')"
echo step,name,type,block,n,metric,value
programs=$($make TYPE=int programs)
rows 256 "$(grep -vE "/(${NEEDS_GPU// /|})\$" <<<"$programs")" 1000 65537
rows 256 "$(steps_of "$programs")" 1000003 2^20
for block in 32 64 1024; do
    programs=$($make TYPE=int BLOCK=$block programs)
    rows $block "$(steps_of "$programs" | grep -v /step00)" 65537 2^20 # 00 has a block of its own
done

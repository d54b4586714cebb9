#!/usr/bin/env bash
# What the CPU backend counts in one reduction of 2^20 ints by each program, in one CSV, its columns
# those of --counters=csv: count.sh OUT.csv PROGRAM … (built with TYPE=int BLOCK=256). OUT.csv is
# written whole or not at all.
set -euo pipefail

out=$1
shift
trap 'rm -f "$out.new"' EXIT
{
    printf '# n: %s\n# type: int\n# block: 256\n' $((1 << 20))
    for program in "$@"; do
        rows=$("$program" -n 2^20 --counters=csv) ||
            { echo "make $out: $(basename "$program") failed" >&2; exit 1; }
        [ "$program" != "$1" ] || echo "${rows%%$'\n'*}"
        echo "${rows#*$'\n'}"
    done
} >"$out.new"
mv "$out.new" "$out"
echo "$out: $# programs, $(grep -c , "$out") lines"

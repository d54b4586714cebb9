#!/usr/bin/env bash
# What the CPU backend counts in one reduction of 2^20 ints by each program, in one CSV, its columns
# those of --counters=csv: count.sh OUT.csv PROGRAM … (built with TYPE=int BLOCK=256). Programs that
# need a GPU are left out. OUT.csv is written whole or not at all.
set -euo pipefail
export LC_ALL=C

[ $# -ge 2 ] || { echo "usage: count.sh OUT.csv PROGRAM …" >&2; exit 2; }
out=$1
shift
errors=$(mktemp)
trap 'rm -f "$out.new" "$errors"' EXIT

count_all() {
    local program rows header=
    printf '# n: %s\n# type: int\n# block: 256\n' $((1 << 20))
    for program in "$@"; do
        if ! rows=$("$program" -n 2^20 --counters=csv 2>"$errors"); then
            grep -q ' needs a GPU ' "$errors" && continue
            echo "count.sh: $(basename "$program") failed: $(tail -n 1 "$errors")" >&2
            return 1
        fi
        [ -n "$header" ] || { header=${rows%%$'\n'*}; echo "$header"; }
        echo "${rows#*$'\n'}"
    done
}

count_all "$@" >"$out.new"
mv "$out.new" "$out"

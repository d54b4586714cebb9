#!/usr/bin/env bash
# Pictures of which thread touches which word, drawn from traces of the CPU backend:
# access.sh FOLDER PROGRAM …
set -euo pipefail

# Eight elements per thread of step 00, so that each of them lies in a sector of its own.
n=2^13

folder=$1
shift
work=$(mktemp -d 2>/dev/null) || {
    echo "make access: TMPDIR=${TMPDIR:-/tmp}: no folder that can be written; want one" >&2
    exit 2
}
trap 'rm -rf "$work"' EXIT
for program in "$@"; do
    "$program" -n $n --trace "$work/$(basename "$program").csv" --csv >/dev/null ||
        { status=$?; echo "make access: $(basename "$program") failed" >&2; exit $status; }
done
"${PYTHON:-python3}" -m plots.access --out="$folder" "$work"/*.csv

#!/usr/bin/env bash
# What a GPU counts in one reduction, as the same table that --counters prints on the CPU backend,
# with write-up 0's further figures at its end: profile.sh PROGRAM [N], N 2^20 if not given.
# (make build/simt/nsight-table builds what lays the table out.)
set -euo pipefail

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: profile.sh PROGRAM [N]" >&2
    exit 2
fi
here=$(dirname "$0")
rows=$("$here/nsight.sh" --launches "${2:-2^20}" "$1")
"$here/../build/simt/nsight-table" <<<"$rows"

#!/usr/bin/env bash
# Times the steps on a GPU: plots/ladder.sh "N …" PROGRAM … >FILE.csv, the CSV of the programs
# under one header, with a comment line that says when and with what.
set -euo pipefail

sizes=$1
shift
echo "# $(date -u +%F), CUDA $(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p'), driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
header=
for n in $sizes; do
    for program in "$@"; do
        csv=$("$program" -n "$n" --csv)
        [ -n "$header" ] || { header=yes; echo "${csv%%$'\n'*}"; }
        echo "${csv##*$'\n'}"
    done
done

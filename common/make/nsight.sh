#!/usr/bin/env bash
# Nsight Compute's counters of the first launch of each program: nsight.sh N PROGRAM …
# Prints rows step,name,type,block,n,metric,value on stdout; without permission to read counters,
# or without ncu, it says so and exits with status 3.
set -euo pipefail

n=$1
shift
metrics=$(dirname "$0")/nsight-metrics
list=$(awk '!/^#/ {print $2}' "$metrics" | paste -sd,)
command -v ncu >/dev/null || { echo "ncu (Nsight Compute) not found; make counters needs none" >&2; exit 3; }

for program in "$@"; do
    raw=$(ncu --csv --print-units base --clock-control none --kernel-name regex:reduce \
        --launch-count 1 --metrics "$list" "$program" -n "$n" -r 1 --csv 2>&1) ||
        { echo "ncu failed on $program:" >&2; grep -E 'ERR_|==ERROR==' <<<"$raw" >&2; exit 3; }
    head=$(grep -E '^[0-9]*,[a-z-]+,cuda,' <<<"$raw" | tail -n 1 | awk -F, '{print $1 "," $2 "," $5 "," $6 "," $7}')
    # its rows are quoted: the metric's name is the third from the end, the value the last
    awk -v head="$head" '
        NR == FNR { if ($0 !~ /^#/) name[$2] = $1; next }
        /^"[0-9]+"/ {
            count = split($0, field, "\",\"")
            value = field[count]
            gsub(/[",\r]/, "", value)
            print head "," name[field[count - 2]] "," value
        }' "$metrics" - <<<"$raw"
done

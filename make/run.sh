#!/usr/bin/env bash
# Runs programs one after the other and prints one table: run.sh PROGRAM …
# Stops at the first that fails, with its status and its message.
set -euo pipefail
export LC_ALL=C # printf would want the locale's decimal point

first=
for program in "$@"; do
    csv=$("$program" --csv) || { status=$?; echo "make run: $(basename "$program") failed" >&2; exit $status; }
    row=${csv##*$'\n'}
    IFS=, read -r step name backend device type block n _ cache ms _ _ gbps peak result _ _ <<<"$row"
    if [ -z "$first" ]; then
        first=${ms:-none}
        if [ "$backend" = cuda ]; then
            echo "$device, n = $n $type, $cache cache"
            printf '%-4s %-21s %5s %9s %7s %7s %9s %11s\n' step name block ms GB/s '% peak' 'x step 00' sum
        else
            echo "CPU backend, n = $n $type; a CPU's time says nothing about a GPU's"
            printf '%-4s %-21s %5s %11s\n' step name block sum
        fi
    fi
    if [ "$backend" = cuda ]; then
        speedup=$(awk -v a="$first" -v b="$ms" 'BEGIN { printf "%.1f", a / b }')
        [ -z "$peak" ] || peak=$(printf %.1f "$peak")
        printf '%-4s %-21s %5d %9.4f %7.1f %7s %9s %11s\n' \
            "$step" "$name" "$block" "$ms" "$gbps" "${peak:--}" "$speedup" "$result"
    else
        printf '%-4s %-21s %5d %11s  verified\n' "$step" "$name" "$block" "$result"
    fi
done

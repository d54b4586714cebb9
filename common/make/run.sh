#!/usr/bin/env bash
# Runs programs one after the other and prints one table: run.sh PROGRAM …
# Stops at the first that fails, with its status and its message.
set -euo pipefail

first=
for program in "$@"; do
    csv=$("$program" --csv) || { status=$?; echo "make run: $(basename "$program") failed" >&2; exit $status; }
    row=${csv##*$'\n'}
    IFS=, read -r step name backend device type block n _ cache ms _ _ gbps peak result _ _ <<<"$row"
    if [ -z "$first" ]; then
        first=${ms:-none}
        if [ "$backend" = cuda ]; then
            echo "$device, n = $n $type, blocks of $block, $cache cache"
            printf '%-4s %-28s %10s %9s %8s %10s  %s\n' step name ms GB/s '% peak' 'x step 00' sum
        else
            echo "CPU backend, n = $n $type, blocks of $block; a CPU's time says nothing about a GPU's"
            printf '%-4s %-28s %14s\n' step name sum
        fi
    fi
    if [ "$backend" = cuda ]; then
        speedup=$(awk -v a="$first" -v b="$ms" 'BEGIN { printf "%.1f", a / b }')
        printf '%-4s %-28s %10.4f %9.1f %8.1f %10s  %s\n' "$step" "$name" "$ms" "$gbps" "${peak:-0}" "$speedup" "$result"
    else
        printf '%-4s %-28s %14s  verified\n' "$step" "$name" "$result"
    fi
done

#!/usr/bin/env bash
# Runs programs one after the other and prints one table: run.sh PROGRAM …
# Stops at the first that fails, with its status and its message.
set -euo pipefail
export LC_ALL=C # printf would want the locale's decimal point
. "$(dirname "$0")/csv.sh"

head_line() {
    if [ "${field[backend]}" = cuda ]; then
        echo "${field[device]}, n = ${field[n]} ${field[type]}, ${field[cache]} cache"
        printf '%-4s %-21s %5s %9s %7s %7s %9s %11s\n' step name block ms GB/s '% peak' 'x step 00' sum
    else
        echo "CPU backend, n = ${field[n]} ${field[type]}; a CPU's time says nothing about a GPU's"
        printf '%-4s %-21s %5s %11s\n' step name block sum
    fi
}

first=
for program in "$@"; do
    row_of "$program" ||
        { status=$?; echo "make run: $(basename "$program") failed" >&2; exit $status; }
    ms=${field[median_ms]} peak=${field[pct_of_peak]}
    [ -n "$first" ] || head_line
    first=${first:-${ms:-none}}
    about=("${field[step]}" "${field[name]}" "${field[block]}")
    if [ "${field[backend]}" = cuda ]; then
        speedup=$(awk -v a="$first" -v b="$ms" 'BEGIN { printf "%.1f", a / b }')
        [ -z "$peak" ] || peak=$(printf %.1f "$peak")
        printf '%-4s %-21s %5d %9.4f %7.1f %7s %9s %11s\n' "${about[@]}" "$ms" \
            "${field[gb_per_s]}" "${peak:--}" "$speedup" "${field[result]}"
    else
        printf '%-4s %-21s %5d %11s  verified\n' "${about[@]}" "${field[result]}"
    fi
done

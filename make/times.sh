#!/usr/bin/env bash
# Times programs of the lab beside each other: times.sh PROGRAM … The median in microseconds at some
# numbers of elements, as the harness measures it (common/timing.h). Its status is the first
# program's that fails; what that said is shown.
set -euo pipefail
export LC_ALL=C # printf would want the locale's decimal point
. "$(dirname "$0")/csv.sh"
powers=(16 20 24 28)

heading=$(printf '%10s' "${powers[@]/#/2^}")
printf 'microseconds at n =%s\n' "$heading"
for program in "$@"; do
    line=$(printf '  %-17s' "$(basename "$program" | sed 's/^handin$/yours/')")
    for power in "${powers[@]}"; do
        row_of "$program" -n "2^$power" || { echo "$line   fails at n = 2^$power" && exit 1; }
        line+=$(awk -v ms="${field[median_ms]}" 'BEGIN { printf "%10.2f", 1000 * ms }')
    done
    echo "$line"
done

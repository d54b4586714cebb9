#!/usr/bin/env bash
# Runs programs that make has built, one after the other, for its recipes:
#
#   programs.sh run PROGRAM …                one table: of times on a GPU, else of results
#   programs.sh times PROGRAM …              microseconds at some numbers of elements, beside each other
#   programs.sh counters OUT.csv PROGRAM …   the counters of 2^20 ints in one CSV, whole or not at all
#   programs.sh table FILE.csv               these counters as make counters prints them
#
# It stops at the first that fails, with its status: what that said is shown.
set -euo pipefail
export LC_ALL=C # printf and awk would take the locale's decimal point
target=$1
shift

show() { "${0%/*}/../simt/progress.sh" "$@" s; } # WHAT I N, on a terminal alone

tried() { "$@" || { status=$?; echo "make $target: ${1##*/} failed" >&2; exit $status; }; }

# Runs a program and sets field[NAME] for each column of the row that it prints. One that printed
# none, such as the empty file that a full disk has left, is told: the row before is not its row.
declare -A field
row_of() { # PROGRAM ARGUMENT …
    local text i names values
    text=$(tried "$@" --csv)
    field=()
    IFS=, read -r -a names <<<"${text%%$'\n'*}"
    IFS=, read -r -a values <<<"${text##*$'\n'},end" # of an empty last field, too
    [[ ${text%%$'\n'*} == *name,* ]] && [ ${#values[@]} = $((${#names[@]} + 1)) ] ||
        { echo "make $target: $1 printed no row: make clean, and build it again" >&2; exit 1; }
    for i in "${!names[@]}"; do field[${names[i]}]=${values[i]}; done
}

run() {
    local program first='' peak speedup
    for program in "$@"; do
        row_of "$program"
        if [ "${field[backend]}" = cpu ]; then
            [ -n "$first" ] || printf 'CPU backend, n = %s %s; %s\n%-4s %-21s %5s %11s\n' "${field[n]}" \
                "${field[type]}" "a CPU's time says nothing about a GPU's" step name block sum
            first=none
            printf '%-4s %-21s %5d %11s  verified\n' "${field[step]}" "${field[name]}" \
                "${field[block]}" "${field[result]}"
            continue
        fi
        [ -n "$first" ] || printf '%s, n = %s %s, %s cache\n%-4s %-21s %5s %9s %7s %7s %9s %11s\n' \
            "${field[device]}" "${field[n]}" "${field[type]}" "${field[cache]}" \
            step name block ms GB/s '% peak' 'x step 00' sum
        first=${first:-${field[median_ms]}} peak=${field[pct_of_peak]}
        speedup=$(awk -v a="$first" -v b="${field[median_ms]}" 'BEGIN { printf "%.1f", a / b }')
        [ -z "$peak" ] || peak=$(printf %.1f "$peak")
        printf '%-4s %-21s %5d %9.4f %7.1f %7s %9s %11s\n' "${field[step]}" "${field[name]}" \
            "${field[block]}" "${field[median_ms]}" "${field[gb_per_s]}" "${peak:--}" "$speedup" \
            "${field[result]}"
    done
    [ "$first" != none ] || echo "What makes a step faster: make counters"
}

times() {
    local program power powers=(16 20 24 28) line ratio
    local -A given
    printf 'microseconds at n =%s\n' "$(printf '%10s' "${powers[@]/#/2^}")"
    for program in "$@"; do
        line=$(printf '  %-17s' "$(basename "$program" | sed 's/^handin$/yours/; s/^given$/given.cu/')")
        ratio=$(printf '  %-17s' 'times as fast')
        for power in "${powers[@]}"; do
            row_of "$program" -n "2^$power"
            line+=$(awk -v ms="${field[median_ms]}" 'BEGIN { printf "%10.2f", 1000 * ms }')
            given[$power]=${given[$power]:-${field[median_ms]}}
            ratio+=$(awk -v a="${given[$power]}" -v b="${field[median_ms]}" 'BEGIN { printf "%10.2f", a / b }')
        done
        echo "$line"
    done
    [[ $1 != */given ]] || echo "$ratio"
}

counters() { # OUT.csv PROGRAM …
    local program rows text number=0
    text=$(for program in "${@:2}"; do
        show 'counting programs' $((number += 1)) $(($# - 1))
        rows=$(tried "$program" -n 2^20 --counters=csv) || exit
        [[ $rows == *$'\n'* ]] || { echo "make $target: $program counted nothing: make clean, and build it again" >&2; exit 1; }
        [ "$program" != "$2" ] || printf '# n: %s\n# type: %s\n# block: %s\n%s\n' $((1 << 20)) \
            "${TYPE:-int}" "${BLOCK:-256}" "${rows%%$'\n'*}"
        echo "${rows#*$'\n'}"
    done)
    echo "$text" >"$1.$$" && mv -f "$1.$$" "$1" ||
        { rm -f "$1.$$"; echo "make $target: $1 cannot be written" >&2; exit 2; }
}

table() { awk -f make/counters.awk make/figures.csv "$1"; } # FILE.csv

"$target" "$@"

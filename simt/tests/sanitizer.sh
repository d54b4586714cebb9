#!/usr/bin/env bash
# sanitizer.sh: what compute-sanitizer says about the cases of twins/.
#
# Needs a GPU. Prints a CSV table, a row a case; a cell is `found` (errors or hazards), `-` (none),
# `timeout`, or `hangs` of what would hang on a GPU and is not run. NVCC chooses another nvcc, JOBS how
# many are built or run at a time, SECONDS_EACH how long a run may take (60).
#
# sanitizer.sh --list: all cases as CSV, name,expect,hangs; the last is `hangs` or `-`. Needs no GPU.
#
# A case is CASE(NAME, "WHAT IS TO BE TOLD"), where NAME is the program's argument; its row is called
# after the program and the case. TWINS are two: NAME_right is the other, of which nothing is told. Deadlocks and endless loops hang, and what `// hangs` stands behind.
# `// nvcc: OPTIONS` is what else nvcc needs.
set -euo pipefail
cd "$(dirname "$0")/twins"
shopt -s nullglob

cases() {
    for file in *.cu; do
        sed -nE "s#^.*\\<(CASE|TWINS)\\((\\w+), \"([^\"]+)\"\\)(.*)#\\1,${file%.cu} \\2,\\3,\\4#p" "$file"
    done | awk -F, '
        { print $2 "," $3 "," ($3 ~ /^(deadlock|endless)/ || /[/] hangs/ ? "hangs" : "-") }
        $1 == "TWINS" { print $2 "_right,nothing," (/[/] hangs/ ? "hangs" : "-") }'
}

if [ "${1:-}" = --list ]; then
    echo name,expect,hangs
    cases
    exit
fi

nvcc=${NVCC:-nvcc}
for tool in "$nvcc" compute-sanitizer; do
    command -v "$tool" >/dev/null || {
        echo "sanitizer.sh: no $tool: install the CUDA toolkit and put its bin folder into PATH" >&2
        exit 2
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build FILE.cu: what does not compile has no rows.
build() {
    # shellcheck disable=SC2046 # options are words
    "$nvcc" -arch=native -lineinfo --extended-lambda $(sed -n 's|^// nvcc: ||p' "$1") \
        -o "$work/${1%.cu}" "$1" || true
}

# verdict TOOL PROGRAM CASE: one cell. The program's own status is of no interest.
verdict() {
    local log status=0 number
    log=$(mktemp -p "$work")
    timeout -k 5 "${SECONDS_EACH:-60}" compute-sanitizer --tool "$1" --print-limit 1 "$work/$2" "$3" \
        >"$log" 2>&1 || status=$?
    number=$(sed -n 's/.*SUMMARY: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    if [ $status = 124 ] || [ $status = 137 ]; then
        echo timeout
    elif [ "${number:-0}" -gt 0 ]; then
        echo found
    else
        [ -n "$number" ] || echo "$2 $3, $1: no summary: $(tail -n 1 "$log")" >&2
        echo -
    fi
}

# judge NUMBER CASE: leaves the row of a case, as `cases` lists it, in a file.
judge() {
    local name expect hangs row tool
    IFS=, read -r name expect hangs <<<"$2"
    row=$name,$expect
    [ "$hangs" = hangs ] || [ -x "$work/${name% *}" ] || return 0
    for tool in memcheck racecheck synccheck initcheck; do
        # shellcheck disable=SC2086 # the program and its argument
        if [ "$hangs" = hangs ]; then row+=,hangs; else row+=,$(verdict $tool $name); fi
    done
    echo "$row" >"$work/$1.row"
}
export -f build judge verdict
export nvcc work

at_a_time=${JOBS:-6}
printf '%s\n' *.cu | xargs -r -P "$at_a_time" -I{} bash -c 'build "$@"' build {}
cases | awk '{ printf "%05d\n%s\n", NR, $0 }' |
    xargs -r -d '\n' -n 2 -P "$at_a_time" bash -c 'judge "$@"' judge
echo name,expect,memcheck,racecheck,synccheck,initcheck
cat "$work"/*.row

#!/usr/bin/env bash
# sanitizer.sh: what compute-sanitizer says about the programs beside it.
#
# Needs a GPU. Prints a CSV table, a row a case; a cell is `found` (errors or hazards), `-` (none),
# `timeout`, or `hangs` of what would hang on a GPU and is not run. NVCC chooses another nvcc, JOBS how
# many are built or run at a time, SECONDS_EACH how long a run may take (60).
#
# sanitizer.sh --list: all cases as CSV, name,expect,hangs; the last is `hangs` or `-`. Needs no GPU.
#
# The cases, here, in ../twins and in ../cases, are CASE(NAME, "WHAT IS TO BE TOLD"), where NAME is the
# program's argument, or several in a line `// run: ARGUMENTS, ARGUMENTS … = WHAT`. A row's name is the
# program's and the case's. Behind a line `// gpu: hangs` cases hang; so do those of `// hangs: …`,
# instead of `// run: …`. `// nvcc: OPTIONS` is what else nvcc needs.
set -euo pipefail
cd "$(dirname "$0")"
shopt -s nullglob

# cases: of each case its file, `hangs` or `-`, its arguments and what is to be told, by bars.
cases() {
    awk '
        function add(text, how,    at, count, i, each) {
            at = index(text, " = ")
            count = split(substr(text, 1, at - 1), each, ", ")
            for (i = 1; i <= count; i++)
                print FILENAME "|" how "|" each[i] "|" substr(text, at + 3)
        }
        FNR == 1 { hangs = "-" }
        /^ *\/\/ gpu: hangs/ { hangs = "hangs" }
        /^\/\/ run: / { add(substr($0, 9), hangs) }
        /^\/\/ hangs: / { add(substr($0, 11), "hangs") }
        {
            while (match($0, /CASE\([A-Za-z0-9_]+, "[^"]+"\)/)) {
                text = substr($0, RSTART + 5, RLENGTH - 7)
                $0 = substr($0, RSTART + RLENGTH)
                sub(/, "/, " = ", text)
                add(text, hangs)
            }
        }' *.cu ../twins/*.cu ../cases/*.cu
}

# name FILE.cu ARGUMENTS: $name is what its row calls a case. (There are hundreds: nothing forks.)
name() {
    name=${1##*/}
    name=${name%.cu}${2:+ $2}
}

if [ "${1:-}" = --list ]; then
    echo name,expect,hangs
    cases | while IFS='|' read -r file hangs arguments expect; do
        name "$file" "$arguments"
        echo "$name,$expect,$hangs"
    done
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
        -o "$work/$(basename "$1" .cu)" "$1" || true
}

# verdict TOOL PROGRAM [ARGUMENT …]: one cell. The program's own status is of no interest.
verdict() {
    local tool=$1 log status=0 number
    shift
    log=$(mktemp -p "$work")
    timeout -k 5 "${SECONDS_EACH:-60}" compute-sanitizer --tool "$tool" --print-limit 1 "$@" >"$log" 2>&1 || status=$?
    if [ $status = 124 ] || [ $status = 137 ]; then
        echo timeout
        return
    fi
    number=$(sed -n 's/.*SUMMARY: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    if [ -z "$number" ]; then
        echo "$(basename "$1") ${*:2}, $tool: no summary: $(tail -n 1 "$log")" >&2
    fi
    if [ "${number:-0}" -gt 0 ]; then echo found; else echo -; fi
}

# judge NUMBER CASE: leaves the row of a case, as `cases` lists it, in a file.
judge() {
    local file hangs arguments expect row tool program name
    IFS='|' read -r file hangs arguments expect <<<"$2"
    program=$work/$(basename "$file" .cu)
    name "$file" "$arguments"
    row=$name,$expect
    for tool in memcheck racecheck synccheck initcheck; do
        if [ "$hangs" = hangs ]; then
            row+=,hangs
        elif [ -x "$program" ]; then
            # shellcheck disable=SC2086 # arguments are words
            row+=,$(verdict "$tool" "$program" $arguments)
        else
            return 0
        fi
    done
    echo "$row" >"$work/$1.row"
}
export -f build judge name verdict
export nvcc work

at_a_time=${JOBS:-6}
{ cases | grep -v '|hangs|' || true; } | cut -d'|' -f1 | uniq |
    xargs -r -P "$at_a_time" -I{} bash -c 'build "$@"' build {}
cases | awk '{ printf "%05d\n%s\n", NR, $0 }' |
    xargs -r -d '\n' -n 2 -P "$at_a_time" bash -c 'judge "$@"' judge
echo name,expect,memcheck,racecheck,synccheck,initcheck
cat "$work"/*.row

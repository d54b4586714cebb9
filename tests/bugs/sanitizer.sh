#!/usr/bin/env bash
# sanitizer.sh [--keep OLD.csv] [OPTION OF NVCC …]: what compute-sanitizer says about the programs
# beside it.
#
# Needs a GPU. Prints a CSV table, a row a case; a cell is `found` (errors or hazards), `-` (none),
# `timeout`, or `hangs` of what would hang on a GPU and is not run. With -DFIXED the corrected twins
# are judged. NVCC chooses another nvcc, JOBS how many are built or run at a time, SECONDS_EACH how
# long a run may take (60). --keep: a case that OLD.csv, an earlier table, has without a timeout is
# copied from it and not run.
#
# sanitizer.sh --list: all cases as CSV, name,expect,hangs; the last is `hangs` or `-`. Needs no GPU.
#
# The cases, here, in ../twins and in ../cases, are CASE(NAME, "WHAT IS TO BE TOLD"), where NAME is the
# program's argument, or several in a line `// run: ARGUMENTS, ARGUMENTS … = WHAT`. A row's name is the
# program's and the case's. Behind a line `// gpu: hangs` cases hang, if not their twins; those of
# `// hangs: …`, instead of `// run: …`, in any case. `// nvcc: OPTIONS` is what else nvcc needs.
set -euo pipefail
kept=
if [ "${1:-}" = --keep ]; then
    [ -r "${2:-}" ] || { echo "sanitizer.sh: --keep ${2:-}: want a table of an earlier run" >&2; exit 2; }
    kept=$(grep -v -e '^#' -e timeout "$2")
    shift 2
fi
cd "$(dirname "$0")"
shopt -s nullglob

# cases OPTION …: of each case its file, `hangs` or `-`, its arguments and what is to be told, by bars.
cases() {
    local fixed=0
    case " $* " in *" -DFIXED "*) fixed=1 ;; esac
    awk -v fixed=$fixed '
        function add(text, how,    at, count, i, each) {
            at = index(text, " = ")
            count = split(substr(text, 1, at - 1), each, ", ")
            for (i = 1; i <= count; i++)
                print FILENAME "|" how "|" each[i] "|" substr(text, at + 3)
        }
        FNR == 1 { hangs = "-" }
        /^ *\/\/ gpu: hangs/ && !fixed { hangs = "hangs" }
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
work=$(mktemp -d 2>/dev/null) || {
    echo "sanitizer.sh: TMPDIR=${TMPDIR:-/tmp}: no folder that can be written; want one" >&2
    exit 2
}
trap 'rm -rf "$work"' EXIT

# build FILE.cu OPTION …: what does not compile has no rows.
build() {
    local file=$1
    shift
    # shellcheck disable=SC2046 # options are words
    "$nvcc" -arch=native -lineinfo --extended-lambda $(sed -n 's|^// nvcc: ||p' "$file") "$@" \
        -o "$work/$(basename "$file" .cu)" "$file" || true
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

# kept NAME: the row of a case that need not run.
kept() {
    [ -n "$kept" ] && awk -F, -v name="$1" '$1 == name { print; found = 1; exit } END { exit !found }' <<<"$kept"
}

# left: cases of standard input that must run.
left() {
    local file hangs arguments expect name
    while IFS='|' read -r file hangs arguments expect; do
        name "$file" "$arguments"
        kept "$name" >/dev/null || echo "$file|$hangs|$arguments|$expect"
    done
}

# judge NUMBER CASE: leaves the row of a case, as `cases` lists it, in a file.
judge() {
    local file hangs arguments expect row tool program name
    IFS='|' read -r file hangs arguments expect <<<"$2"
    program=$work/$(basename "$file" .cu)
    name "$file" "$arguments"
    kept "$name" >"$work/$1.row" && return
    rm "$work/$1.row"
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
export -f build judge kept name verdict
export kept nvcc work

at_a_time=${JOBS:-6}
{ cases "$@" | left | grep -v '|hangs|' || true; } | cut -d'|' -f1 | uniq |
    xargs -r -P "$at_a_time" -I{} bash -c 'build "$@"' build {} "$@"
cases "$@" | awk '{ printf "%05d\n%s\n", NR, $0 }' |
    xargs -r -d '\n' -n 2 -P "$at_a_time" bash -c 'judge "$@"' judge
echo name,expect,memcheck,racecheck,synccheck,initcheck
cat "$work"/*.row

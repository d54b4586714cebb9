#!/usr/bin/env bash
# sanitizer.sh [OPTION OF NVCC …]: what compute-sanitizer says about the programs beside it.
#
# Needs a GPU. Prints a CSV table; a cell is `found` (errors or hazards), `-` (none) or `timeout`.
# Programs that hang on a GPU (`// gpu: hangs`) are not run, their cells are `hangs`. With -DFIXED the
# corrected twins are judged, and none hangs. A program of several cases names each in a line
# `// run: ARGUMENTS [= WHAT IT EXPECTS]`, or, in ../twins, by CASE(NAME, "WHAT IT EXPECTS"): it is run
# once for each, and a row's name then has the arguments behind the program's. NVCC chooses another
# nvcc, JOBS how many programs run at a time, SECONDS_EACH how long a run may take (60).
set -euo pipefail
cd "$(dirname "$0")"

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

# cases FILE.cu: a line for each, its arguments and, behind =, what it expects.
cases() {
    sed -n 's,^// run: ,,p' "$1"
    { grep -oE '\bCASE\(\w+, "[^"]+"\)' "$1" || true; } | sed -E 's/CASE\((\w+), "(.*)"\)/\1 = \2/'
}

# judge FILE.cu OPTION…: builds a program and leaves its rows in a file.
judge() {
    local file=$1 name expect case hangs='' row tool arguments
    shift
    name=$(basename "$file" .cu) expect=$(sed -n 's,^// expect: ,,p' "$file")
    case " $* " in
    *" -DFIXED "*) ;;
    *) ! grep -q '^// gpu: hangs' "$file" || hangs=1 ;;
    esac
    [ -n "$hangs" ] || "$nvcc" -arch=native -lineinfo --extended-lambda "$@" -o "$work/$name" "$file" || return 0
    { cases "$file" | grep . || echo; } | while read -r case; do
        read -ra arguments <<<"${case%%=*}"
        [ "$case" = "${case#*=}" ] || expect=$(xargs <<<"${case#*=}")
        row="$name${arguments[*]:+ ${arguments[*]}},$expect"
        for tool in memcheck racecheck synccheck initcheck; do
            if [ -n "$hangs" ]; then row+=,hangs; else
                row+=,$(verdict "$tool" "$work/$name" ${arguments[@]+"${arguments[@]}"})
            fi
        done
        echo "$row"
    done >"$work/$name.row"
}
export -f cases judge verdict
export nvcc work

shopt -s nullglob
printf '%s\n' *.cu ../twins/*.cu | xargs -P "${JOBS:-6}" -I{} bash -c 'judge "$@"' judge {} "$@"
echo name,expect,memcheck,racecheck,synccheck,initcheck
cat "$work"/*.row

#!/usr/bin/env bash
# sanitizer.sh [OPTION OF NVCC …]: what compute-sanitizer says about the programs beside it.
#
# Needs a GPU. Prints a CSV table; a cell is `found` (errors or hazards), `-` (none) or `timeout`.
# Programs that hang on a GPU (`// gpu: hangs`) are left out. With -DFIXED the corrected twins are
# judged, and none hangs. NVCC chooses another nvcc, JOBS how many programs run at a time.
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

# verdict PROGRAM TOOL: one cell. The program's own status is of no interest.
verdict() {
    local log=$1.$2 status=0 number
    timeout -k 5 60 compute-sanitizer --tool "$2" --print-limit 1 "$1" >"$log" 2>&1 || status=$?
    if [ $status = 124 ] || [ $status = 137 ]; then
        echo timeout
        return
    fi
    number=$(sed -n 's/.*SUMMARY: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    if [ -z "$number" ]; then
        echo "$(basename "$1"), $2: no summary: $(tail -n 1 "$log")" >&2
    fi
    if [ "${number:-0}" -gt 0 ]; then echo found; else echo -; fi
}

# judge FILE.cu OPTION…: builds a program and leaves its row in a file.
judge() {
    local file=$1 name program tool row
    shift
    name=$(basename "$file" .cu) program=$work/$name
    "$nvcc" -arch=native -lineinfo "$@" -o "$program" "$file" || return 0
    row=$name,$(sed -n 's,^// expect: ,,p' "$file")
    for tool in memcheck racecheck synccheck initcheck; do
        row+=,$(verdict "$program" "$tool")
    done
    echo "$row" >"$program.row"
}
export -f judge verdict
export nvcc work

case " $* " in
*" -DFIXED "*) programs=(*.cu) ;;
*) mapfile -t programs < <(grep -L '^// gpu: hangs' -- *.cu) ;;
esac
printf '%s\n' "${programs[@]}" |
    xargs -P "${JOBS:-6}" -I{} bash -c 'judge "$@"' judge {} "$@"
echo name,expect,memcheck,racecheck,synccheck,initcheck
cat "$work"/*.row

#!/usr/bin/env bash
# sanitizer.sh: what compute-sanitizer says about the cases of twins/, which test_twins.py explains.
#
# Needs a GPU. Prints a CSV table, a row a case; a cell is `found` (errors or hazards), `-` (none),
# `timeout`, or `hangs` of what would hang on a GPU and is not run: deadlocks, endless loops, and what
# `// hangs` stands behind. NVCC chooses another nvcc, SECONDS_EACH how long a run may take (60).
# `// nvcc: OPTIONS` is what else nvcc needs. What does not compile has no rows.
set -euo pipefail
cd "$(dirname "$0")/twins"
for tool in "${NVCC:=nvcc}" compute-sanitizer; do
    command -v "$tool" >/dev/null || {
        echo "sanitizer.sh: no $tool: install the CUDA toolkit and put its bin folder into PATH" >&2
        exit 2
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# cell TOOL PROGRAM CASE. The program's own status is of no interest.
cell() {
    local said status=0
    said=$(timeout -k 5 "${SECONDS_EACH:-60}" compute-sanitizer --tool "$1" --print-limit 1 \
        "$work/$2" "$3" 2>&1) || status=$?
    case $said in
        *SUMMARY:\ [1-9]*) echo found ;;
        *SUMMARY:*) echo - ;;
        *) if [ $status = 124 ] || [ $status = 137 ]; then echo timeout; else echo -; fi ;;
    esac
}

# judge "PROGRAM CASE" "EXPECTED" "REST OF ITS LINE": its row.
judge() {
    local row=$1,$2 tool
    [ -x "$work/${1% *}" ] || return 0
    for tool in memcheck racecheck synccheck initcheck; do
        # shellcheck disable=SC2086 # the program and its argument
        case $2$3 in
            deadlock* | endless* | */\ hangs*) row+=,hangs ;;
            *) row+=,$(cell $tool $1) ;;
        esac
    done
    echo "$row"
}
export -f cell judge
export work

echo name,expect,memcheck,racecheck,synccheck,initcheck
for file in *.cu; do
    # shellcheck disable=SC2046 # options are words
    "$NVCC" -arch=native -lineinfo --extended-lambda $(sed -n 's|^// nvcc: ||p' "$file") \
        -o "$work/${file%.cu}" "$file" || true
    sed -nE "s#^.*\\<TWINS\\((\\w+), .*\\)(.*)#${file%.cu} \\1_right\nnothing\n\\2#p" "$file"
    sed -nE "s#^.*\\<(CASE|TWINS)\\((\\w+), \"([^\"]+)\"\\)(.*)#${file%.cu} \\2\n\\3\n\\4#p" "$file"
done | xargs -r -d '\n' -n 3 -P 6 bash -c 'judge "$@"' judge | sort

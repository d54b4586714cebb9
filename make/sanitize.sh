#!/usr/bin/env bash
# The CPU backend's checks over programs, at ugly sizes and in several orders; compute-sanitizer too
# where a GPU is: sanitize.sh cpu|cuda PROGRAM … Ends with status 4 at the first run that failed.
set -euo pipefail

backend=$1
shift

if [ "$backend" = cuda ] && ! command -v compute-sanitizer >/dev/null; then
    echo "make sanitize: no compute-sanitizer in PATH; it comes with the CUDA toolkit" >&2
    exit 3
fi

check() { # LABEL COMMAND …
    local output
    output=$("${@:2}" --csv 2>&1) || { printf '%-60s FAILED\n%s\n' "$1" "$output"; exit 4; }
}

for program in "$@"; do
    name=$(basename "$program")
    [ ! -t 2 ] || printf '%-60s\r' "$name …" >&2
    if [ "$backend" = cpu ]; then
        for n in 1 33 257 4097 65537 100003; do
            for order in 0 1 2; do
                check "$name -n $n, order $order" "$program" -n $n --order $order
            done
        done
        verdict="no findings at 6 sizes in 3 orders (CPU backend)"
    else
        for tool in memcheck racecheck synccheck initcheck; do
            check "$name, $tool" compute-sanitizer --tool $tool --error-exitcode 9 \
                "$program" -n 100003 -r 1
        done
        verdict="memcheck, racecheck, synccheck, initcheck done (GPU)"
    fi
    printf '%-23s %s\n' "$name" "$verdict"
done

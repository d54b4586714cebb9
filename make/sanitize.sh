#!/usr/bin/env bash
# The CPU backend's checks over programs, at ugly sizes and in several orders; compute-sanitizer too
# where a GPU is: sanitize.sh cpu|cuda PROGRAM …
set -euo pipefail

backend=$1
shift
failed=0

if [ "$backend" = cuda ] && ! command -v compute-sanitizer >/dev/null; then
    echo "make sanitize: no compute-sanitizer in PATH; it comes with the CUDA toolkit" >&2
    exit 3
fi

check() { # label, command …
    local label=$1
    shift
    if ! output=$("$@" 2>&1); then
        failed=1
        printf '%-60s FAILED\n%s\n' "$label" "$output"
    fi
}

for program in "$@"; do
    name=$(basename "$program")
    [ -t 2 ] && printf '%-60s\r' "$name …" >&2
    if [ "$backend" = cpu ]; then
        for n in 1 33 257 4097 65537 100003; do
            for order in 0 1 2; do
                check "$name -n $n, order $order" "$program" -n $n --order $order --csv
            done
        done
        printf '%-23s no findings at 6 sizes in 3 orders (CPU backend)\n' "$name"
    else
        for tool in memcheck racecheck synccheck initcheck; do
            check "$name, $tool" compute-sanitizer --tool $tool --error-exitcode 9 "$program" -n 100003 -r 1 --csv
        done
        printf '%-23s memcheck, racecheck, synccheck, initcheck done (GPU)\n' "$name"
    fi
    [ $failed -eq 0 ] || exit 4
done

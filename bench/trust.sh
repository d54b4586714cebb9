#!/usr/bin/env bash
# Can one time be trusted? trust.sh PROGRAM …: the first with a cold cache and with a hot one, where
# the input fits the cache and where not; then all of them at small sizes, five processes each.
# Prints rows of --csv under their header.
set -euo pipefail

"$1" -n 1 -r 1 --csv | sed -n 1p
for n in 2^20 2^22 2^24 2^26; do
    "$1" -n $n --csv | tail -n 1
    "$1" -n $n --hot --csv | tail -n 1
done
for n in 2^10 2^12 2^14 2^16 2^18 2^20; do
    echo "make bench-trust: n = $n" >&2
    for _ in 1 2 3 4 5; do
        for program in "$@"; do
            "$program" -n $n --csv | tail -n 1
        done
    done
done

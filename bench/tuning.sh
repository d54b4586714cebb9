#!/usr/bin/env bash
# What other constants would give: tuning.sh FOLDER MAKE
# Builds each variant in a copy of the project in FOLDER, by MAKE (a command with its variables),
# and measures all of them at one size, then at the next, the whole twice; BENCH_SIZES narrows it.
# Prints rows name,changed,n,median_ms,min_ms,max_ms.
set -euo pipefail
. "$(dirname "$0")/../make/csv.sh"

folder=$1
make=$2
VARIANTS="step07/nothing step07/ELEMS=4 step07/ELEMS=8 step07/ELEMS=32
          step07/BLOCK=128 step07/BLOCK=512 step07/BLOCK=1024
          single-pass/nothing single-pass/LOADS=2 single-pass/LOADS=8
          single-pass/BLOCK=128 single-pass/BLOCK=512 single-pass/BLOCK=1024
          single-pass/TILES=16 single-pass/FENCE=1"

# BLOCK is make's to change, other constants stand in the source
build_variant() { # NAME CHANGED COPY
    local block=
    mkdir -p "$3"
    cp -r Makefile make common steps detours "$3"
    case $2 in
    BLOCK=*) block=$2 ;;
    *=*)
        grep -q "^#define ${2%=*} " "$3"/*/*"${1#step}"*/main.cu ||
            { echo "tuning: $1 has no constant ${2%=*}" >&2; return 1; }
        sed -i -E "s/^(#define ${2%=*} +)[^ ]+/\1${2#*=}/" "$3"/*/*"${1#step}"*/main.cu
        ;;
    esac
    $make -C "$3" ${block:+"$block"} "$1"
}

rm -rf "$folder"
builds=()
for variant in $VARIANTS; do
    build_variant "${variant%/*}" "${variant#*/}" "$folder/${variant/\//-}" &
    builds+=($!)
done
for build in "${builds[@]}"; do
    wait "$build" || { echo "tuning: a build failed" >&2; exit 1; }
done

sizes=${BENCH_SIZES:-2^18 2^22 2^24 2^26 2^28}
echo name,changed,n,median_ms,min_ms,max_ms
for n in $sizes $sizes; do
    echo "tuning: n = $n" >&2
    for variant in $VARIANTS; do
        row_of "$folder/${variant/\//-}/${variant%/*}" -n "$n"
        echo "${variant/\//,},${field[n]},${field[median_ms]},${field[min_ms]},${field[max_ms]}"
    done
done

#!/usr/bin/env bash
# What other elements a thread and other blocks would give: tuning.sh FOLDER MAKE
# Builds each variant in a copy of the project in FOLDER, by MAKE (a command with its variables),
# and measures all of them at one size, then at the next, the whole twice; BENCH_SIZES narrows it.
# Prints rows name,elems,block,n,median_ms,min_ms,max_ms; elems is the value of ELEMS or LOADS.
set -euo pipefail

folder=$1
VARIANTS="step07/ELEMS/4/256 step07/ELEMS/8/256 step07/ELEMS/16/256 step07/ELEMS/32/256
          step07/ELEMS/16/128 step07/ELEMS/16/512 step07/ELEMS/16/1024
          single-pass/LOADS/2/512 single-pass/LOADS/4/512 single-pass/LOADS/8/512
          single-pass/LOADS/4/256 single-pass/LOADS/4/1024"

# build_variant NAME CONSTANT VALUE BLOCK COPY
build_variant()
{
    mkdir -p "$5"
    cp -r Makefile common steps detours "$5"
    sed -i -E "s/^(#define $2 +)[0-9]+/\1$3/; s/^(#define BLOCK +)[0-9]+/\1$4/" "$5"/*/*"${1#step}"*/main.cu
    $make -C "$5" BLOCK="$4" "$1"
}

rm -rf "$folder"
make=$2
builds=()
for variant in $VARIANTS; do
    IFS=/ read -r name constant value block <<<"$variant"
    build_variant "$name" "$constant" "$value" "$block" "$folder/$name-$value-$block" &
    builds+=($!)
done
for build in "${builds[@]}"; do
    wait "$build" || { echo "tuning: a build failed" >&2; exit 1; }
done

sizes=${BENCH_SIZES:-2^18 2^22 2^24 2^26}
echo name,elems,block,n,median_ms,min_ms,max_ms
for n in $sizes $sizes; do
    echo "tuning: n = $n" >&2
    for variant in $VARIANTS; do
        IFS=/ read -r name _ value block <<<"$variant"
        "$folder/$name-$value-$block/$name" -n "$n" --csv | tail -n 1 |
            awk -F, -v OFS=, -v name="$name" -v value="$value" -v block="$block" \
                '{print name, value, block, $7, $10, $11, $12}'
    done
done

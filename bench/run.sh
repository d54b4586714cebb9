#!/usr/bin/env bash
# make bench and its kin: run.sh TARGET FOLDER MAKE, MAKE being a command that builds for the GPU.
# Builds what the target measures and writes FOLDER/…GPU.csv. That there is no GPU is said before
# anything is built. BENCH_TYPES and BENCH_SIZES narrow what is measured.
set -euo pipefail

target=$1 folder=$2 make=$3
here=$(dirname "$0")

# What a command prints, behind lines of its origin, to a file: all of it or nothing.
write() { # FILE COMMAND …
    new=$1.new
    trap 'rm -f "$new"' EXIT
    {
        "$here/bench.sh" --origin
        "${@:2}"
    } >"$new"
    mv "$new" "$1"
}

built() { $make "$@" && readlink "${!#}"; } # [VARIABLE …] PROGRAM: where it is

gpu=$("$here/bench.sh" --device)
[ "$target" != bench-nsight ] || "$here/nsight.sh" --able
mkdir -p "$folder"
out=$folder/${target#bench-}-$gpu.csv

# shellcheck disable=SC2086 # programs are words
case $target in
bench)
    programs=
    for type in ${BENCH_TYPES:-usual}; do
        programs+=" $($make ${BENCH_TYPES:+TYPE=$type} programs)"
    done
    "$here/bench.sh" "$folder/$gpu.csv" $programs
    ;;
bench-multi-gpu)
    program=$(built multi-gpu)
    export BENCH_SIZES=${BENCH_SIZES:-2^20 2^22 2^24 2^26 2^28 2^30 2^31}
    "$here/bench.sh" "$folder/$(nvidia-smi --list-gpus | wc -l)x-$gpu.csv" "$program"
    ;;
bench-write-up-0)
    programs=$($make BLOCK=512 programs | grep /global-)
    BENCH_SIZES=${BENCH_SIZES:-2^24} "$here/bench.sh" "$out" $programs
    write "$folder/write-up-0-nsight-$gpu.csv" "$here/nsight.sh" 2^24 $programs
    ;;
bench-float-order)
    programs=$(built TYPE=float atomic-finish)
    for block in 32 64 128 256 512 1024; do
        programs+=" $(built TYPE=float BLOCK=$block deterministic-float)"
    done
    write "$out" "$here/float-order.sh" $programs
    ;;
bench-trust)
    programs=$($make programs)
    chosen=$(for name in step07 single-pass cub; do grep "/$name\$" <<<"$programs"; done)
    write "$out" "$here/trust.sh" $chosen
    ;;
bench-tuning)
    write "$out" "$here/tuning.sh" build/tuning "$make"
    ;;
bench-nsight)
    write "$out" "$here/nsight-bench.sh" "$make"
    ;;
esac

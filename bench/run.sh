#!/usr/bin/env bash
# make bench and its kin: run.sh TARGET FOLDER MAKE, MAKE being a command that builds for the GPU.
# Builds what the target measures and writes FOLDER/…GPU.csv. That there is no GPU is said before
# anything is built. BENCH_TYPES and BENCH_SIZES narrow what is measured.
# shellcheck disable=SC2086 # programs are words
set -euo pipefail

target=$1 folder=$2 make=$3
here=$(dirname "$0")
. "$here/gpu.sh"
. "$here/../make/csv.sh"
. "$here/variants.sh"

# What a command prints, behind lines of its origin, to a file: all of it or nothing.
write() { # FILE COMMAND …
    new=$1.new
    trap 'rm -f "$new"' EXIT
    {
        origin "$(ask_gpu name)"
        echo "# date: $(date +%F)"
        "${@:2}"
    } >"$new"
    mv "$new" "$1"
}

built() { $make "$@" && readlink "${!#}"; } # [VARIABLE …] PROGRAM: where it is

say() { echo "make $target: $*" >&2; }

# How far a sum of floats depends on the order: of 2^24 in [0, 1) an atomic one that runs 12 times,
# and a fixed one with blocks of each size, once; then how far several orders are from the exact sum,
# also of values in [-1, 1), which nearly cancel each other, beside a plain loop.
float_order() {
    local atomic block program programs input n
    atomic=$(built TYPE=float atomic-finish)
    programs=$(printf "$atomic %.0s" {1..12})
    for block in 32 64 128 256 512 1024; do
        programs+=" $(built TYPE=float BLOCK=$block deterministic-float)"
    done
    echo name,block,input,n,result,expected,error,loop_error
    for program in $programs; do
        error_row "$program" uniform 2^24
    done
    programs=
    for program in step07 deterministic-float cub cub-atomic cub-reproducible; do
        program=$(built TYPE=float $program)
        "$program" -n 0 >/dev/null || continue # it has said what it needs
        programs+=" $program"
    done
    for n in 2^12 2^16 2^20 2^24 2^28; do
        say "n = $n"
        for input in uniform signed; do
            for program in $programs; do
                error_row "$program" $input $n
            done
        done
    done
}

# A row of one sum and its error, as the report tells them.
error_row() { # PROGRAM INPUT N
    local text
    text=$("$1" -n "$3" "--$2" -r 1) || return
    awk -v name="${1##*/}" -v input="$2" '
        / n = / { n = $3; gsub(",", "", n); match($0, /blocks of [0-9]+/)
                  block = substr($0, RSTART + 10, RLENGTH - 10) }
        / sum / { result = $2; expected = $4 }
        / error / { error = $2; loop = $NF }
        END {
            sub(",", "", result)
            sub(",", "", error)
            print name "," block "," input "," n "," result "," expected "," error "," loop
        }' <<<"$text"
}

# Can one time be trusted? Step 07 with a cold cache and with a hot one, where the input fits the
# cache and where not; then with its rivals at small sizes, five processes each.
trust() {
    local n cache program step07 single_pass cub
    step07=$(built step07)
    single_pass=$(built single-pass)
    cub=$(built cub)
    "$step07" -n 1 -r 1 --csv | sed -n 1p
    for n in 2^20 2^22 2^24 2^26; do
        for cache in "" --hot; do
            "$step07" -n $n $cache --csv | tail -n 1
        done
    done
    for n in 2^10 2^12 2^14 2^16 2^18 2^20; do
        say "n = $n"
        for _ in 1 2 3 4 5; do
            for program in "$step07" "$single_pass" "$cub"; do
                "$program" -n $n --csv | tail -n 1
            done
        done
    done
}

# What other constants would give: all at one size, then at the next, the whole twice.
tuning() {
    local sizes=${BENCH_SIZES:-2^18 2^22 2^24 2^26 2^28} variants=(
        step07/{nothing,ELEMS=4,ELEMS=8,ELEMS=32,BLOCK=128,BLOCK=512,BLOCK=1024}
        single-pass/{nothing,TILES=1,TILES=16})
    build_variants build/tuning "$make" "${variants[@]}"
    echo "$VARIANT_COLUMNS"
    measure_variants build/tuning "$sizes $sizes" "${variants[@]}"
}

# The steps that change several ideas at once, taken apart: step 00 and the corners between it and
# 01, step 00's time at sizes at which its loads touch more lines or fewer, and 05 to 06.
ideas() {
    local clock corners=(
        {step00,step01,naive-coalesced,naive-everywhere}/nothing naive-everywhere/COALESCED=1)
    local loads=({step05,step06}/nothing waiting-loads/ELEMS=2+LOADS={1,2}+GUARD={1,0}
        waiting-loads/ELEMS=16+LOADS={1,2,4,16}+GUARD={1,0})
    build_variants build/ideas "$make" "${corners[@]}" "${loads[@]}"
    clock=$(clock_under_load build/ideas/step00-nothing/step00)
    echo "# clock_mhz: $clock"
    echo "$VARIANT_COLUMNS"
    measure_variants build/ideas "2^10 2^13 24K 10000000 16778240 192M" step00/nothing
    measure_variants build/ideas "2^24 2^30" "${corners[@]}"
    measure_variants build/ideas "2^24 2^26 2^30" "${loads[@]}"
}

# The highest clock of the multiprocessors, in MHz, while a program keeps one of them busy.
clock_under_load() { # PROGRAM
    "$1" -n 2^26 --csv >/dev/null &
    while kill -0 $! 2>/dev/null; do
        ask_gpu clocks.sm
    done | sort -n | tail -n 1 | grep -o '[0-9.]*'
}

# Bandwidth against the bytes in flight
in_flight() {
    local program
    program=$(built in-flight)
    "$program" -n "${BENCH_SIZES:-2^28}"
}

# What each shape of single-pass gives at each n: the mean over several processes, since one differs
# from the next by a few percent, and so do the shapes.
shapes() {
    local process processes=${BENCH_PROCESSES:-5} program programs type
    [[ $processes =~ ^[1-9][0-9]?$ ]] ||
        { say "BENCH_PROCESSES: $processes: want a number from 1 to 99"; exit 2; }
    for type in int float double; do
        programs+=" $(built "TYPE=$type" shapes)"
    done
    echo "# processes: $processes"
    for ((process = 1; process <= processes; process++)); do
        say "process $process of $processes"
        for program in $programs; do
            "$program" -n "${BENCH_SIZES:-2^30}"
        done
    done | awk -F, '
        /^type,/ { header = $0; next }
        {
            row = $1 "," $2 "," $3 "," $4 "," $5 "," $6
            if (!runs[row]++)
                rows[++count] = row
            sum[row] += $7
            if (runs[row] == 1 || $8 < min[row])
                min[row] = $8
        }
        END {
            print header
            for (i = 1; i <= count; i++)
                printf "%s,%.6f,%s\n", rows[i], sum[rows[i]] / runs[rows[i]], min[rows[i]]
        }'
}

# The table for each type, from such a file, beside it; if that is published, where it counts.
write_shapes() { # FILE
    local type to=$folder
    [ "$folder" != plots/data ] || to=$here/../detours/single-pass
    for type in int float double; do
        awk -v type=$type -f "$here/shapes/shapes.awk" "$1" >"$to/shapes-$type.h"
    done
}

# All GPUs of the machine, by each of the programs that can, and one of them alone, in one run. With
# as many elements as GPUs what is left is a launch, and that they wait for each other.
multi_gpu() {
    local gpus nccl programs
    gpus=$(nvidia-smi --list-gpus | wc -l)
    programs=$(built multi-gpu)
    nccl=$(NCCL_DEBUG=VERSION "$programs" -n 1 -r 1 2>&1) || true
    ! grep -q 'built without NCCL' <<<"$nccl" ||
        { say "no NCCL here, and without it multi-gpu takes one GPU: see make multi-gpu-mpi"; exit 3; }
    nccl=$(sed -n 's/.*NCCL version \([^ ]*\).*/\1/p' <<<"$nccl" | head -n 1)
    BENCH_LIBRARIES="# nccl: ${nccl:-unknown}"
    programs+=" $(built multi-gpu-peer)"
    if $make multi-gpu-mpi; then # else make has said what is missing
        MPIRUN=$(dirname "$(command -v "${MPICXX:-mpicxx}")")/mpirun
        MPI_PROGRAM=$(readlink multi-gpu-mpi)
        export MPIRUN MPI_PROGRAM MPI_RANKS=$gpus
        programs+=" $here/multi-gpu-mpi.sh"
        BENCH_LIBRARIES+=$'\n'"# mpi: $(mpi_version)"
    else
        say "leaving out multi-gpu-mpi"
    fi
    say "${BENCH_LIBRARIES//$'\n'/, }"
    programs+=" $(built step07) $(built single-pass)"
    export BENCH_LIBRARIES BENCH_PROCESSES=${BENCH_PROCESSES:-1}
    export BENCH_SIZES=${BENCH_SIZES:-$gpus 2^10 2^16 2^20 2^22 2^24 2^25 2^26 2^28 2^30 2^31}
    "$here/bench.sh" "$folder/${gpus}x-$gpu.csv" $programs
}

mpi_version() { # Open MPI says it in its first line, others below
    "$MPIRUN" --version | awk '{$1 = $1; all = all between $0; between = " "}
                               /[0-9][.][0-9]/ {print all; exit}'
}

# What the CPU backend's counters are held against: Nsight Compute's of the first launch of every
# program of ints that both backends run, of the steps at more sizes and with other blocks; and of
# all at sizes that are no powers of two. What launches as many blocks as the GPU runs at once is
# measured at each of these with each of two blocks.
nsight() {
    local block programs steps sized='^(grid-stride|single-pass)$'
    echo "# nsight: $(ncu --version | awk '/^Version/ {print $2}')"
    echo step,name,type,block,n,metric,value
    programs=$($make TYPE=int programs | sed 's|.*/||' | grep -vxE "${NEEDS_GPU// /|}")
    steps=$(grep -E '^step' <<<"$programs")
    nsight_rows 256 "$programs" 1000 65537
    nsight_rows 256 "$steps" 1000003 2^20
    programs=$(grep -vx step00 <<<"$programs") # which has a block of its own
    steps=$(grep -vx step00 <<<"$steps")
    for block in 32 64 1024; do
        nsight_rows $block "$steps" 65537 2^20
    done
    nsight_rows 128 "$programs" 54321
    nsight_rows 512 "$programs" 777777
    nsight_rows 128 "$(grep -E "$sized" <<<"$programs")" 777777
    nsight_rows 512 "$(grep -E "$sized" <<<"$programs")" 54321
}

nsight_rows() { # BLOCK PROGRAMS N …, the programs by their names
    local n paths
    if [ "$1" = 256 ]; then # make's own, and any-block-size has another
        $make TYPE=int $2
    else
        $make TYPE=int BLOCK=$1 $2
    fi
    paths=$(readlink $2)
    for n in "${@:3}"; do
        say "blocks of $1, n = $n"
        "$here/nsight.sh" "$n" $paths
    done
}

need_gpu
gpu=$(gpu_file_name)
[ "$target" != bench-nsight ] || "$here/nsight.sh" --able
mkdir -p "$folder"
out=$folder/${target#bench-}-$gpu.csv

case $target in
bench)
    programs=
    for type in ${BENCH_TYPES:-usual}; do
        programs+=" $($make ${BENCH_TYPES:+TYPE=$type} programs)"
    done
    if [ -z "${BENCH_TYPES:-}${STEPS:-}" ]; then # the fastest, in the other types, too
        fastest="step07 vector-loads cub cub-atomic two-kernels single-pass"
        for type in float double; do
            $make TYPE=$type $fastest
            programs+=" $(readlink $fastest)"
        done
        programs+=" $(built TYPE=double cub-reproducible)"
    fi
    "$here/bench.sh" "$folder/$gpu.csv" $programs
    ;;
bench-multi-gpu) multi_gpu ;;
bench-write-up-0)
    programs=$($make BLOCK=512 programs | grep /global-)
    BENCH_SIZES=${BENCH_SIZES:-2^24} "$here/bench.sh" "$out" $programs
    write "$folder/write-up-0-nsight-$gpu.csv" "$here/nsight.sh" 2^24 $programs
    ;;
bench-shapes)
    write "$out" shapes
    write_shapes "$out"
    ;;
*) # float_order, trust, tuning, ideas, in_flight, nsight
    measured=${target#bench-}
    write "$out" "${measured//-/_}"
    ;;
esac

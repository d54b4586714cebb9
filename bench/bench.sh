#!/usr/bin/env bash
# Times programs on a GPU, one row for each program and n: bench.sh OUT.csv PROGRAM …
# bench.sh --device prints the GPU's name as a file is called by it, such as h200
# bench.sh --origin prints what heads other measured files: GPU, driver, CUDA, commit and date
#
# BENCH_SIZES: which n, such as "2^10 1000000 64K" (default: 2^10, 2^12 … 2^30)
# BENCH_PROCESSES: for n below 2^22, how many processes a row is the median of (default: 3)
# BENCH_COMMIT: what was measured, where there is no git to ask
#
# OUT.csv has a row as soon as it is measured, whole. Started again, bench.sh measures what is
# missing; what another GPU, driver, CUDA, commit or build has measured it moves to OUT.csv.old.
# Exit status: 0 measured all that fits; 1 a program failed or was wrong; 2 usage; 3 no GPU; 130, 143 stopped.
set -euo pipefail
export LC_ALL=C

here=$(dirname "$0")
. "$here/../make/csv.sh"
default_sizes=$(echo 2^{10..30..2})
large=$((1 << 22)) # from here on two processes agree; below, they lie up to 7 % apart

out=
columns=        # the header that the programs print
rows=()         # of OUT.csv
declare -A have # the same by name,type,block,n
child=          # the program that is running

# ---- messages: all on stderr, progress in one line of a terminal ----

clear_progress() { [ ! -t 2 ] || printf '\r%79s\r' '' >&2; }

say() {
    clear_progress
    echo "make bench: $*" >&2
}

die() { # STATUS TEXT …
    local status=$1
    shift
    say "$*"
    exit "$status"
}

kept() { echo "$out keeps its $(grep -s -c ',yes$' "$out" || [ -e "$out" ] || echo 0) rows"; }

interrupted() { # STATUS
    trap '' INT TERM
    [ -z "$child" ] || kill "$child" 2>/dev/null || true
    die "$1" "stopped; $(kept), the same command measures what is missing"
}

clean_up() { rm -rf "$work" "$out.new"; }

duration() { # SECONDS
    if [ "$1" -ge 3600 ]; then
        echo "$(($1 / 3600)) h $(($1 % 3600 / 60)) min"
    elif [ "$1" -ge 60 ]; then
        echo "$(($1 / 60)) min $(($1 % 60)) s"
    else
        echo "$1 s"
    fi
}

# ---- what is measured ----

driver_version() {
    nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null |
        awk '/^[0-9][0-9.]*$/ && !count++; END { exit !count }'
}

gpu_name() { nvidia-smi --query-gpu=name --format=csv,noheader | sed -n 1p; }

gpu_file_name() { gpu_name | sed 's/^NVIDIA //' | tr '[:upper:]' '[:lower:]' | tr -cs 'a-z0-9\n' '-'; }

cuda_version() {
    local version
    version=$("${NVCC:-nvcc}" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p') || true
    echo "${version:-unknown}"
}

commit_of_tree() {
    local hash=${BENCH_COMMIT:-}
    if [ -z "$hash" ] && hash=$(git -C "$here" rev-parse --short HEAD 2>/dev/null); then
        # data are not what is measured, and with PUBLISH=1 the bench itself writes some
        [ -z "$(git -C "$here" status --porcelain -- ':(top)' ':(top,exclude)plots/data')" ] ||
            hash+=+
    fi
    echo "${hash:-unknown}"
}

number_of() { # a size as the programs accept it; nothing when it is none, or a larger one
    local factor=1
    if [[ $1 =~ ^2\^([0-9]|[1-3][0-9]|40)$ ]]; then
        echo $((1 << BASH_REMATCH[1]))
    elif [[ $1 =~ ^([1-9][0-9]{0,8})([KMG]?)$ || $1 =~ ^([1-9][0-9]{0,12})()$ ]]; then
        case ${BASH_REMATCH[2]} in K) factor=1024 ;; M) factor=$((1 << 20)) ;; G) factor=$((1 << 30)) ;; esac
        echo $((BASH_REMATCH[1] * factor))
    fi
}

# Sets sizes and numbers, from small to large, each once.
choose_sizes() {
    local size number list=()
    for size in ${BENCH_SIZES:-$default_sizes}; do
        number=$(number_of "$size")
        [ -n "$number" ] || die 2 "BENCH_SIZES: $size: want counts such as 1000, 2^24, 64K, 16M or 1G"
        list+=("$number $size")
    done
    [ ${#list[@]} -gt 0 ] || die 2 "BENCH_SIZES is blank: want counts such as 1000, 2^24, 64K, 16M or 1G"
    sizes=() numbers=()
    while read -r number size; do
        numbers+=("$number") sizes+=("$size")
    done < <(printf '%s\n' "${list[@]}" | sort -n -u -k 1,1)
}

# Runs a program: measure TEXT PROGRAM ARGUMENT … Sets row, and field[] of it.
# A program that fails, or is wrong, ends the bench. Two things are no failure, and only make measure
# return 3: that n is too large for this GPU's memory, and status 3 for n = 0, for which a program
# launches nothing: it only says that this GPU cannot run it.
measure() {
    local text=$1 header='' why status=0
    shift
    row=
    "$@" --csv >"$work/stdout" 2>"$work/stderr" &
    child=$!
    wait "$child" 2>/dev/null || status=$? # without the shell's own words on a crash
    child=
    { IFS= read -r header && IFS= read -r row; } <"$work/stdout" || true
    columns=${columns:-$header} # the first program's are those of all
    [ "$header" = "$columns" ] && read_row "$header" "$row" || field=()
    if [ "${field[verified]:-}" = no ]; then
        # a right result can be wrong all the same, as where the input was changed
        why=$(tail -n 1 "$work/stderr")
        die 1 "$text: WRONG, the result is ${field[result]}, expected ${field[expected]}${why:+; ${why#*: }}; $(kept)"
    elif [ "$status" -eq 3 ] && [ "${*: -2}" = "-n 0" ]; then
        return 3
    elif [ "$status" -eq 2 ] && grep -q 'GiB of device memory' "$work/stderr"; then
        return 3
    elif [ "$status" -ne 0 ]; then
        die 1 "$text failed with status $status: $(tail -n 1 "$work/stderr"); $(kept)"
    elif [ "${field[verified]:-}" != yes ]; then
        die 1 "$text printed no row of the columns ${columns:-that --csv has}; $(kept)"
    elif [ "${field[backend]}" != cuda ]; then
        die 1 "$text was built for the CPU backend, whose time says nothing; make BACKEND=cuda bench"
    elif awk -v share="${field[pct_of_peak]}" 'BEGIN { exit !(share > 100) }'; then
        die 1 "$text: ${field[pct_of_peak]} % of the peak bandwidth, so the input was in a cache; $(kept)"
    fi
}

# The same for one row of OUT.csv: of the median of COUNT processes.
measure_row() { # COUNT TEXT PROGRAM ARGUMENT …
    local i count=$1 all=''
    shift
    for ((i = 0; i < count; i++)); do
        measure "$@" || return
        all+="${field[median_ms]} $row"$'\n'
    done
    row=$(sort -g <<<"${all%$'\n'}" | sed -n "$(((count + 1) / 2))s/^[^ ]* //p")
    read_row "$columns" "$row"
}

processes_for() { if [ "$1" -lt $large ]; then echo "$processes"; else echo 1; fi; } # N

# As a step says it: (L2: 60 MiB)
l2_cache() {
    local said
    said=$("${programs[0]}" -n 1 -r 1 2>/dev/null | sed -n 's/.*(L2: \(.*\))$/\1/p') || true
    echo "${said:-unknown}"
}

# What each program calls itself, asked by its answer for n = 0. Sets labels, keys (name,type,block),
# gpu, and the time that a program takes to start; leaves out the programs that this GPU cannot run.
identify() {
    local program why start able=()
    start=$(date +%s%3N)
    labels=() keys=()
    for program in "${programs[@]}"; do
        measure "$(basename "$program") at n = 0" "$program" -n 0 || {
            why=$(tail -n 1 "$work/stderr")
            [[ $why != *": no usable GPU: "* ]] || die 3 "$why" # so it will be for all
            say "leaving out $why"
            continue
        }
        able+=("$program")
        labels+=("$(basename "$program") (${field[type]})")
        keys+=("${field[name]},${field[type]},${field[block]}")
        gpu=${field[device]}
    done
    programs=("${able[@]}")
    [ ${#programs[@]} -gt 0 ] || die 3 "no program is left to measure"
    start_ms=$((($(date +%s%3N) - start) / ${#programs[@]}))
}

# ---- the file ----

# What must be the same for rows to stand in one file.
describe() {
    printf '# %s: %s\n' gpu "$gpu" l2 "$l2" driver "$driver" cuda "$cuda" commit "$commit" \
        processes "$processes"
}

# Keeps what an earlier bench has measured when it was of the same things; else moves it away.
resume() {
    local line was text i
    [ -e "$out" ] || return 0
    text=$(tr -d '\r' <"$out") # an editor on Windows may have written it
    while IFS= read -r line; do
        was=$(grep "^${line%%:*}: " <<<"$text") || was="no '${line%%:*}:'"
        [ "$was" = "$line" ] || { move_away "says ${was#\# }, now it is ${line#*: }"; return 0; }
    done < <(describe)
    grep -qxF "$columns" <<<"$text" || { move_away "has other columns"; return 0; }
    while IFS= read -r row; do
        ! read_row "$columns" "$row" || [ "${field[verified]}" != yes ] || add_row
    done <<<"$text"
    date=$(sed -n '/^# date: /{s///p;q;}' <<<"$text")
    for i in "${!programs[@]}"; do
        if [[ " ${!have[*]}" == *" ${keys[i]},"* ]] && [ "${programs[i]}" -nt "$out" ]; then
            move_away "is older than ${programs[i]}"
            return 0
        fi
    done
}

move_away() {
    rows=() have=() date=$today
    mv -f "$out" "$out.old"
    say "$out $1: moved to $out.old"
}

# The rows to a file that then takes the place of OUT.csv, which thus never has half a row.
save() {
    if ! {
        describe
        echo "# date: $date"
        # where the share is largest its digits are most
        printf '%s\n' "$columns" "${rows[@]}" | awk -F, '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            $at["pct_of_peak"] > share {
                share = $at["pct_of_peak"]
                peak = sprintf("%.1f", 100 * $at["gb_per_s"] / share)
            }
            END { print "# peak_gb_per_s: " (peak ? peak : "unknown") }'
        echo "# method: cold cache, median, below 2^22 of that many processes, see bench/README.md"
        printf '%s\n' "$columns" "${rows[@]}"
    } >"$out.new" || ! mv "$out.new" "$out"; then
        die 1 "cannot write $out"
    fi
}

add_row() {
    rows+=("$row")
    have[${field[name]},${field[type]},${field[block]},${field[n]}]=1
}

# ---- the bench ----

# What a row takes is a constant and something that grows with n; the rows of the same n tell how
# long that is, and as long as there is none, those of the n before.
weight() { echo $(($(processes_for "$1") + $1 / (1 << 28))); } # N

is_missing() { [ -z "${have[${keys[$1]},$2]:-}" ]; } # PROGRAM'S INDEX, N

plan() {
    local i n
    missing=0 weight_left=0
    for n in "${numbers[@]}"; do
        for i in "${!programs[@]}"; do
            if is_missing "$i" "$n"; then
                missing=$((missing + 1)) weight_left=$((weight_left + $(weight "$n")))
            fi
        done
    done
    total=$((${#numbers[@]} * ${#programs[@]}))
}

show_progress() { # SIZE LABEL
    local text
    text="make bench: $((total - missing)) of $total done, "
    text+="about $(duration $((weight_left * weight_ms / 1000))) left; n = $1"
    if [ -t 2 ]; then
        printf '\r%-79.79s' "$text, $2" >&2
    elif [ "$1" != "$shown" ]; then
        echo "$text" >&2
    fi
    shown=$1
}

bench_size() { # N, as a number and as it was written
    local n=$1 size=$2 i start text heavy spent=0 weight_done=0
    heavy=$(weight "$n")
    for i in "${!programs[@]}"; do
        is_missing "$i" "$n" || continue
        show_progress "$size" "${labels[i]}"
        start=$(date +%s%3N) text="${labels[i]} at n = $size"
        if measure_row "$(processes_for "$n")" "$text" "${programs[i]}" -n "$n"; then
            [ "${field[n]}" = "$n" ] || die 1 "$text says it ran n = ${field[n]}; $(kept)"
            add_row
            save
        else
            say "leaving out $(tail -n 1 "$work/stderr")"
        fi
        spent=$((spent + $(date +%s%3N) - start))
        weight_done=$((weight_done + heavy))
        weight_ms=$((spent / weight_done))
        weight_left=$((weight_left - heavy)) missing=$((missing - 1))
    done
}

bench() {
    local i shown=
    plan
    weight_ms=$start_ms
    if [ "$missing" -eq 0 ]; then
        say "$out has all $total rows; remove it to measure them again"
    elif [ ${#rows[@]} -ne 0 ]; then
        say "$out has $((total - missing)) of $total rows; measuring the others"
    fi
    if [[ " ${!have[*]}" != *" empty-launch,"* ]]; then
        measure_row "$processes" "${labels[0]} --empty" "${programs[0]}" --empty
        add_row
        save
    fi
    for i in "${!numbers[@]}"; do
        bench_size "${numbers[i]}" "${sizes[i]}"
    done
    clear_progress
}

main() {
    local type gap=
    driver=$(driver_version) || die 3 "no GPU here; make counters and make plots need none"
    if [ "${1:-}" = --device ]; then
        gpu_file_name
        exit 0
    fi
    if [ "${1:-}" = --origin ]; then
        printf '# %s: %s\n' gpu "$(gpu_name)" driver "$driver" cuda "$(cuda_version)" \
            commit "$(commit_of_tree)" date "$(date +%F)"
        exit 0
    fi
    [ $# -ge 2 ] ||
        { echo "usage: bench.sh OUT.csv PROGRAM …, bench.sh --device or --origin" >&2; exit 2; }
    out=$1
    shift
    programs=("$@")
    choose_sizes
    processes=${BENCH_PROCESSES:-3}
    [[ $processes =~ ^[1-9][0-9]?$ ]] || die 2 "BENCH_PROCESSES: $processes: want a number from 1 to 99"
    mkdir -p "$(dirname "$out")" 2>/dev/null || true
    [ -w "$(dirname "$out")" ] || die 1 "cannot write $out"
    [ ! -d "$out" ] || die 1 "$out is a folder"
    if command -v flock >/dev/null; then
        exec 9<"$(dirname "$out")"
        flock -n 9 || die 1 "another bench is running into $(dirname "$out"); two would disturb each other"
    fi
    work=$(mktemp -d)
    trap clean_up EXIT
    trap 'interrupted 130' INT
    trap 'interrupted 143' TERM
    cuda=$(cuda_version) commit=$(commit_of_tree) today=$(date +%F)
    date=$today
    identify
    l2=$(l2_cache)
    resume
    bench
    for type in $(printf '%s\n' "${keys[@]}" | awk -F, '!seen[$2]++ {print $2}'); do
        printf '%s' "$gap"
        awk -v type="$type" -f "$here/bench-table.awk" "$out"
        gap=$'\n'
    done
}

main "$@"

#!/usr/bin/env bash
# Times programs on a GPU, one row for each program and n: bench.sh OUT.csv PROGRAM …
#
# BENCH_SIZES: which n, such as "2^10 1000000 64K" (default: 2^10, 2^12 … 2^30)
# BENCH_PROCESSES: for n below 2^22, how many processes a row is the median of (default: 3)
# BENCH_COMMIT: what was measured, where there is no git to ask
# BENCH_LIBRARIES: further lines of the file's head, such as "# nccl: 2.27"
#
# OUT.csv gets a row as soon as it is measured. Started again, bench.sh measures what is missing;
# what another GPU, driver, CUDA, commit or build has measured it moves to OUT.csv.old.
# A wrong result is told, and its row left out.
# Exit status: 0 measured all that fits; 1 a program failed or was wrong; 2 usage; 3 no GPU;
# 130, 143 stopped.
set -euo pipefail
export LC_ALL=C

here=$(dirname "$0")
. "$here/gpu.sh"
. "$here/../make/csv.sh"
large=$((1 << 22)) # from here on two processes agree; below, they lie up to 10 % apart

columns=        # the header that the programs print
wrong=0         # 1: a result was
declare -A have # what OUT.csv has, by name,type,block,n

# ---- messages: all on stderr, progress in one line of a terminal ----

clear_progress() { [ ! -t 2 ] || printf '\r%79s\r' '' >&2; }

say() {
    clear_progress
    echo "make bench: $*" >&2
}

die() { # STATUS TEXT …
    say "${@:2}"
    exit "$1"
}

show_progress() { # TEXT FURTHER, what only a terminal shows
    if [ -t 2 ]; then
        printf '\r%-79.79s' "make bench: $1, $2" >&2
    else
        echo "make bench: $1" >&2
    fi
}

# ---- what is measured ----

# Prints n and how it was written, a line each, from small to large, each n once.
chosen_sizes() {
    local size number
    local pattern='^(2\^([0-9]|[1-3][0-9]|40)|[1-9][0-9]{0,12}|[1-9][0-9]{0,8}[KMG])$'
    [[ ${BENCH_SIZES:-} = *[^\ ]* ]] || BENCH_SIZES=$(echo 2^{10..30..2})
    for size in $BENCH_SIZES; do
        [[ $size =~ $pattern ]] ||
            die 2 "BENCH_SIZES: $size: want counts such as 1000, 2^24, 64K, 16M or 1G"
        number=${size/^/**} number=${number/K/*2**10} number=${number/M/*2**20}
        echo "$((${number/G/*2**30})) $size"
    done | sort -n -u -k 1,1
}

# Runs a program: measure TEXT PROGRAM ARGUMENT … Sets row, field[] of it, and why, what it said.
# A program that fails ends the bench. Three things only make measure return 1: status 2, of an n
# that is too large for this GPU's memory; status 3 for n = 0, for which a program launches nothing:
# it only says that this GPU cannot run it; and a wrong result, which is told, and makes the bench
# end with status 1.
measure() {
    local title=$1 text status=0
    text=$("${@:2}" --csv 2>"$errors") || status=$?
    row=${text##*$'\n'}
    columns=${columns:-${text%%$'\n'*}} # the first program's are those of all
    [ "${text%%$'\n'*}" = "$columns" ] && read_row "$columns" "$row" || field=()
    why=
    [ ! -s "$errors" ] || why=$(tail -n 1 "$errors")
    if [ $status -eq 2 ] || [[ "$status $*" = "3 "*" -n 0" ]]; then
        return 1
    elif [ "${field[verified]:-}" = no ]; then
        why="$title: WRONG, the result is ${field[result]}, expected ${field[expected]}${why:+; $why}"
        wrong=1
        return 1
    elif [ "$status ${field[verified]:-}" != "0 yes" ]; then
        die 1 "$title failed with status $status: ${why:-it printed '$row'}"
    elif [ "${field[backend]}" != cuda ]; then
        die 1 "$title was built for the CPU backend: make BACKEND=cuda bench"
    elif [[ ${field[pct_of_peak]} = [0-9][0-9][0-9]* ]] &&
        awk -v share="${field[pct_of_peak]}" 'BEGIN { exit !(share > 100) }'; then
        die 1 "$title: ${field[pct_of_peak]} % of the peak bandwidth: the input was in a cache"
    fi
}

# Asks each program what it calls itself, by its answer for n = 0, and leaves out those that this
# GPU cannot run. Sets labels, keys (name,type,block), and gpu.
identify() {
    local program able=()
    labels=() keys=() libraries=()
    for program in "${programs[@]}"; do
        if measure "${program##*/} at n = 0" "$program" -n 0; then
            able+=("$program")
            labels+=("${program##*/} (${field[type]})")
            keys+=("${field[name]},${field[type]},${field[block]}")
            gpu=${field[device]}
            [ -z "${field[library]}" ] || libraries+=("# library: ${field[library]}")
        else
            [ ${#able[@]} -gt 0 ] || die 3 "$why" # step 00 runs wherever another does
            say "leaving out $why"
        fi
    done
    programs=("${able[@]}")
}

# ---- the file ----

# What must be the same for rows to stand in one file.
describe() {
    origin "$gpu"
    [ ${#libraries[@]} -eq 0 ] || printf '%s\n' "${libraries[@]}" | sort -u
    [ -z "${BENCH_LIBRARIES:-}" ] || echo "$BENCH_LIBRARIES"
    echo "# processes: $processes"
}

start_file() { # DESCRIPTION
    # any bandwidth and its share tell the peak
    measure "${labels[0]} at n = 1" "${programs[0]}" -n 1 -r 1
    {
        echo "$1"
        echo "# date: $(date +%F)"
        awk -v gb="${field[gb_per_s]}" -v share="${field[pct_of_peak]}" 'BEGIN {
            print "# peak_gb_per_s: " (share ? sprintf("%.1f", 100 * gb / share) : "unknown") }'
        echo "# method: cold cache, median, below 2^22 of that many processes, see bench/README.md"
        echo "$columns"
    } >"$out"
}

# Keeps what an earlier bench has measured when it was of the same things; else moves it away.
resume() { # DESCRIPTION
    local i why
    while IFS= read -r row; do
        read_row "$columns" "$row" || continue
        have[${field[name]},${field[type]},${field[block]},${field[n]}]=1
    done < <(grep ',yes$' "$out")
    why=$(printf '%s\n' "$1" "$columns" | grep -vxFf "$out" | sed "s/.*/has no line '&'/;q") || true
    for i in "${!programs[@]}"; do
        [[ " ${!have[*]}" != *" ${keys[i]},"* || ! "${programs[i]}" -nt "$out" ]] ||
            why="is older than ${programs[i]}"
    done
    if [ -n "$why" ]; then
        have=()
        mv -f "$out" "$out.old"
        say "$out $why: moved to $out.old"
    else
        # a full disk may have left half a row
        awk '/^#|,verified$|,yes$/' "$out" >"$out.new" && mv "$out.new" "$out"
    fi
}

# Adds the row of one n, the median of its processes: add_row N TEXT PROGRAM ARGUMENT …
add_row() {
    local i all='' count=$processes
    [ "$1" -lt $large ] || count=1
    for ((i = 0; i < count; i++)); do
        measure "${@:2}" || { say "leaving out $why"; return; }
        all+="${field[median_ms]} $row"$'\n'
    done
    sort -g <<<"${all%$'\n'}" | sed -n "$(((count + 1) / 2))s/^[^ ]* //p" >>"$out"
}

# ---- the bench ----

bench() {
    local n size shown='' left='' total=0 there i k todo=()
    while read -r n size; do
        for i in "${!programs[@]}"; do
            total=$((total + 1))
            [ -n "${have[${keys[i]},$n]:-}" ] || todo+=("$i $n $size")
        done
    done <<<"$sizes"
    if [ ${#todo[@]} -eq 0 ]; then
        say "$out has all $total rows; remove it to measure them again"
    elif [ ${#todo[@]} -lt $total ]; then
        say "$out has $((total - ${#todo[@]})) of $total rows; measuring the others"
    fi
    [[ " ${!have[*]}" = *" empty-launch,"* ]] ||
        add_row 0 "${labels[0]} --empty" "${programs[0]}" --empty
    SECONDS=0
    for k in "${!todo[@]}"; do
        read -r i n size <<<"${todo[k]}"
        # a row takes about as long as those before it
        [ "$k" -eq 0 ] || left=", about $((1 + SECONDS * (${#todo[@]} - k) / k / 60)) min left"
        there=$((total - ${#todo[@]} + k))
        [ ! -t 2 ] && [ "$size" = "$shown" ] ||
            show_progress "$there of $total done$left; n = $size" "${labels[i]}"
        shown=$size
        add_row "$n" "${labels[i]} at n = $size" "${programs[i]}" -n "$n"
    done
    clear_progress
}

main() {
    local type folder description gap=''
    [ $# -ge 2 ] || { echo "usage: bench.sh OUT.csv PROGRAM …" >&2; exit 2; }
    need_gpu
    out=$1 programs=("${@:2}") processes=${BENCH_PROCESSES:-3}
    sizes=$(chosen_sizes)
    [[ $processes =~ ^[1-9][0-9]?$ ]] ||
        die 2 "BENCH_PROCESSES: $processes: want a number from 1 to 99"
    folder=$(dirname "$out")
    mkdir -p "$folder"
    [ -w "$folder" ] && [ ! -d "$out" ] || die 1 "cannot write $out"
    exec 9<"$folder"
    flock -n 9 || die 1 "another bench writes into $folder; two would disturb each other"
    errors=$(mktemp 2>/dev/null) ||
        die 2 "TMPDIR=${TMPDIR:-/tmp}: no folder that can be written; want one"
    trap 'rm -f "$errors" "$out.new"' EXIT
    trap 'die 130 "stopped; the same command measures the rows that $out lacks"' INT
    trap 'die 143 "stopped; the same command measures the rows that $out lacks"' TERM
    identify
    description=$(describe)
    [ ! -e "$out" ] || resume "$description"
    [ -e "$out" ] || start_file "$description"
    bench
    for type in $(printf '%s\n' "${keys[@]}" | awk -F, '!seen[$2]++ {print $2}'); do
        printf '%s' "$gap"
        awk -v type="$type" -f "$here/bench-table.awk" "$out"
        gap=$'\n'
    done
    return "$wrong"
}

main "$@"

#!/usr/bin/env bash
# What one reduction costs: the steps side by side, as many as 80 columns take, and below them the
# detours, a line each: counters.sh [--beside] PROGRAM … (CPU backend). With --beside all programs
# stand side by side. All launches of a program together.
set -euo pipefail
export LC_ALL=C # awk reads and writes numbers as the locale does

show() { [ ! -t 2 ] || printf '%-60s\r' "$1" >&2; } # a line that does not stay

beside=0
if [ "${1:-}" = --beside ]; then
    beside=1
    shift
fi
for program in "$@"; do
    show "$(basename "$program") …"
    echo "program $(basename "$program")"
    "$program" --counters=csv || {
        status=$?
        echo "make counters: $(basename "$program") failed" >&2
        echo failed
        exit $status
    }
    show ""
done | awk -F, -v beside=$beside '
    BEGIN { width = 6 } # of a column
    /^failed$/ { failed = 1 } # then there is no table
    # what a program prints comes behind a line with its name: a header, and rows to add up
    /^program / {
        name[++programs] = substr($0, 9)
        if (sub(/^step/, "", name[programs]) || beside) steps++
        if (beside && length(name[programs]) > width) width = length(name[programs])
        header = NR + 1
        next
    }
    NR == header { for (i = 1; i <= NF; i++) at[$i] = i; next }
    {
        launches[programs] = $at["launch"]
        for (column in at) {
            sum[programs, $at["space"], $at["op"], column] += $at[column]
            sum[programs, $at["space"], "any", column] += $at[column]
        }
    }

    function of(space, op, column) { return sum[program, space, op, column] + 0 }
    function shared(column) { return of("shared", "load", column) + of("shared", "store", column) }
    function short(x) {
        return x < 1000000 ? x "" : sprintf(x < 10000000 ? "%.2fM" : "%.1fM", x / 1000000)
    }
    function per_request(factor, space, op, column,   requests) {
        requests = of(space, op, "requests")
        return requests ? sprintf("%.1f", factor * of(space, op, column) / requests) : "-"
    }
    function set(label, text) {
        if (program == 1) label_of[++labels] = label
        cell[program, label] = text
    }
    function fill() {
        set("step", name[program])
        set("launches", launches[program] + 0)
        set("global load requests", short(of("global", "load", "requests")))
        set("  sectors", short(of("global", "load", "sectors")))
        set("  sectors/request", per_request(1, "global", "load", "sectors"))
        set("shared requests", short(shared("requests")))
        set("  wavefronts", short(shared("wavefronts")))
        set("  bank conflicts", short(shared("bank_conflicts")))
        set("  lanes/request", per_request(1, "shared", "any", "lanes"))
        set("warps at __syncthreads", short(of("sync", "syncthreads", "requests")))
        set("  at __syncwarp", short(of("sync", "syncwarp", "requests")))
        set("shuffles by warps", short(of("sync", "shuffle", "requests")))
        set("branch efficiency, %", per_request(100, "control", "branch", "lanes"))
    }
    function side_by_side(first, last,   i) {
        for (i = 1; i <= labels; i++) {
            printf "%-23s", label_of[i]
            for (program = first; program <= last; program++)
                printf form, cell[program, label_of[i]]
            print ""
        }
    }
    END {
        if (failed) exit
        for (program = 1; program <= programs; program++) fill()
        form = " %" width "s"
        most = int(57 / (width + 1)) # what is left of 80
        for (first = 1; first <= steps; first += most) {
            if (first > 1) print ""
            side_by_side(first, first + most - 1 < steps ? first + most - 1 : steps)
        }
        if (programs == steps) exit
        if (steps) print ""
        row = "%-23s %6s %6s %6s %6s %6s %6s %6s %6s\n"
        printf row, "", "laun-", "global", "sect./", "atomic", "shared", "bank", "barr.", "shuf-"
        printf row, "detour", "ches", "loads", "load", "reqs", "wavefr", "confl.", "warps", "fles"
        for (program = steps + 1; program <= programs; program++)
            printf row, cell[program, "step"], cell[program, "launches"],
                cell[program, "global load requests"], cell[program, "  sectors/request"],
                short(of("global", "atomic", "requests")), cell[program, "  wavefronts"],
                cell[program, "  bank conflicts"], cell[program, "warps at __syncthreads"],
                cell[program, "shuffles by warps"]
    }'

#!/usr/bin/env bash
# What one reduction costs: the steps side by side, below them the detours, a line each: counters.sh
# PROGRAM … (CPU backend). The figures are those of the tables that the programs print, all launches
# together.
set -euo pipefail
export LC_ALL=C # awk reads and writes numbers as the locale does

show() { [ ! -t 2 ] || printf '%-60s\r' "$1" >&2; } # a line that does not stay

for program in "$@"; do
    show "$(basename "$program") …"
    echo "program $(basename "$program")"
    "$program" || { status=$?; echo "make counters: $(basename "$program") failed" >&2; exit $status; }
    show ""
done | awk '
    function short(x) {
        if (x < 1000000) return x ""
        return sprintf(x < 10000000 ? "%.2fM" : "%.1fM", x / 1000000)
    }
    function cell(program, key, form,   x) {
        x = value[program, key]
        if (x == "-" || x == "") x = form == "count" ? 0 : "-"
        return sprintf(" %6s", form == "count" ? short(x) : form == "ratio" && x != "-" ? sprintf("%.1f", x) : x)
    }
    function line(label, key, form,   i) {
        if (!steps) return
        printf "%-23s", label
        for (i = 1; i <= steps; i++) printf "%s", cell(i, key, form)
        print ""
    }
    function detour(i) {
        printf "%-23s%s%s%s%s%s%s%s%s\n", value[i, "step"], cell(i, "launches", "count"),
            cell(i, "global load requests", "count"), cell(i, "global load sectors/request", "ratio"),
            cell(i, "global atomic requests", "count"), cell(i, "shared wavefronts", "count"),
            cell(i, "shared bank conflicts", "count"), cell(i, "warps at __syncthreads", "count"),
            cell(i, "shuffles", "count")
    }
    $1 == "program" {
        columns++
        name = $2
        if (sub(/^step/, "", name)) steps++
        value[columns, "step"] = name
        next
    }
    /^counters/ { value[columns, "launches"] = $2 }
    # a line of the table: its label is 27 wide, the last figure is that of all launches
    {
        label = substr($0, 1, 27)
        gsub(/^ +| +$/, "", label)
        if (label ~ /^(global|shared|warps at)/) space = label ~ /^warps/ ? "" : substr(label, 1, 6) " "
        if (label ~ /load requests$/) kind = "load "
        if (label ~ /store requests$/) kind = "store "
        if (label ~ /atomic requests$/) kind = "atomic "
        sub(/^(global|shared) /, "", label)
        sub(/^(load|store|atomic) /, "", label)
        if (label ~ /^(requests|sectors|sectors\/request|wavefronts|bank conflicts)$/) label = kind label
        key = space label
        value[columns, key] = $NF
        if (key ~ /^shared (load|store) /) {
            sub(/(load|store) /, "", key)
            if ($NF != "-") value[columns, key] += $NF
        }
    }
    END {
        line("step", "step")
        line("launches", "launches")
        line("global load requests", "global load requests", "count")
        line("  sectors", "global load sectors", "count")
        line("  sectors/request", "global load sectors/request", "ratio")
        line("shared requests", "shared requests", "count")
        line("  wavefronts", "shared wavefronts", "count")
        line("  bank conflicts", "shared bank conflicts", "count")
        line("  lanes/request", "shared lanes/request", "ratio")
        line("warps at __syncthreads", "warps at __syncthreads", "count")
        line("  at __syncwarp", "__syncwarp", "count")
        line("shuffles by warps", "shuffles", "count")
        line("branch efficiency, %", "branch efficiency, %", "ratio")
        if (columns == steps) exit
        if (steps) print ""
        printf "%-23s %6s %6s %6s %6s %6s %6s %6s %6s\n", "", "laun-", "global", "sect./", "atomic",
            "shared", "bank", "barr.", "shuf-"
        printf "%-23s %6s %6s %6s %6s %6s %6s %6s %6s\n", "detour", "ches", "loads", "load", "reqs",
            "wavefr", "confl.", "warps", "fles"
        for (i = steps + 1; i <= columns; i++) detour(i)
    }'

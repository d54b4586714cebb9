#!/usr/bin/env bash
# What one reduction costs in each step, side by side: counters.sh PROGRAM … (CPU backend). The
# figures are those of the tables that the programs print, all launches together.
set -euo pipefail

for program in "$@"; do
    echo "program $(basename "$program")"
    "$program" || { status=$?; echo "make counters: $(basename "$program") failed" >&2; exit $status; }
done | awk '
    function short(x) {
        if (x < 1000000) return x ""
        return sprintf(x < 10000000 ? "%.2fM" : "%.1fM", x / 1000000)
    }
    function line(label, key, form,   i, x) {
        printf "%-23s", label
        for (i = 1; i <= columns; i++) {
            x = value[i, key]
            if (x == "-" || x == "") x = form == "count" ? 0 : "-"
            printf " %6s", form == "count" ? short(x) : form == "ratio" && x != "-" ? sprintf("%.1f", x) : x
        }
        print ""
    }
    $1 == "program" { columns++; name = $2; sub(/^step/, "", name); value[columns, "step"] = name; next }
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
    }'

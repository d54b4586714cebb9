#!/usr/bin/env bash
# What one reduction costs in each step, side by side: counters.sh PROGRAM … (CPU backend).
set -euo pipefail

for program in "$@"; do
    "$program" --counters=csv || { status=$?; echo "make counters: $(basename "$program") failed" >&2; exit $status; }
done | awk -F, -v programs="$*" '
    function short(x) {
        if (x == "") return "-"
        if (x < 1000000) return x ""
        return sprintf(x < 10000000 ? "%.2fM" : "%.1fM", x / 1000000)
    }
    function ratio(a, b, factor, digits) { return b ? sprintf("%." digits "f", factor * a / b) : "-" }
    function line(label, values,   i) {
        printf "%-23s", label
        for (i = 1; i <= columns; i++) printf " %6s", values[i]
        print ""
    }
    $1 == "step" { columns++; next }
    {
        key = columns " " $7 " " $8
        requests[key] += $9; lanes[key] += $10; sectors[key] += $11; wavefronts[key] += $12
        if ($2 > launches[columns]) launches[columns] = $2
        space = columns " " $7
        all_requests[space] += $9; all_lanes[space] += $10
    }
    END {
        count = split(programs, path, " ")
        for (i = 1; i <= count; i++) { name = path[i]; sub(/.*\//, "", name); sub(/^step/, "", name); head[i] = name }
        line("step", head)
        line("launches", launches)
        for (i = 1; i <= columns; i++) {
            gl = i " global load"; sl = i " shared load"; ss = i " shared store"
            a[i] = short(requests[gl]); b[i] = short(sectors[gl]); c[i] = ratio(sectors[gl], requests[gl], 1, 1)
            d[i] = short(requests[sl] + requests[ss]); e[i] = short(wavefronts[sl] + wavefronts[ss])
            # of 4-byte elements, one wavefront a request is what it takes
            f[i] = short(wavefronts[sl] + wavefronts[ss] - requests[sl] - requests[ss])
            g[i] = ratio(all_lanes[i " shared"], all_requests[i " shared"], 1, 1)
            h[i] = short(requests[i " sync syncthreads"] + 0); k[i] = short(requests[i " sync syncwarp"] + 0)
            l[i] = short(requests[i " sync shuffle"] + 0)
            m[i] = ratio(lanes[i " control branch"], requests[i " control branch"], 100, 1)
        }
        line("global load requests", a); line("  sectors", b); line("  sectors/request", c)
        line("shared requests", d); line("  wavefronts", e); line("  bank conflicts", f); line("  lanes/request", g)
        line("warps at __syncthreads", h); line("  at __syncwarp", k); line("shuffles by warps", l)
        line("branch efficiency, %", m)
    }'

#!/usr/bin/env bash
# What a GPU counts in one reduction, as the same table that --counters prints on the CPU backend,
# with write-up 0's three figures at its end: profile.sh PROGRAM [N], N 2^20 if not given.
set -euo pipefail
export LC_ALL=C

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: profile.sh PROGRAM [N]" >&2
    exit 2
fi
rows=$("$(dirname "$0")/nsight.sh" --launches "${2:-2^20}" "$1")

awk -F, '
    function line(label) { printf "%-27s", label }
    function cells(metric, format, used, per,   i) { # "-" where the launch has nothing of used
        for (i = 1; i <= columns; i++)
            if (value[used, i] == 0) printf " %11s", "-"
            else printf " %11s", sprintf(format, value[metric, i] / (per == "" ? 1 : value[per, i]))
        print ""
    }
    function count(label, metric, used) {
        line(label)
        cells(metric, "%.0f", used == "" ? metric : used)
    }
    function rare(label, metric) { if (sum[metric] > 0) count(label, metric) }
    function ratio(label, metric, per) { line(label); cells(metric, "%.2f", per, per) }
    function lanes(space,   i) { # unknown where the space of some accesses is
        for (i = 1; i <= columns; i++) {
            value[space, i] = value[space "_load_requests", i] + value[space "_store_requests", i] + \
                value[space "_atomic_requests", i]
            if (value["generic_requests", i] > 0) value[space, i] = 0
        }
        ratio("       lanes/request", space "_lanes", space)
    }
    function rate(label, metric, scale, format,   i) { # has no sum over the launches
        line(label)
        for (i = 1; i <= shown; i++)
            printf " %11s", value[metric, i] == 0 ? "-" : sprintf(format, value[metric, i] / scale)
        print ""
    }
    {
        if ($6 > launches) launches = $6
        blocks[$6] = $7 (length($7 $8) > 8 && $7 $8 !~ /x/ ? "x" : " x ") $8
        given[$6, $9] = $10; sum[$9] += $10
        metrics[$9]
        title = $1 == "" ? $2 : "step " $1 "  " $2
        gsub(/-/, " ", title)
        about = "n = " $5 " " $3
    }
    END {
        shown = launches < 3 ? launches : 3
        columns = shown + (launches > 1)
        for (m in metrics) {
            for (i = 1; i <= shown; i++) value[m, i] = given[i, m]
            if (launches > 1) value[m, columns] = sum[m]
        }
        print title ", " about ": Nsight Compute"
        line("counters, " launches " launch" (launches == 1 ? "" : "es"))
        for (i = 1; i <= shown; i++) printf "    launch %d", i
        print (launches > 1 ? sprintf(" %11s", "all") : "")
        line("blocks x threads")
        for (i = 1; i <= shown; i++) printf " %11s", blocks[i]
        print ""
        count("global load requests", "global_load_requests")
        count("            sectors", "global_load_sectors", "global_load_requests")
        ratio("            sectors/request", "global_load_sectors", "global_load_requests")
        count("       store requests", "global_store_requests")
        count("             sectors", "global_store_sectors", "global_store_requests")
        rare("       atomic requests", "global_atomic_requests")
        lanes("global")
        count("shared load requests", "shared_load_requests")
        count("            wavefronts", "shared_load_wavefronts", "shared_load_requests")
        count("            bank conflicts", "shared_load_bank_conflicts", "shared_load_requests")
        count("       store requests", "shared_store_requests")
        count("             wavefronts", "shared_store_wavefronts", "shared_store_requests")
        count("             bank conflicts", "shared_store_bank_conflicts", "shared_store_requests")
        rare("       atomic requests", "shared_atomic_requests")
        lanes("shared")
        count("warps at __syncthreads", "syncthreads")
        count("         __syncwarp", "syncwarps")
        count("         shuffles", "shuffles")
        rare("         votes", "votes")
        rare("         reductions", "reductions")
        rate("branch efficiency, %", "branch_efficiency_pct", 1, "%.2f")
        rate("instructions per warp", "instructions_per_warp", 1, "%.2f")
        rate("global load GB/s", "global_load_throughput", 1e9, "%.1f")
        if (sum["shared_load_bank_conflicts"] + sum["shared_store_bank_conflicts"] > 0)
            print "(of shared wavefronts some 2 % are warps in each other\047s way, no conflicts)"
    }' <<<"$rows"

#!/usr/bin/env bash
# What the CPU backend's simulation costs on this machine, on one OS thread: nanoseconds a lane's
# access in a few kernels, in a plain build (without the hooks) and with them. make bench-simt, or,
# for the rows whose names begin so, bench.sh NAME
set -euo pipefail
export LC_ALL=C # awk reads and writes numbers as the locale does

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SIMT_THREADS=1

"$here/simtcc" "$here/bench.cu" -o "$work/hooks"
SIMTCC_HOOKS=off "$here/simtcc" "$here/bench.cu" -o "$work/plain"

# One program for each column of the table. They take turns, so that what else the machine does
# hits all of them; of a few turns the fastest counts.
measure() {
    SIMT_CHECKS=off SIMT_COUNTERS=off "$work/plain" "$@" >>"$work/1"
    SIMT_CHECKS=off SIMT_COUNTERS=off "$work/hooks" "$@" >>"$work/2"
    SIMT_CHECKS=off SIMT_COUNTERS=csv "$work/hooks" "$@" >>"$work/3" 2>/dev/null
    SIMT_CHECKS=on SIMT_COUNTERS=off "$work/hooks" "$@" >>"$work/4"
    SIMT_CHECKS=on SIMT_COUNTERS=csv "$work/hooks" "$@" >>"$work/5" 2>/dev/null
}
for _ in 1 2; do
    measure "$@"
done

awk '# the fastest of each row and column
     FNR == 1 { column++ }
     { ns = $1; sub(/^[^ ]* /, "")
       if (!($0 in row)) { row[$0] = ++rows; name[rows] = $0 }
       at = row[$0] " " column
       if (!(at in least) || ns < least[at]) least[at] = ns }
     END { printf "%-17s%7s%14s%14s%14s%14s\n", "ns an access", "plain",
               "hooks", "counters", "checks", "both"
           for (r = 1; r <= rows; r++) {
               plain = least[r " 1"]
               printf "%-17s%7.2f", name[r], plain
               for (c = 2; c <= 5; c++)
                   printf " %6.1f %5.1fx", least[r " " c], least[r " " c] / plain
               print "" } }' "$work"/[1-5]

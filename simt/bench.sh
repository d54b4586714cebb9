#!/usr/bin/env bash
# What the CPU backend's simulation costs on this machine, on one OS thread: nanoseconds a simulated
# thread, barrier and access, plain (built without the hooks), and with them. make bench-simt
set -euo pipefail
export LC_ALL=C # awk reads and writes numbers as the locale does

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d 2>/dev/null) || {
    echo "make bench-simt: TMPDIR=${TMPDIR:-/tmp}: no folder that can be written; want one" >&2
    exit 2
}
trap 'rm -rf "$work"' EXIT
unset SIMT_COUNTERS SIMT_TRACE SIMT_ORDER # whatever the user has set
export SIMT_THREADS=1

SIMTCC_HOOKS=on "$here/simtcc" "$here/bench.cu" -o "$work/hooks"
SIMTCC_HOOKS=off "$here/simtcc" "$here/bench.cu" -o "$work/plain"

plain=
row() { # LABEL PROGRAM SETTING …
    local ns
    ns=$(env "${@:3}" "$work/$2" 2>/dev/null) ||
        { status=$?; echo "make bench-simt: $1: ended with status $status" >&2; exit 1; }
    plain=${plain:-$ns}
    awk -v label="$1" -v measured="$ns" -v plain="$plain" 'BEGIN {
        split(measured, ns)
        split(plain, of_plain)
        printf "%-34s %10.1f %10.1f %10.1f %7.1fx\n", label, ns[1], ns[2], ns[3],
            (ns[1] + 8 * ns[2]) / (of_plain[1] + 8 * of_plain[2]) }'
}
printf '%-34s %10s %10s %10s %8s\n' "ns per simulated" thread barrier access ratio
row "plain build, no hooks" plain SIMT_CHECKS=off
row "hooks, nothing looked at" hooks SIMT_CHECKS=off
row "counters" hooks SIMT_CHECKS=off SIMT_COUNTERS=table
row "checks" hooks SIMT_CHECKS=on
row "counters and checks" hooks SIMT_CHECKS=on SIMT_COUNTERS=table
echo "ratio: a thread with eight barriers, against the plain build"

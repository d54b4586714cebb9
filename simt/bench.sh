#!/usr/bin/env bash
# What the CPU backend's simulation costs on this machine, on one OS thread: nanoseconds a simulated
# thread, barrier and access, plain (built without the hooks), and with them. make bench-simt
set -euo pipefail
export LC_ALL=C # awk reads and writes numbers as the locale does

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d 2>/dev/null) || {
    echo "make bench-simt: TMPDIR=${TMPDIR:-/tmp}: no folder that can be written; want one, or no TMPDIR" >&2
    exit 2
}
trap 'rm -rf "$work"' EXIT
export SIMT_THREADS=1

"$here/simtcc" "$here/bench.cu" -o "$work/hooks"
SIMTCC_HOOKS=off "$here/simtcc" "$here/bench.cu" -o "$work/plain"

read -r -a plain <<<"$(SIMT_CHECKS=off "$work/plain")"
printf '%-34s %10s %10s %10s %8s\n' "ns per simulated" thread barrier access ratio
row() {
    local label=$1
    shift
    local -a ns=("$@")
    awk -v label="$label" -v a="${ns[0]}" -v b="${ns[1]}" -v c="${ns[2]}" \
        -v p="${plain[0]}" -v q="${plain[1]}" 'BEGIN {
            printf "%-34s %10.1f %10.1f %10.1f %7.1fx\n", label, a, b, c, (a + 8 * b) / (p + 8 * q) }'
}
row "plain build, no hooks" "${plain[@]}"
row "hooks, nothing looked at" $(SIMT_CHECKS=off "$work/hooks")
row "counters" $(SIMT_CHECKS=off SIMT_COUNTERS=table "$work/hooks" 2>/dev/null)
row "checks" $("$work/hooks")
row "counters and checks" $(SIMT_COUNTERS=table "$work/hooks" 2>/dev/null)
echo "ratio: a thread with eight barriers, against the plain build"

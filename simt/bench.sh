#!/usr/bin/env bash
# The cost of the CPU backend's simulation on this machine (make bench-simt): nanoseconds a lane's
# access in a few kernels, in a plain build (without the hooks) and with them.
set -euo pipefail
export LC_ALL=C # awk reads and writes numbers as the locale does

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset SIMT_COUNTERS SIMT_TRACE SIMT_ORDER # whatever the user has set

"$here/progress.sh" "compiling the bench" 1 1 s
SIMTCC_HOOKS=on "$here/simtcc" "$here/bench.cu" -o "$work/hooks"
SIMTCC_HOOKS=off "$here/simtcc" "$here/bench.cu" -o "$work/plain"

# One program for each column of the table: which, its checks and its counters. They take turns, so
# that what else the machine does hits all of them; of a few turns the fastest counts.
columns=('plain off off' 'hooks off off' 'hooks off csv' 'hooks on off' 'hooks on csv')
turns=("${!columns[@]}" "${!columns[@]}") turn=0
for column in "${turns[@]}"; do
    "$here/progress.sh" "measuring the backend" $((turn += 1)) ${#turns[@]} s
    read -r program checks counters <<<"${columns[column]}"
    SIMT_CHECKS=$checks SIMT_COUNTERS=$counters "$work/$program" >>"$work/$column" 2>/dev/null ||
        { echo "make bench-simt: column $((column + 1)): ended with status $?" >&2; exit 1; }
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
               print "" } }' "$work"/[0-4]

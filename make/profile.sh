#!/usr/bin/env bash
# Nsight Compute's counters of a program, by our names for them (plots/measure/nsight-metrics.csv).
#
#   profile.sh N PROGRAM                   a table of a reduction of N elements, launch by launch
#   profile.sh --rows N PROGRAM [METRICS]  its first launch as rows step,name,type,block,n,metric,value;
#                                          METRICS: another file of names
#   profile.sh --check                     whether there is what it needs
#
# Without ncu, a GPU or the permission to read its counters it says what to ask for, status 3.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
without="make counters has the same without it (a step: --counters, --annotate)"

die() { # STATUS TEXT
    echo "make profile: $2" >&2
    exit "$1"
}

rows=
[ "$1" != --rows ] || { rows=1 && shift; }
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1 || true)
[[ $driver =~ ^[0-9] ]] || die 3 "no GPU here; $without"
command -v ncu >/dev/null ||
    die 3 "no Nsight Compute (ncu) in PATH, which comes with the CUDA toolkit; $without"

[ "$1" != --check ] || exit 0
n=$1 program=$2 metrics=${3:-plots/measure/nsight-metrics.csv}

# A program that fails does so before ncu runs it. Two reductions: untimed and timed.
text=$("$program" -n "$n" -r 1 --csv)
IFS=, read -r -a columns <<<"${text%%$'\n'*}"
IFS=, read -r -a values <<<"${text##*$'\n'}"
declare -A row
for i in "${!columns[@]}"; do row[${columns[i]}]=${values[i]:-}; done

output=$(mktemp)
trap 'rm -f "$output" "$output.why"' EXIT
asked=$(grep -v '^#' "$metrics" | sed 1d | cut -d, -f2 | sort -u | paste -sd, -)
ncu --csv --print-units base --print-metric-instances details --clock-control none \
    --kernel-name 'regex:[Rr]educe|^add_' ${rows:+--launch-count 1} \
    --metrics "$asked" "$program" -n "$n" -r 1 >"$output" 2>&1 || true
if grep -q ERR_NVGPUCTRPERM "$output"; then
    cat >&2 <<'TEXT'
Nsight Compute may not read this GPU's counters (ERR_NVGPUCTRPERM).
Ask the administrator to load NVIDIA's kernel module with the option
NVreg_RestrictProfilingToAdminUsers=0, to let you run it with sudo or, in a
container, to give that CAP_SYS_ADMIN. The CPU backend needs none of this and
counts the same: make counters, or a step's --counters and --annotate.
TEXT
    exit 3
fi
title="${row[step]:+step ${row[step]}  }${row[name]//-/ }, n = ${row[n]} ${row[type]}"
head=${rows:+"${row[step]},${row[name]},${row[type]},${row[block]},${row[n]}"}
awk -v title="$title" -v head="$head" -f make/profile.awk "$metrics" "$output" 2>"$output.why" ||
    die 1 "Nsight Compute on ${program##*/} failed: $(cat "$output.why")"

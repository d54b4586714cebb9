#!/usr/bin/env bash
# Nsight Compute's counters of the reductions of programs: nsight.sh [--table] N PROGRAM …
#
# Prints rows step,name,type,block,n,metric,value of the first launch of each program's reduction
# of N elements, the metrics by our names for them (nsight-metrics). With --table, of all its
# launches, the table that --counters prints on the CPU backend, with write-up 0's further figures
# at its end (make build/simt/nsight-table builds what lays it out).
# Without ncu, a GPU or the permission to read counters it says what to ask for; exit status 3.
set -euo pipefail
export LC_ALL=C # ncu writes numbers as the locale does

here=$(dirname "$0")
. "$here/gpu.sh"
metrics=$here/nsight-metrics

without='make counters has the same without it (a step: --counters, --annotate)'

die() {
    echo "make profile: $1" >&2
    exit 3
}

no_permission() {
    cat >&2 <<END
Nsight Compute may not read this GPU's counters (ERR_NVGPUCTRPERM).
Ask the administrator to open the GPU's performance counters to all users:
NVIDIA's kernel module needs the option NVreg_RestrictProfilingToAdminUsers=0
(a line in /etc/modprobe.d: 'options nvidia
NVreg_RestrictProfilingToAdminUsers=0', then a reboot); or to let you run it
with sudo; or, in a container, to give that CAP_SYS_ADMIN.
The CPU backend needs none of this and counts the same: make counters, or a
step's --counters and --annotate after make BACKEND=cpu.
END
    exit 3
}

table=0 launches=(--launch-count 1)
if [ "${1:-}" = --table ]; then
    table=1 launches=()
    shift
fi
[ $# -ge 2 ] || [ "${1:-}" = --able ] ||
    { echo "usage: nsight.sh [--table] N PROGRAM …, or nsight.sh --able" >&2; exit 2; }
n=$1
shift
driver_version >/dev/null || die "no GPU here; $without"
command -v ncu >/dev/null ||
    die "no Nsight Compute (ncu) in PATH, which comes with the CUDA toolkit; $without"
[ "$n" != --able ] || exit 0

list=$(awk '!/^#/ {sub(/:.*/, "", $2); if (!seen[$2]++) print $2}' "$metrics" | paste -sd,)
for program in "$@"; do
    status=0
    raw=$(ncu --csv --print-units base --print-metric-instances details --clock-control none \
        --kernel-name 'regex:[Rr]educe|^add_' "${launches[@]}" --metrics "$list" \
        "$program" -n "$n" -w 1 -r 1 --csv 2>&1) || status=$?
    ! grep -q ERR_NVGPUCTRPERM <<<"$raw" || no_permission
    rows=$(awk -v table=$table -f "$here/nsight.awk" "$metrics" - <<<"$raw") ||
        { raw+=$'\n'$rows rows=; }
    if [ -z "$rows" ] || grep -q '^==ERROR==' <<<"$raw"; then
        # the program's own word, if it had one, says more than Nsight's of how it ended
        why=$(grep -m 1 -E "^$(basename "$program"): |^[^ ]+\.cu:[0-9]+: " <<<"$raw" ||
            grep -m 1 '^==ERROR==' <<<"$raw" || tail -n 1 <<<"$raw")
        why=${why:-ncu ended with status $status}
        echo "Nsight Compute on $(basename "$program") failed: $why" >&2
        exit 1
    fi
    if [ $table = 1 ]; then "$here/../build/simt/nsight-table"; else cat; fi <<<"$rows"
done

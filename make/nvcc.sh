#!/usr/bin/env bash
# nvcc.sh PROGRAM NVCC OPTION …: runs nvcc. For several architectures it takes minutes, so a terminal's line
# counts them: with -v nvcc says which commands it begins. Exit status: nvcc's.
[ -t 2 ] || exec "${@:2}"
set -o pipefail
"${@:2}" -v 2>&1 | {
    begun=0
    while IFS= read -r line; do
        case $line in
        '#$ '*' -D__CUDA_ARCH__='*' -E '*)
            list=${line#*__CUDA_ARCH_LIST__=} list=${list%% *} commas=${list//[^,]/}
            simt/progress.sh "compiling $1, architectures" $((begun += 1)) $((${#commas} + 1)) ;;
        '#$ '*) ;;
        *) printf '%s\n' "$line" ;;
        esac
    done >&2
}

#!/usr/bin/env bash
# Writes cuda_names.csv: the names that CUDA's own headers give to functions of the device, and all
# that are called cudaX. simtcc refuses by name those that the backend lacks.
#
#   simt/compile/cuda_names.sh >simt/compile/cuda_names.csv  with the nvcc that is on PATH
set -euo pipefail
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/all.cu" <<'END'
#include <cuda_runtime.h>
#include <cuda_awbarrier_primitives.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
#include <cuda_profiler_api.h>
END
folder=$(readlink -f "$(nvcc -E -x cu /dev/null | sed -n 's|^# 1 "\(.*\)/cuda_runtime.h".*|\1|p;T;q')")
nvcc -E -arch=sm_100 "$work/all.cu" >"$work/all.i"
nvcc --version | sed -n 's/.*release.*, V/CUDA /p'
# What stands in front of a parenthesis there, but for C++'s words and what is nobody's to call
awk -F'"' -v folder="$folder" '/^# [0-9]+ "/ {on = index($2, "/targets/") || index($2, folder); next} on' "$work/all.i" |
    grep -oE '\<(cuda[A-Z][A-Za-z0-9_]*|[A-Za-z_][A-Za-z0-9_]*[ 	]*\()' | tr -d ' \t(' | sort -u |
    grep -vE '^(cuda[A-Z].*_v[0-9]+|__nv.*|__(internal|builtin|cuda|pgo|attr|float_simpl).*)$' |
    grep -vE '^(__match(32|64).*|__reduce_.*_impl|_.|_[^_].*|__[iudf][A-Z].*|(awbarrier|pipeline)_.*)$' |
    grep -vE 'Atomic|_(impl|internal|helper|mask_impl)$' |
    grep -vxE '(syncthreads_|is_|target).*|__(align(of)?|x|is_trivially.*|cmath_power|assert_fail|finite.?|signbit.?|is(inf|nan).?)' |
    grep -vxE '[nxyz]|aligned|all|any|asm|ballot|bit.*|block.*|bool|char|cp_async|deprecated|delete' |
    grep -vxE 'float|for|if|int|u?int[234]|long|move|new|noexcept|operator|provides|return|short' |
    grep -vxE 'sizeof|static_assert|switch|throw|toint|void|volatile|while'

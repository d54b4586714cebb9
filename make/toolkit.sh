#!/usr/bin/env bash
# make toolkit: NVIDIA's compiler for a machine that has a GPU's driver and no nvcc, without root, as wheels
# into build/cuda, where make finds it: toolkit.sh [PYTHON]
#
# CUDA 13 needs driver 580 or newer and a GPU of compute capability 7.5 or later; of CUDA 12 there are no
# wheels with an nvcc in them. Where the driver is older than the compiler (13.0 beside 13.5), the driver
# cannot translate the compiler's PTX: programs run that are built for the very GPU, as make does.
# Nothing half-done is left. Exit status 2: it cannot be had here, and why, in one line.
set -euo pipefail
cd "$(dirname "$0")/.."

die() {
    echo "make toolkit: $*" >&2
    exit 2
}

ask() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }

[ ! -e build/cuda/nvidia/cu13/bin/nvcc ] || { echo "build/cuda is there already" && exit; }
driver=$(ask driver_version || true) capability=$(ask compute_cap || true)
other="install CUDA 12 (Debian, Ubuntu: apt install nvidia-cuda-toolkit)"
if [[ $driver =~ ^([0-9]+)\. ]]; then
    [ "${BASH_REMATCH[1]}" -ge 580 ] ||
        die "CUDA 13 needs NVIDIA's driver 580 or newer, here is $driver: update it, or $other"
    [[ ! $capability =~ ^([0-9]+)\.([0-9])$ ]] || [ "${BASH_REMATCH[1]}${BASH_REMATCH[2]}" -ge 75 ] ||
        die "CUDA 13 compiles for compute capability 7.5 and later, this GPU has $capability: $other"
else
    echo "no GPU here: programs can be compiled (make step03 BACKEND=cuda ARCH=sm_90), not run" >&2
fi
{ mkdir -p build && exec 9>build/cuda.lock; } 2>/dev/null || die "build/ cannot be written here"
flock -n 9 || die "another make toolkit is at work in this folder: wait for it"
python=$(simt/python.sh requirements.txt toolkit "${1:-python3}" pip)
echo "downloading CUDA 13.5's compiler (NVIDIA's licence; 350 MB in build/cuda) …" >&2
rm -rf build/cuda.part
trap 'rm -rf build/cuda.part' EXIT
simt/pip.sh build/cuda.log "downloading and installing it" "$python" -m pip install --disable-pip-version-check \
    --progress-bar off --no-deps --only-binary :all: --require-hashes --no-compile --target build/cuda.part -r make/toolkit.txt ||
    die "pip cannot install make/toolkit.txt: build/cuda.log says why"
mv build/cuda.part build/cuda
build/cuda/nvidia/cu13/bin/nvcc --version | tail -n 2 | head -n 1

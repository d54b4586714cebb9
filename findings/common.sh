# Sourced by the findings. Each runs in a temporary folder, which is removed at the end.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# packages NAME==VERSION …: installs these into a virtual environment; $python is its Python.
packages() {
    python3 -m venv venv
    python=$work/venv/bin/python
    "$python" -m pip install -q --disable-pip-version-check "$@"
}

# cuda_wheels NAME==VERSION …: the same, for NVIDIA's toolkit as wheels; its programs are on PATH then.
cuda_wheels() {
    packages "$@"
    PATH=$(echo "$work"/venv/lib/python3*/site-packages/nvidia/cu13/bin):$PATH
}

# instructions FILE.cu ARCH 'PATTERN': for each kernel its name and the opcodes that match, in order.
instructions() {
    nvcc -arch="$2" -cubin "$1" -o kernels.cubin
    cuobjdump -sass kernels.cubin | awk -v want="$3" '
        /Function :/ { name = $3; kernels[++n] = name }
        match($0, want) { said[name] = said[name] " " substr($0, RSTART, RLENGTH) }
        END { for (i = 1; i <= n; i++) print kernels[i] ":" said[kernels[i]] }' | sort
}

# same SEEN EXPECTED: prints what was seen; fails with the difference if it is not what is expected.
same() {
    cat "$1"
    if diff "$2" "$1" >difference; then
        echo "as found"
    else
        echo "no longer so (< as found, > now):" >&2
        cat difference >&2
        exit 1
    fi
}

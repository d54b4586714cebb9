# For scripts to source: which GPU is here, and what heads the files that are measured on it.

ask_gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | awk 'NR == 1'; }

driver_version() { ask_gpu driver_version | grep -x '[0-9][0-9.]*'; } # fails where no GPU is

need_gpu() {
    driver_version >/dev/null ||
        { echo "make bench: no GPU here; make counters and make plots do not need one" >&2; exit 3; }
}

# As a file is called by it, such as h200; the memory of an H100 80GB HBM3 is no part of its name
gpu_file_name() {
    ask_gpu name | sed 's/^NVIDIA //; s/ [0-9]*GB.*//' | tr '[:upper:]' '[:lower:]' |
        tr -cs 'a-z0-9\n' '-'
}

commit_of_tree() {
    local hash=${BENCH_COMMIT:-} tree=${BASH_SOURCE%/*}
    if [ -z "$hash" ] && hash=$(git -C "$tree" rev-parse --short HEAD 2>/dev/null); then
        # data are not what is measured, and with PUBLISH=1 the bench itself writes some
        [ -z "$(git -C "$tree" status --porcelain -- ':(top)' ':(top,exclude)plots/data')" ] ||
            hash+=+
    fi
    echo "${hash:-unknown}"
}

origin() { # GPU
    local cuda
    cuda=$("${NVCC:-nvcc}" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p') || true
    printf '# %s: %s\n' gpu "$1" driver "$(driver_version)" cuda "${cuda:-unknown}" \
        commit "$(commit_of_tree)"
}

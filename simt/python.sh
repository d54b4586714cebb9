#!/usr/bin/env bash
# Prints the path of a Python that has these modules: python.sh TARGET PYTHON [MODULE …]
# The Python at hand will do if it has them; else a virtual environment with the pinned packages of
# requirements.txt, made once; of one that is not ready, since that was interrupted, nothing is kept.
# Who cannot have one is told what to do in one line, exit status 2.
set -euo pipefail
cd "$(dirname "$0")/.."

target="make $1"
modules=${*:3}
venv=build/venv

die() {
    echo "$target: $*" >&2
    exit 2
}

python=$(command -v -- "$2") || die "$2 not found: install Python 3, or say PYTHON=/path/to/it"
# Modules are found, not run: that would take as long as what they are wanted for.
find='import sys, importlib.util as u; sys.exit(not all(map(u.find_spec, sys.argv[1:])))'
if "$python" -c "$find" "${@:3}" 2>/dev/null; then
    echo "$python"
    exit
fi
if [ ! -e "$venv/ready" ] || [ requirements.txt -nt "$venv/ready" ]; then
    echo "$target: setting up $venv (once)" >&2
    rm -rf "$venv"
    mkdir -p build
    "$python" -m venv "$venv" </dev/null >/dev/null 2>&1 ||
        die "'$python -m venv' failed: install Python's venv module" \
            "(Debian, Ubuntu: apt install python3-venv)"
    "$venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: \
        -r requirements.txt </dev/null >"$venv/pip.log" 2>&1 ||
        die "pip cannot install requirements.txt for $("$python" -V): $venv/pip.log says why." \
            "Want a network and Python 3.9 to 3.14, or '$target PYTHON=…', one that has $modules"
    touch "$venv/ready"
fi
echo "$venv/bin/python"

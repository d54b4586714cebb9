#!/usr/bin/env bash
# make test: finds or makes a Python that has the pinned packages, then runs every test.
# run.sh [PYTHON]; what stands in PYTEST_ARGS is passed on to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(command -v "${1:-python3}") || { echo "make test: ${1:-python3} not found: install Python 3, or say PYTHON=/path/to/it" >&2; exit 2; }
venv=build/venv

# The Python at hand will do if it has the packages; else a virtual environment with pinned ones.
if ! "$python" -c 'import matplotlib, pytest, xdist' 2>/dev/null; then
    if [ ! -e "$venv/ready" ] || [ requirements.txt -nt "$venv/ready" ]; then
        echo "make test: setting up $venv (once)"
        rm -rf "$venv"
        mkdir -p build
        "$python" -m venv "$venv" >/dev/null 2>&1 ||
            { echo "make test: '$python -m venv' failed: install Python's venv module (Debian, Ubuntu: apt install python3-venv)" >&2; exit 2; }
        "$venv/bin/pip" install -q --disable-pip-version-check -r requirements.txt ||
            { echo "make test: cannot install the packages of requirements.txt: is there a network? 'make test PYTHON=…' takes a Python that has them" >&2; exit 2; }
        touch "$venv/ready"
    fi
    python=$venv/bin/python
fi
# One build of what all tests share, before they run side by side.
make -s simt
exec "$python" -m pytest -q -p no:cacheprovider -n "$(nproc)" --dist worksteal ${PYTEST_ARGS:-} tests

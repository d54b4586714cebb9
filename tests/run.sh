#!/usr/bin/env bash
# make test: finds or makes a Python that has the pinned packages, then runs every test.
# run.sh [PYTHON]; what stands in PYTEST_ARGS is passed on to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(make/python.sh test "${1:-python3}" matplotlib pytest xdist)
# One build of what all tests share, before they run side by side.
make -s simt
# matplotlib's own warnings are not ours to mend.
# shellcheck disable=SC2086 # PYTEST_ARGS may be several words
exec "$python" -m pytest -q -p no:cacheprovider -n "$(nproc)" --dist worksteal \
    -o 'filterwarnings=ignore::DeprecationWarning:matplotlib\..*' ${PYTEST_ARGS:-} tests

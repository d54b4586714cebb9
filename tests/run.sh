#!/usr/bin/env bash
# make test, test-all or golden: finds or makes a Python that has the pinned packages, then runs the tests:
#
#   run.sh test|test-all|golden [PYTHON]
#
# test leaves out the slow ones. What stands in PYTEST_ARGS is passed on to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

which=()
case $1 in
test) which=(-m 'not slow') ;;
golden) export GOLDEN=1 && which=(-k golden) ;;
esac
python=$(simt/python.sh requirements.txt "$1" "${2:-python3}" matplotlib pytest xdist)
# make hands PYTHON on, and tests call it from other folders.
[[ $python = /* ]] || python=$PWD/$python
[ -z "${PYTHON:-}" ] || export PYTHON=$python
# One build of what all tests share, before they run side by side.
MAKEFLAGS='' make -s -j"$(nproc)" simt
# Each process reads the tests, and writes down what it made of them for the next run.
unset PYTHONDONTWRITEBYTECODE
# A signal to this ends all processes of the tests: they are in a process group of their own.
trap 'set +e; kill -INT -- -$!; wait; kill -KILL -- -$! 2>/dev/null; exit 130' INT TERM HUP
set -m
# matplotlib's own warnings are not ours to mend.
# shellcheck disable=SC2086 # PYTEST_ARGS may be several words
"$python" -m pytest -q -rs -p no:cacheprovider -n "$(nproc)" --dist worksteal \
    -o 'filterwarnings=ignore::DeprecationWarning:matplotlib\..*' \
    ${which[@]+"${which[@]}"} ${PYTEST_ARGS:-} tests simt/tests </dev/null &
set +m
wait $!

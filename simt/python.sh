#!/usr/bin/env bash
# Prints the path of a Python that has these modules:
#
#   python.sh REQUIREMENTS TARGET PYTHON [MODULE …]
#
# The Python at hand will do if it has them; else a virtual environment with the pinned packages of
# REQUIREMENTS (requirements.txt of the tutorial, or simt/requirements.txt), made once. One that was
# interrupted while it was set up is made anew. If there is no way to get one, one line says what to
# do, exit status 2.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=$1 target="make $2"
room=$(dirname "$requirements")/
venv=build/${room#./}venv
shift 2
modules=${*:2}

die() {
    echo "$target: $*" >&2
    exit 2
}

python=$(command -v -- "$1") || die "$1 not found: install Python 3, or say PYTHON=/path/to/it"
# Modules are found, not run: that would take as long as what they are wanted for.
find='import sys, importlib.util as u; sys.exit(not all(map(u.find_spec, sys.argv[1:])))'
if "$python" -c "$find" "${@:2}" 2>/dev/null; then
    echo "$python"
    exit
fi
has_changed() { [ -n "$(find "$requirements" simt/requirements.txt -newer "$venv/ready" 2>&1)" ]; } # or is missing
if has_changed; then
    { mkdir -p "$(dirname "$venv")" && exec 9>"$venv.lock"; } 2>/dev/null || die "$venv cannot be written"
    flock 9 # another may set it up
fi
if has_changed; then
    echo "$target: setting up $venv (once; downloads $(sed -n 's/^# Download: //p' "$requirements"))" >&2
    rm -rf "$venv"
    simt/pip.sh /dev/null "making the environment" "$python" -m venv "$venv" ||
        die "'$python -m venv' failed: install Python's venv module" \
            "(Debian, Ubuntu: apt install python3-venv)"
    simt/pip.sh "$venv/pip.log" "installing the packages" "$venv/bin/pip" install --disable-pip-version-check \
        --progress-bar off --only-binary :all: -r "$requirements" ||
        die "pip cannot install $requirements for $("$python" -V): $venv/pip.log says why." \
            "Want a network and Python 3.9 to 3.14, or '$target PYTHON=…', one that has $modules"
    touch "$venv/ready"
fi
echo "$venv/bin/python"

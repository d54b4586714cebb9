#!/usr/bin/env bash
# pip.sh LOG COMMAND …: runs a pip. Its output goes into LOG. On a terminal, one line that is written anew
# shows its progress, such as a download and its size. Exit status: the command's.
set -o pipefail
log=$1
shift
show() { [ ! -t 2 ] || printf '%-78.78s\r' "$1" >&2; }
"$@" </dev/null 2>&1 | tee "$log" | while IFS= read -r line; do
    if [[ $line =~ Downloading\ ([^-]+-[^-]+).*(\(.*\)) ]]; then
        show "downloading ${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
    elif [[ $line = Installing* ]]; then
        show "$line"
    fi
done
status=$?
show ''
exit $status

#!/usr/bin/env bash
# pip.sh LOG WHAT COMMAND …: runs a pip, or another command that takes a while. Its output goes into LOG. On a
# terminal, a line that is written anew each second says what it does: WHAT, until pip says that it
# downloads, with the size, or installs. Exit status: the command's.
set -o pipefail
log=$1 what=$2
shift 2
show() { [ ! -t 2 ] || printf '%-78.78s\r' "$1" >&2; }
"$@" </dev/null 2>&1 | tee "$log" | {
    begun=$SECONDS
    while IFS= read -r -t 1 line || [ $? -gt 128 ]; do
        if [[ $line =~ Downloading\ ([^-]+-[^-]+).*(\(.*\)) ]]; then
            what="downloading ${BASH_REMATCH[1]} ${BASH_REMATCH[2]}" begun=$SECONDS
        elif [[ $line = Installing* ]]; then
            what="installing the packages" begun=$SECONDS
        fi
        show "$what, $((SECONDS - begun)) s"
    done
}
status=$?
show ''
exit $status

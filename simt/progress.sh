#!/bin/sh
# Says on stderr what takes a while, and how far it is: progress.sh WHAT I N [s]
#
# A terminal's line is written anew until I is N. Elsewhere, or where N is no number of things, the line
# stands once; with an s, which is make's -s, it is for a terminal alone.
if [ -t 2 ] && [ "$3" -gt 1 ]; then
    [ "$2" -lt "$3" ] && end='\r' || end='\n'
    printf "%s: %d of %d$end" "$1" "$2" "$3" >&2
elif [ "$2" = 1 ] && { [ -t 2 ] || [ -z "${4:-}" ]; }; then
    printf '%s …\n' "$1" >&2
fi

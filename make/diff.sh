#!/usr/bin/env bash
# make diff-02-03: two programs side by side in the terminal.
#
#   diff.sh [--all] OLD NEW   two main.cu; --all folds nothing
#   diff.sh --rows OLD NEW    for scripts: what differs between their code, as diff.awk says
#
# What cannot be read, or written, is one line, exit status 2.
set -euo pipefail
export LC_ALL=C

all='' rows=''
[ "$1" != --all ] || { all=1 && shift; }
[ "$1" != --rows ] || { rows=1 && shift; }
for file in "$@"; do
    [ -r "$file" ] || { echo "make diff: $file: cannot be read" >&2; exit 2; }
done
# COLUMNS, else that of the terminal, else 80. A pager may have the output, but no messages.
columns=${COLUMNS:-}
columns=$((10#0${columns%%[!0-9]*}))
[ $columns != 0 ] || columns=$(stty size 2>/dev/null <&2 | cut -d' ' -f2 || true)
# Colours on a terminal, and where CLICOLOR_FORCE is set; never with NO_COLOR (https://no-color.org)
colour=''
[[ ( ! -t 1 || ${TERM:-} == dumb ) && ${CLICOLOR_FORCE-0} == 0 || -n ${NO_COLOR:-} ]] || colour=1
told=$(awk -v rows_only="$rows" -v all="$all" -v colour="$colour" \
    -v columns=$((columns > 64 ? columns : columns ? 64 : 80)) \
    -f "${0%/*}/compare.awk" -f "${0%/*}/diff.awk" "$@")
printf '%s' "${told:+$told$'\n'}" 2>/dev/null ||
    { echo "make diff: the output cannot be written" >&2; exit 2; }

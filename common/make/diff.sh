#!/usr/bin/env bash
# Two steps side by side: diff.sh 02 03
set -euo pipefail

find_main() {
    local main
    for main in steps/"$1"-*/main.cu detours/"$1"/main.cu; do
        [ -r "$main" ] && echo "$main" && return
    done
    echo "make diff: no step or detour '$1'; want two, as in make diff-02-03" >&2
    exit 2
}

[ $# -eq 2 ] || { echo "make diff: want two steps or detours, as in make diff-02-03" >&2; exit 2; }
left=$(find_main "$1")
right=$(find_main "$2")
width=160 color=never
if [ -t 1 ]; then
    width=$(tput cols) color=always
fi
printf '%-*s%s\n' $((width / 2)) "$left" "$right"
diff --side-by-side --expand-tabs --width="$width" --color=$color "$left" "$right" || [ $? -eq 1 ]

#!/usr/bin/env bash
# A student's own programs, each in a folder of own/, which git ignores:
#
#   own.sh list                      their names
#   own.sh new NAME TAKEN [FILE]     begins own/NAME/main.cu: a copy of the folder of FILE, which is
#                                    a main.cu, or a kernel to be written. TAKEN is not empty when
#                                    make knows the name already.
set -euo pipefail
export LC_ALL=C # a letter is one of 26
cd "$(dirname "$0")/.."

# What a folder may be called to be a program; other folders are none.
is_name() { [[ $1 =~ ^[a-z][a-z0-9_-]{0,31}$ ]]; }

# A link into build/ is only what an earlier make has left.
is_there() { [[ ( -e $1 || -L $1 ) && $(readlink "$1") != build/* ]]; }

list() {
    local file name
    for file in own/*/main.cu; do
        name=${file#own/}
        name=${name%/main.cu}
        if is_name "$name" && [ -e "$file" ] && ! is_there "$name"; then echo "$name"; fi
    done
}

fail() {
    printf '%s\n' "make new: $1" >&2
    exit 2
}

new() { # NAME TAKEN [FILE]
    local file=own/$1/main.cu
    [ -n "$1" ] || fail "want a name, as in make new NAME=fast"
    is_name "$1" ||
        fail "NAME=$1: want at most 32 of a-z, 0-9, - and _, first a letter, as in NAME=fast"
    if [ -n "$2" ] || is_there "own/$1" || is_there "$1"; then
        fail "NAME=$1 is taken here; want another"
    fi
    mkdir -p own
    if [ $# -gt 2 ]; then
        cp -R "$(dirname "$3")" "own/$1"
    else
        mkdir "own/$1"
        cp make/new.cu "$file"
    fi
    echo "$file: edit it, then make $1 && ./$1"
}

"$@"

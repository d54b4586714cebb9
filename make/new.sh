#!/usr/bin/env bash
# make new: copies FILE's folder to own/NAME/, which git ignores: new.sh NAME TAKEN FILE. TAKEN is not
# empty when make knows the name already.
set -euo pipefail
export LC_ALL=C # a letter is one of 26

fail() {
    printf '%s\n' "make new: $1" >&2
    exit 2
}

name=$1
[ -n "$name" ] || fail "want a name, as in make new NAME=fast"
[[ $name =~ ^[a-z][a-z0-9_-]{0,31}$ ]] ||
    fail "NAME=$name: want at most 32 of a-z, 0-9, - and _, first a letter, as in NAME=fast"
# a link into build/ is only what an earlier make has left
[[ -z $2 && ! -e own/$name && ( $(readlink "$name") == build/* || ! ( -e $name || -L $name ) ) ]] ||
    fail "NAME=$name is taken here; want another"
mkdir -p own
# Whole or not at all: an empty main.cu would be "taken here" the next time.
cp -R "$(dirname "$3")" "own/.$name.$$" && mv "own/.$name.$$" "own/$name" ||
    { rm -rf "own/.$name.$$"; fail "own/$name cannot be written"; }
echo "own/$name/main.cu: edit it, then make $name && ./$name"

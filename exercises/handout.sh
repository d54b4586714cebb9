#!/usr/bin/env bash
# make handout: build/handout.tar.gz is the repository for students. Left out are the solutions, and
# the tests, which hold other answers; of the texts what is folded, the answers. Each exercise.c
# stays: the marker needs it.
set -euo pipefail
cd "$(dirname "$0")/.."

stage=build/handout
folder=$stage/reduction
archive=build/handout.tar.gz

# Paths from here: what git tracks; where this is no clone of its own, whatever is not built.
listed() {
    if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then
        git ls-files
    else
        find . \( -path ./.git -o -path ./build -o -path ./own -o -name __pycache__ -o \
            -name .pytest_cache \) -prune -o -type f -print | sed 's|^\./||'
    fi
}

# Also a student's own main.cu is none of it, tracked or not.
for_students() { grep -Ev '^(tests|simt/tests|\.ci)/|^exercises/[^/]*/(solution\.cu|main\.cu)'; }

rm -rf "$stage" "$archive"
mkdir -p "$folder"
listed | for_students | while read -r file; do
    [ ! -f "$file" ] || echo "$file" # deleted, but not yet for git
done | tar -c -T - | tar -x -C "$folder"

# Without what is folded, also what came of a guess, and without the README's figures, which a teacher
# shows; without links to what is not here. Of the exercises' common mistakes the column goes.
find "$folder" -name '*.md' -exec sed -i -E '
    /^\[What came of it/d
    s/\[([^]]*)\]\([^)]*#(what-came-of-it|why-the-counters-of-all-steps)\)/\1/g
    /^## What came of it/,/^Licence/ { /^Licence/!d }
    /^<details>/,/^<\/details>/ { /^<\/details>/{ $!N }; d }
    /^\| exercise \| teaches/,/^$/ s/[^|]*\|$//
    s/\[([^]]*)\]\((\.\.\/)*tests[^)]*\)/\1/g' {} +
# A student may want to commit an answer.
sed -i 's|^/exercises/\*/main\.cu\*$|/exercises/*/main.cu.*|' "$folder/.gitignore"

tar -czf "$archive" --owner=0 --group=0 --numeric-owner --sort=name -C "$stage" reduction
rm -rf "$stage"
echo "$archive"

#!/usr/bin/env bash
# make handout: build/handout.tar.gz is the repository for students. It leaves out whatever tells what
# one should guess or find first: solutions, tests, the page for class, pictures and texts of what was
# measured, and in all texts what is folded. Each exercise.c stays: the marker needs it.
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

# Also a student's own main.cu is none of it, tracked or not. The pictures to be marked stay.
for_students() {
    grep -Ev '^(tests|simt/tests|plots/page|\.ci)/|^exercises/[^/]*/(solution\.cu|main\.cu)' |
        grep -Ev '^plots/measure/README|^plots/[a-z-]*\.svg$|^plots/access-0.-[^b].*\.svg$'
}

# What a full disk has cut off is no handout.
fail() { echo "make handout: $archive cannot be written" >&2 && exit 2; }

trap 'rm -rf "$stage"' EXIT
rm -rf "$stage" "$archive"
mkdir -p "$folder"
listed | for_students | while read -r file; do
    [ ! -f "$file" ] || echo "$file" # deleted, but not yet for git
done | tar -c -T - | tar -x -C "$folder" 2>/dev/null || fail

# Of README the figures of the steps, of NOTES the chapters that explain them, of the exercises the
# common mistakes (a column) and the lesson plan, of the detours what came of each.
find "$folder" -name '*.md' -exec sed -i -E '
    /^\[What came of it/d
    /^make (lab|test)/d
    /^\| \[tests\//d
    s/; \[page\/\]\(plots\/page\) makes the page for class//
    s/, `test` also pytest:/:/
    /^## What came of it/,/^Licence/ { /^Licence/!d }
    /^<!-- generated: sample/,/^<!-- \/generated/ { /ms \(median|of peak/d }
    /^### What each step changed/,/^### Why 64 MiB/ { /^### Why/!d }
    /^### The launch rules/,/^### Why a sum/ { /^### Why/!d }
    /^## What a profiler adds/,/^### Work/ { /^### Work/!d }
    /^## Lessons/,/^## Where it runs/ { /^## Where/!d }
    /^<details>/,/^<\/details>/ { /^<\/details>/{ $!N }; d }
    /^\| exercise \| teaches/,/^$/ s/[^|]*\|$//' {} +
sed -i -E '/generated: detours/,/\/generated/ s/([^|]*\|){2}$//; /\/generated/q
    /^The last two columns/d' "$folder/detours/README.md"
# … and links to what is not there; of a table of words, the rows
find "$folder" -name '*.md' -exec sed -i -z -E '
    s/\n\| [^\n]*\]\(#(a-kernels-time|what-its-warps)[^\n]*//g
    s/\[([^]]*)\]\([^)]*#(what-came-of-it|why-the-counters-of|what-a-profiler|a-kernels-time|the-launch-rules|what-its-warps|where-each-kernel)[^)]*\)/\1/g
    s/\[([^]]*)\]\([^)]*(measure\/README|plots\/[a-z]*\.svg|page|tests)[^)]*\)/\1/g' {} +
# … and of make help what needs the tests or the page
sed -i -E '/^##-? (golden|handout|lab|table|test|test-all|test-roots) \|/d; s/plots, lab, table/plots/' "$folder/Makefile"
# A student may want to commit an answer.
sed -i 's|^/exercises/\*/main\.cu\*$|/exercises/*/main.cu.*|' "$folder/.gitignore"

tar -cz --owner=0 --group=0 --numeric-owner --sort=name -C "$stage" reduction >"$stage/made" &&
    mv "$stage/made" "$archive" || fail
echo "$archive"

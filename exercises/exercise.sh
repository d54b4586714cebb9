#!/usr/bin/env bash
# The exercises as a student works on them:
#
#   exercise.sh exercise       marks the first one that is not done, in the order of the course
#   exercise.sh exercises      lists all, in that order, and how far each is
#   exercise.sh watch          marks whatever exercise is saved
#   exercise.sh mark 04        marks this one; HINT=2 in the environment shows the second hint
#   exercise.sh solution 04    once it is done: ours, as a difference to the student's
#   exercise.sh reset 04       begins anew, and keeps the old main.cu
#
# make has built build/exercises/mark, which marks. An exercise's main.cu is made from given.cu when it
# is first asked for. Exit status: the marker's, so 0 done, 1 not yet, 5 could not be judged; 2: a
# wrong call.
set -euo pipefail
cd "$(dirname "$0")/.."
built=build/exercises
target=$1${2:+-$2}

fail() { echo "make $target: $1" >&2 && exit 2; }

# Their names, which are those of their folders
mapfile -t all < <(printf '%s\n' exercises/*/exercise.c | cut -d / -f 2)

# find_one NUMBER: the folder's name of exercise 04, also 4 or its name.
find_one() {
    local name number
    for name in "${all[@]}"; do
        number=${name%%-*}
        case $1 in "$number" | "${number#0}" | "$name") echo "$name" && return ;; esac
    done
    fail "no exercise '$1'; want one of ${all[*]%%-*}"
}

title() { sed -n 's/ *\.title = "\(.*\)",/\1/p' "exercises/$1/exercise.c"; }

# copy FROM TO: whole or not at all.
copy() {
    local said && said=$(cp -p "$1" "$2.$$" 2>&1 && mv -f "$2.$$" "$2" 2>&1) ||
        { rm -f "$2.$$"; fail "$2 cannot be written: ${said##*: }"; }
}

# A main.cu that can be read, made from given.cu if there is none.
begin() {
    [ -e "exercises/$1/main.cu" ] || copy "exercises/$1/given.cu" "exercises/$1/main.cu"
    { [ -f "exercises/$1/main.cu" ] && [ -r "exercises/$1/main.cu" ]; } || fail "exercises/$1/main.cu is no file that can be read"
}

# Of what was marked and is done a copy lies in build/; what has changed since is not.
is_done() {
    local folder=exercises/$1 copy=$built/$1/done.cu
    cmp -s "$folder/main.cu" "$copy" && [ ! "$folder/exercise.c" -nt "$copy" ]
}

# In a shell of its own, whose end gives the lock back.
mark() (
    local folder=exercises/$1 kept=$built/$1
    begin "$1"
    echo "$folder/main.cu"
    mkdir -p "$kept" && rm -f "$kept/done.cu" || fail "$kept cannot be written"
    { exec 9>"$kept/lock"; } 2>/dev/null || fail "$kept cannot be written"
    flock -n 9 || fail "exercise ${1%%-*} is being marked already"
    copy "$folder/main.cu" "$kept/marked.cu"
    touch "$kept/marked.cu" # marked after exercise.c was written
    MARK_TOLD=$PWD/$built/not-confined $built/mark --file "$kept/marked.cu" ${HINT:+--hint "$HINT"} "$folder" || exit
    mv "$kept/marked.cu" "$kept/done.cu" || fail "$kept cannot be written"
    # of these a GPU's time is shown, too; whatever comes of it, the mark stands
    case $1 in 01-* | 03-* | 19-*)
        echo && MAKEFLAGS= make -s --no-print-directory EXERCISE="${1%%-*}" times || echo "The mark stands, without times." ;;
    esac
)

# Their names in the order of the table in exercises/README.md; then what is not in it.
in_order() {
    local number
    for number in $(sed -n 's/^| \([0-9][0-9]\) .*/\1/p' exercises/README.md) "${all[@]%%-*}"; do
        [[ " ${all[*]%%-*} " != *" $number "* ]] || find_one "$number"
    done | awk '!seen[$0]++'
}

exercise() {
    local name
    for name in $(in_order); do
        is_done "$name" || { mark "$name"; return; }
    done
    echo "all exercises are done"
}

how_far() {
    local folder=exercises/$1
    if [ ! -e "$folder/main.cu" ] || cmp -s "$folder/main.cu" "$folder/given.cu"; then
        echo "to do"
    elif is_done "$1"; then
        echo "done"
    else
        echo "begun"
    fi
}

exercises() {
    local name
    trap 'exit 0' PIPE # a pager that was left early: no mistake
    echo "In the order of the course:" 2>/dev/null
    for name in $(in_order); do
        printf '%-4s%-46s%s\n' "${name%%-*}" "$(title "$name")" "$(how_far "$name")" 2>/dev/null
    done
}

solution() {
    local main=exercises/$1/main.cu solution=exercises/$1/solution.cu
    [ -e "$solution" ] || fail "this copy for students has no solutions; ask your teacher"
    is_done "$1" || fail "not done yet: make mark-${1%%-*} says what is missing"
    cmp -s "$main" "$solution" && echo "your main.cu is the same as our solution"
    diff --color=auto -u --label yours --label ours "$main" "$solution" || true
}

reset() {
    local main=exercises/$1/main.cu number=1
    [ -f "$main" ] || fail "there is no file $main; make mark-${1%%-*} begins it"
    while [ -e "$main.$number" ]; do number=$((number + 1)); done
    copy "$main" "$main.$number"
    copy "exercises/$1/given.cu" "$main"
    echo "$main is the given program again"
    echo "your old one is beside it, as main.cu.$number"
}

watch() {
    local main stamp=$built/watched
    trap 'exit 0' INT
    mkdir -p $built && touch $stamp 2>/dev/null || fail "$built cannot be written"
    exercise || true
    echo
    echo "waiting for a main.cu to be saved; Ctrl-C ends"
    while sleep 0.3; do
        main=$(find exercises/*/main.cu -newer $stamp -print -quit 2>/dev/null) && [ -n "$main" ] || continue
        touch -r "$main" $stamp
        main=${main#exercises/}
        echo
        mark "${main%/main.cu}" || true
    done
}

[[ ${HINT:-1} =~ ^[1-9][0-9]?$ ]] || fail "HINT=$HINT: want the number of a hint, such as HINT=2"
case $1 in
mark | solution | reset) name=$(find_one "$2") && "$1" "$name" ;;
*) "$1" ;;
esac

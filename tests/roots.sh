#!/usr/bin/env bash
# make test-roots: the README's two commands, then make test, in a bare Debian of several suites, each
# with its own g++, C library and Python: roots.sh [SUITE …] (default: all that the README names)
#
# A root has what debootstrap calls minbase, and the packages that the README names. What git would
# archive of the last commit is put there, into a folder with a blank and an umlaut in its name, and
# belongs to a user without privileges. Where a suite has another g++ to install, the programs'
# counters are tested with it, too. The roots are kept in $ROOTS (default: /var/tmp/roots), 0.6 GB
# each. Needs root, debootstrap and a network.
#
# A suite is green if make test passes, or if its g++ is refused in one line before anything is
# compiled. With all of them green tests/data/roots.csv is written, which make table makes a table of
# in simt/README.md. Exit status: 0, all green; 1; 2, cannot be done here.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=make,gcc,g++,python3,python3-venv
suites=(bullseye bookworm trixie sid)
declare -A other=([bookworm]=g++-11 [trixie]=g++-13)
roots=${ROOTS:-/var/tmp/roots}
out=tests/data/roots.csv

die() {
    echo "make test-roots: $*" >&2
    exit 2
}

[ "$(id -u)" = 0 ] || die "makes roots and enters them: want to be called by root"
command -v debootstrap >/dev/null || die "debootstrap not found: apt install debootstrap"
commit=$(git rev-parse --short HEAD 2>/dev/null) || die "takes what is committed: want a git clone"
if [ $# -gt 0 ]; then
    for suite in "$@"; do
        [[ " ${suites[*]} " == *" $suite "* ]] || die "$suite: want one of ${suites[*]}"
    done
    suites=("$@") out=
fi

root='' work=$(mktemp -d)
leave() {
    if [ -n "$root" ] && mountpoint -q "$root/proc"; then umount "$root/proc"; fi
    root=''
}
trap 'leave; rm -rf "$work"' EXIT

# enter SUITE: root is one of that suite, made once, with the committed files in it.
enter() {
    root=$roots/$1
    if [ ! -e "$root/ready" ]; then
        echo "$1: making $root (once) …" >&2
        mkdir -p "$root"
        debootstrap --variant=minbase \
            --include="$packages${other[$1]:+,${other[$1]}}" "$1" "$root" >"$work/log" 2>&1 ||
            die "debootstrap $1: $(tail -n 1 "$work/log")"
        chroot "$root" useradd -m reader
        touch "$root/ready"
    fi
    mount -t proc proc "$root/proc"
    for file in /etc/resolv.conf /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
        [ ! -e $file ] || install -D -m 644 $file "$root$file" # as this system reaches the network
    done
    rm -rf "$root/srv/Übung eins"
    mkdir "$root/srv/Übung eins"
    git archive "$commit" | tar -x -C "$root/srv/Übung eins"
    chroot "$root" chown -R reader /srv
}

# inside COMMAND: as the user there, without this one's environment but for how to reach a network.
inside() {
    local settings
    readarray -t settings < <(env | grep -iE '^(pip_|https?_proxy=|no_proxy=)' || true)
    chroot --userspec=reader "$root" env -i PATH=/usr/bin:/bin LANG=C.UTF-8 "${settings[@]}" \
        bash -c "cd '/srv/Übung eins' && $1"
}

# try CXX: what comes of the root, in words; status 0: green. CXX: another g++ that is there, or "".
try() {
    local said
    if inside 'make step03 && ./step03' >"$work/log" 2>&1; then
        inside 'make test' >"$work/log" 2>&1 || true
        said=$(grep -E '^[0-9]+ (passed|failed)' "$work/log" | sed 's/, [0-9]* warnings\?//; s/ in .*//')
        printf 'make test: %s' "$(echo "${said:-$(tail -n 1 "$work/log")}" | tr ',' ';')"
        [[ $said == *passed* && $said != *failed* && $said != *error* ]] || return 1
        [ -n "$1" ] || return 0
        printf '; counters with %s' "$1"
        inside "make test CXX=$1 PYTEST_ARGS='-k committed_counters'" >"$work/log" 2>&1 ||
            { echo " differ" && return 1; }
        echo ": the same"
    elif grep -q 'is g++ .*; want .* or newer' "$work/log" && ! inside 'find . -name "*.o"' |
        grep -q .; then
        echo "g++ refused before anything is compiled"
    else
        echo "make step03: $(tail -n 1 "$work/log")" | tr ',' ';'
        return 1
    fi
}

{
    printf '# date: %s\n# commit: %s\n# packages: %s\n' "$(date +%F)" "$commit" "${packages//,/ }"
    echo "suite,g++,glibc,python,seconds,result"
} >"$work/table"
green=yes
for suite in "${suites[@]}"; do
    enter "$suite"
    versions=$(inside 'g++ -dumpfullversion; ldd --version | sed -n "1s/.* //p"
        python3 -c "import platform; print(platform.python_version())"' | paste -sd,)
    begun=$SECONDS
    echo "$suite: g++, glibc, Python ${versions//,/, } …" >&2
    result=$(try "${other[$suite]:-}") || { green=; cp "$work/log" "build/roots-$suite.log"; }
    echo "$suite,$versions,$((SECONDS - begun)),$result" | tee -a "$work/table"
    leave
done
[ $green ] || { echo "make test-roots: not all green; build/roots-SUITE.log says more" >&2; exit 1; }
[ -z "$out" ] || cp "$work/table" "$out"

#!/usr/bin/env bash
# make test-roots: the README's two commands, then make test, in a bare Debian of several suites, each
# with its own g++, C library and Python: roots.sh [SUITE …] (default: all that the README names)
#
# A root has what debootstrap calls minbase, and the packages that the README names. What git would
# archive of the last commit is put there, into a folder with a blank and an umlaut in its name, and
# belongs to a user without privileges. Where a suite has another g++ to install, the programs'
# counters are tested with it, too. The roots are kept in $ROOTS (default: /var/lib/roots), 0.6 GB
# each. Needs root, debootstrap and a network.
#
# A suite is green if make test passes, or if its g++ is refused in one line before anything is
# compiled. With all of them green plots/data/roots.csv is written, which make table makes a table of
# in simt/README.md. Exit status: 0, all green; 1; 2, cannot be done here.
# shellcheck disable=SC2086 # lists of words
set -euo pipefail
cd "$(dirname "$0")/.."

packages=git,make,gcc,g++,python3,python3-venv,bubblewrap
known="bullseye bookworm trixie sid"
suites="${*:-$known}" # unquoted, an empty word of make would stay one
declare -A other=([bookworm]=g++-11 [trixie]=g++-13)
roots=${ROOTS:-/var/lib/roots} # root runs what stands in it: a folder of root's alone

if [ -n "$(comm -23 <(printf '%s\n' $suites | sort) <(printf '%s\n' $known | sort))" ] ||
    ! { [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null && commit=$(git rev-parse --short HEAD); }
then
    echo "make test-roots: want suites of $known; to be called by root, with git and debootstrap" >&2
    exit 2
fi
root='' work=$(mktemp -d)
leave() {
    [ -z "$root" ] || umount "$root/proc"
    root=''
}
trap 'leave; rm -rf "$work"' EXIT

# enter SUITE: root is one of that suite, made once, with the committed files in it.
enter() {
    local new=$roots/$1
    if [ ! -e "$new/ready" ]; then
        echo "$1: making $new (once) …" >&2
        mkdir -p "$new"
        debootstrap --variant=minbase --include="$packages${other[$1]:+,${other[$1]}}" "$1" "$new" >&2
        chroot "$new" useradd -m reader
        touch "$new/ready"
    fi
    mount -t proc proc "$new/proc"
    root=$new
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
    if ! inside 'make step03 && ./step03' >"$work/log" 2>&1; then
        echo "g++ refused before anything is compiled"
        grep -q 'is g++ .*; want .* or newer' "$work/log" && ! inside 'find . -name "*.o"' | grep -q .
        return
    fi
    inside 'make test' >"$work/log" 2>&1 || true
    said=$(grep -E '^[0-9]+ (passed|failed)' "$work/log" | sed 's/, [0-9]* warnings\?//; s/ in .*//')
    printf 'make test: %s' "$(echo "${said:-no result}" | tr ',' ';')"
    [[ $said == *passed* && $said != *failed* && $said != *error* ]] || return 1
    [ -n "$1" ] || return 0
    printf '; counters with %s: the same' "$1"
    inside "make test CXX=$1 PYTEST_ARGS='-k committed_counters'" >"$work/log" 2>&1
}

{
    printf '# date: %s\n# commit: %s\n# packages: %s\n' "$(date +%F)" "$commit" "${packages//,/ }"
    echo "suite,g++,glibc,python,seconds,result"
} >"$work/table"
green=yes
for suite in $suites; do
    enter "$suite"
    versions=$(inside 'g++ -dumpfullversion; ldd --version | sed -n "1s/.* //p"
        python3 -c "import platform; print(platform.python_version())"' | paste -sd,)
    begun=$SECONDS
    result=$(try "${other[$suite]:-}") || { green=; mkdir -p build; cp "$work/log" "build/roots-$suite.log"; }
    echo "$suite,$versions,$((SECONDS - begun)),$result" | tee -a "$work/table"
    leave
done
[ $green ] || { echo "make test-roots: not all green; build/roots-SUITE.log says more" >&2; exit 1; }
[ -n "$*" ] || cp "$work/table" plots/data/roots.csv

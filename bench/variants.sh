# For scripts to source: programs with other constants, built and timed. A variant is PROGRAM/nothing,
# the program as it is, or PROGRAM/ELEMS=4, or PROGRAM/ELEMS=4+LOADS=2. The script sources csv.sh, too.

# Sets a constant where the program's source defines it, as a macro or as an enum.
set_constant() { # PROGRAM NAME=VALUE COPY
    local source=("$3"/*/*"${1#step}"*/main.cu) pattern="^((#define|enum \{) ${2%=*}( =)? +)"
    grep -qE "$pattern" "${source[@]}" || { echo "variants: $1 has no constant ${2%=*}" >&2; return 1; }
    sed -i -E "s/${pattern}[^ ]+/\1${2#*=}/" "${source[@]}"
}

# Builds a variant in a copy of the project. BLOCK is make's to change, other constants stand in the
# source.
build_variant() { # MAKE PROGRAM CHANGED COPY
    local change block=
    mkdir -p "$4"
    cp -r Makefile make common simt steps detours "$4"
    for change in ${3//+/ }; do
        case $change in
        nothing) ;;
        BLOCK=*) block=$change ;;
        *) set_constant "$2" "$change" "$4" || return ;;
        esac
    done
    $1 -C "$4" ${block:+"$block"} "$2"
}

# Builds all at once, in FOLDER, by MAKE, a command with its variables.
build_variants() { # FOLDER MAKE VARIANT …
    local variant build builds=()
    rm -rf "$1"
    for variant in "${@:3}"; do
        build_variant "$2" "${variant%/*}" "${variant#*/}" "$1/${variant/\//-}" &
        builds+=($!)
    done
    for build in "${builds[@]}"; do
        wait "$build" || { echo "variants: a build failed" >&2; return 1; }
    done
}

# Times all that were built in FOLDER at one of SIZES, then at the next; prints their rows.
VARIANT_COLUMNS=name,changed,n,median_ms,min_ms,max_ms
measure_variants() { # FOLDER SIZES VARIANT …
    local n variant
    for n in $2; do
        echo "variants: n = $n" >&2
        for variant in "${@:3}"; do
            row_of "$1/${variant/\//-}/${variant%/*}" -n "$n" || return
            echo "${variant/\//,},${field[n]},${field[median_ms]},${field[min_ms]},${field[max_ms]}"
        done
    done
}

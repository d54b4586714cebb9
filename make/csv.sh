# For scripts to source: what our programs print with --csv, by the names of its columns.

declare -A field

# Sets field[NAME] for each column. Fails when the row has not one field for each name.
read_row() { # HEADER ROW
    local i names values
    IFS=, read -r -a names <<<"$1,"
    IFS=, read -r -a values <<<"$2,"
    field=()
    for i in "${!names[@]}"; do
        field[${names[i]:-?}]=${values[i]:-}
    done
    [ ${#values[@]} -eq ${#names[@]} ]
}

# Runs a program and reads the row that it prints; its status is the program's.
row_of() { # PROGRAM ARGUMENT …
    local text
    text=$("$@" --csv) || return
    read_row "${text%%$'\n'*}" "${text##*$'\n'}" ||
        { echo "$(basename "$1") printed no row of the columns ${text%%$'\n'*}" >&2; return 1; }
}

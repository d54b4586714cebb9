# Prints two programs side by side, behind compare.awk and as diff.sh calls it:
#
#   awk -v rows_only= -v all= -v colour= -v columns=80 -f compare.awk -f diff.awk OLD NEW
#
# Their code is compared; their header comments say different things, so their first lines face
# each other as titles, and all lines where all is not empty. A character is a byte (LC_ALL=C).

BEGIN {
    CONTEXT = 3 # lines that stay around a change
    # Of an old and a new line. A changed word is reversed as well: that can be seen on light and dark
    # terminals, and in grey.
    split("31 32", LINE)
    split("1;7;31 1;7;32", WORD)
    split("- +", SIGN)
    for (side = 1; side <= 2; side++)
        read_program(side, ARGV[side])
    if (rows_only)
        print_plain_rows()
    else
        print_comparison()
    exit
}

function read_program(side, path,    line, in_header) {
    while ((getline line <path) > 0) {
        sub(/\r.*/, "", line)
        gsub(/[\001-\010\013-\037\177]/, "?", line) # a terminal would obey a control character
        text[side, ++lines[side]] = line ""
        in_header = lines[side] == 1 ? line ~ /^\/\*/ : in_header
        header[side] += in_header
        in_header = in_header && !index(line, "*/")
    }
    close(path) # or the same program as side 2 would have no lines left
}

function compare_code() { compare(header[1] + 1, lines[1], header[2] + 1, lines[2]) }

# For scripts: every row of the code as OLD,NEW,CHANGED,OLD_MARKS,NEW_MARKS: numbers of lines, empty
# where there is none, 1 or 0, and marks as compare.awk has them.
function print_plain_rows(    row, old, new) {
    compare_code()
    for (row = 1; row <= rows; row++) {
        old = at[row, 1]
        new = at[row, 2]
        print (old ? old : "") "," (new ? new : "") "," changed[row] "," \
            (old ? marks[1, old] : "") "," (new ? marks[2, new] : "")
    }
}

# ---- the comparison ----

function print_comparison(    row, removed, added) {
    width = int(columns / 2) - 1 # of a side; the bar and a blank are between two
    digits = length(lines[1] > lines[2] ? lines[1] : lines[2])
    print_heading(ARGV[1], ARGV[2], "1")
    print_heading(title_of(1), title_of(2), "")
    print painted("2", repeated("─", 2 * width + 2))
    if (all) {
        compare(1, header[1], 1, header[2])
        print_rows()
    }
    compare_code()
    print_rows()
    print painted("2", repeated("─", 2 * width + 2))
    for (row = 1; row <= rows; row++) {
        removed += changed[row] && at[row, 1]
        added += changed[row] && at[row, 2]
    }
    print (removed + added ? "lines of code: " removed " removed, " added " added" : "the same code") \
        (all ? "" : "; ALL=1 shows what is folded")
}

# The first line of its header comment.
function title_of(side,    title) {
    title = header[side] ? text[side, 1] : ""
    sub(/^[\/* ]+/, "", title)
    return title
}

# Unless all are asked for, of a long stretch of equal lines only those near a change.
function print_rows(    row, far, side) {
    for (row = 1; row <= rows; row++) {
        for (far = row; !all && far <= rows && !is_near_change(far);)
            far++
        if (far - row > 1) {
            print painted("2", "⋯ " (far - row) " lines the same")
            row = far - 1
            continue
        }
        for (side = 1; side <= 2; side++)
            set_line(side, at[row, side], changed[row])
        print_sides()
    }
}

function is_near_change(row,    i) {
    for (i = row - CONTEXT; i <= row + CONTEXT; i++)
        if (i >= 1 && i <= rows && changed[i])
            return 1
    return 0
}

# ---- two sides: each has cells, one below the other, in which one text goes on ----

function print_sides(    k) {
    for (k = 1; k <= cells[1] || k <= cells[2]; k++)
        print (k <= cells[1] ? cell[1, k] : repeated(" ", width)) painted("2", "│") \
            (k <= cells[2] ? " " cell[2, k] : "")
}

function print_heading(left, right, style) {
    set_heading(1, left, style)
    set_heading(2, right, style)
    print_sides()
}

function set_heading(side, words, style,    piece) {
    cells[side] = 0
    do {
        piece = fitting(words, width - 1, 1)
        add_cell(side, piece, painted(style, piece))
        words = substr(words, length(piece) + 1)
        sub(/^ +/, "", words)
    } while (words != "")
}

# Line i of a side, behind its number; nothing of line 0.
function set_line(side, i, is_changed,    rest, piece, marked, number, style, sign) {
    cells[side] = 0
    if (!i)
        return
    rest = text[side, i]
    marked = marks[side, i]
    number = sprintf("%" digits "d", i)
    sign = is_changed ? SIGN[side] : " "
    style = is_changed ? LINE[side] : ""
    do {
        piece = fitting(rest, width - digits - 2)
        add_cell(side, number sign " " piece, painted("2", number) painted(style, sign) " " \
            painted_words(piece, marked, style, WORD[side]))
        rest = substr(rest, length(piece) + 1)
        marked = substr(marked, length(piece) + 1)
        gsub(/./, " ", number)
    } while (rest != "")
}

# A cell without colours, and as it is printed.
function add_cell(side, plain, shown) {
    gsub(/[\200-\277]/, "", plain) # of a letter of several bytes, the first counts as a column
    cell[side, ++cells[side]] = shown (side == 1 ? repeated(" ", width - length(plain)) : "")
}

# As much of a text as fits into so many columns: up to a blank or, in a heading, a dash, if there is one.
function fitting(words, room, at_dashes,    end, best, column, two) {
    for (end = 1; end <= length(words); end++) {
        two = substr(words, end, 2)
        column += two !~ /^[\200-\277]/
        if (column > room)
            return substr(words, 1, best ? best : end > 1 ? end - 1 : 1)
        if (two ~ /^ ([^ ]|$)|^[^ ] / || (at_dashes && two ~ /^-/))
            best = end
    }
    return words
}

# Runs of bytes that are marked and of others, each in its style.
function painted_words(words, marked, style, marked_style,    run, result) {
    for (; words != ""; words = substr(words, run + 1)) {
        match(marked, /^(0+|1+)/)
        run = RLENGTH < length(words) ? RLENGTH : length(words)
        result = result painted(marked ~ /^1/ ? marked_style : style, substr(words, 1, run))
        marked = substr(marked, run + 1)
    }
    return result
}

function painted(style, words) {
    return colour && style != "" && words != "" ? "\033[" style "m" words "\033[0m" : words
}

function repeated(words, count,    all_of_it) {
    while (count-- > 0)
        all_of_it = all_of_it words
    return all_of_it
}

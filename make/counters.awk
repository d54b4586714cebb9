# make counters: what one reduction costs on the CPU backend, all launches of a program together.
#
#   awk -f make/counters.awk make/figures.csv FILE.csv   FILE: what the programs print with --counters=csv
#
# The steps stand side by side, as many as 80 columns take, and below them the detours, a line each; where
# STEPS chose the programs, all of them stand side by side. figures.csv says which figures there are.

BEGIN { FS = "," }
FNR == 1 { files++ }
/^#/ { next }

heads < files { # the first line that is no comment
    heads++
    for (i = 1; i <= NF; i++)
        column[files, $i] = i
    next
}
function text(name) { return $column[files, name] }

# ---- figures.csv ----

files == 1 {
    n = ++figures
    counted[n] = text("column")
    per[n] = text("per")
    places[n] = text("places")
    beside[n] = text("beside")
    below[n] = text("below")
    next
}

# ---- the counters: sums for each program, which is a step's number or the folder of a detour's main.cu ----

{
    program = text("step")
    if (program == "") {
        depth = split(text("file"), folders, "/")
        program = folders[depth > 1 ? depth - 1 : depth]
    }
    if (!(program in seen))
        names[++programs] = program
    seen[program]
    for (n = 1; n <= figures; n++) {
        value = text(counted[n])
        if (places[n] == "" && value + 0 > sum[program, n] + 0)
            sum[program, n] = value
        if (counts(places[n], text("space"), text("op"))) {
            sum[program, n] += value
            divisor[program, n] += per[n] == "" ? 0 : text(per[n])
        }
    }
}

# Whether a row of this space and operation is one of these places
function counts(places, space, op) {
    return index("+" places "+", "+" space "+") || index("+" places "+", "+" space " " op "+")
}

# ---- the tables ----

# A count in at most seven characters, a ratio with one decimal, or - where there is nothing
function cell(program, n,    value) {
    value = sum[program, n]
    if (per[n] == "")
        return value < 1e6 ? sprintf("%.0f", value) : sprintf("%.2fM", value / 1e6)
    return divisor[program, n] ? sprintf("%.1f", value / divisor[program, n]) : "-"
}

function print_beside(first, last, format,    i, n) {
    printf "%-23s", "step"
    for (i = first; i <= last; i++)
        printf format, step[i]
    for (n = 1; n <= figures; n++) {
        if (beside[n] == "")
            continue
        printf "\n%-23s", beside[n]
        for (i = first; i <= last; i++)
            printf format, cell(step[i], n)
    }
    print ""
}

function print_below(    i, n, word, words) {
    for (word = 1; word <= 2; word++) { # heads of two lines
        printf "%-23s", word == 2 ? "detour" : ""
        for (n = 1; n <= figures; n++)
            if (split(below[n], words, " "))
                printf " %6s", words[word]
        print ""
    }
    for (i = 1; i <= detours; i++) {
        printf "%-23s", detour[i]
        for (n = 1; n <= figures; n++)
            if (below[n] != "")
                printf " %6s", cell(detour[i], n)
        print ""
    }
}

END {
    width = 6
    for (i = 1; i <= programs; i++) {
        if (ENVIRON["STEPS"] == "" && names[i] !~ /^[0-9]/) {
            detour[++detours] = names[i]
            continue
        }
        step[++steps] = names[i]
        width = length(names[i]) > width ? length(names[i]) : width
    }
    most = int((80 - 23) / (width + 1))
    for (i = 1; i <= steps; i += most) {
        if (i > 1)
            print ""
        print_beside(i, i + most - 1 < steps ? i + most - 1 : steps, " %" width "s")
    }
    if (steps && detours)
        print ""
    if (detours)
        print_below()
}

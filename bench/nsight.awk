# Nsight Compute's output, with what the program printed in between, to nsight.sh's rows, or with
# table=1 to what nsight-table lays out: awk -v table=0 -f nsight.awk nsight-metrics OUTPUT
#
# The program reduces twice, untimed and timed (-w 1 -r 1), so the first half of the launches is
# one reduction. A metric's value is a number or, of one that counts instructions by their opcode,
# "15 (LDG: 8; STS: 7)". Output that lacks what was asked for: one ==ERROR== line instead, status 1.
BEGIN { OFMT = "%.15g" }

function fields(line, into) { gsub(/^"|"\r?$/, "", line); return split(line, into, "\",\"") }

function size(text,   xyz) { # "(4096, 1, 1)"
    gsub(/[() ]/, "", text)
    split(text, xyz, ",")
    if (xyz[3] > 1) return xyz[1] "x" xyz[2] "x" xyz[3]
    return xyz[2] > 1 ? xyz[1] "x" xyz[2] : xyz[1]
}

function fail(why) { print "==ERROR== " why; exit 1 }

function sum(name,   i, total) { # of what our name stands for
    for (i = 1; i <= metrics[name]; i++) total += value[launch, metric[name, i]]
    return sprintf("%.15g", total)
}

NR == FNR {
    if (/^#/) next
    if (!metrics[$1]++) name[++names] = $1
    metric[$1, metrics[$1]] = $2
    sub(/:.*/, "", $2)
    wanted[$2]
    next
}

/^"ID",/ { for (i = fields($0, field); i > 0; i--) column[field[i]] = i; next }

/^"[0-9]+",/ {
    fields($0, field)
    if (field[column["ID"]] != id || !launches) launches++
    id = field[column["ID"]]
    grid[launches] = size(field[column["Grid Size"]])
    threads[launches] = size(field[column["Block Size"]])
    read = field[column["Metric Name"]]
    text = field[column["Metric Value"]]
    gsub(/,/, "", text)
    parts = split(text, part, / *[(;)] */)
    value[launches, read] = part[1]
    for (i = 2; i <= parts; i++)
        if (split(part[i], opcode, ": ") == 2) value[launches, read ":" opcode[1]] = opcode[2]
}

# what the program prints: its header, and its row
/^[a-z_]+(,[a-z_]+)+\r?$/ { for (i = ours = split($0, field, ","); i > 0; i--) at[field[i]] = i; next }

ours && split($0, field, ",") == ours && field[at["backend"]] == "cuda" {
    step = field[at["step"]]; program = field[at["name"]]; type = field[at["type"]]
    block = field[at["block"]]; n = field[at["n"]]
}

# What the table has no line for. Where some accesses go to who knows what, so do their lanes; and of
# branches only each launch's percentage is known, none of launch 0, which is all of them together.
function unknown(name) {
    return name == "generic_requests" || name ~ /^launch_/ || (name ~ /_pct$/ && !launch) ||
        (name ~ /_lanes$/ && value[launch, "generic_requests"] > 0)
}

function print_table(count,   i) {
    gsub(/-/, " ", program)
    print count, (step ? "step " step "  " : "") program ", n = " n " " type ": Nsight Compute"
    for (launch = 1; launch <= count; launch++)
        for (i = 1; i <= names; i++)
            value[0, name[i]] += value[launch, name[i]] = sum(name[i])
    grid[0] = threads[0] = "-"
    for (launch = 0; launch <= count; launch++)
        for (i = 1; i <= names; i++)
            if (!unknown(name[i]))
                print launch, grid[launch], threads[launch], name[i], value[launch, name[i]]
}

function print_rows(   i) {
    launch = 1
    for (i = 1; i <= names; i++)
        print step "," program "," type "," block "," n "," name[i] "," sum(name[i])
}

END {
    if (!launches) exit
    if (!program) fail("no row of the program\047s")
    for (launch = 1; launch <= launches; launch++)
        for (metric_name in wanted)
            if (value[launch, metric_name] !~ /^[0-9.]+$/) fail("no value of " metric_name)
    if (table) print_table(int((launches + 1) / 2))
    else print_rows()
}

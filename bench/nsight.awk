# Nsight Compute's output, with what the program printed in between, to nsight.sh's rows:
# awk -v detailed=0 -f nsight.awk nsight-metrics OUTPUT, detailed 1 for the columns of --launches.
#
# The program reduces twice, untimed and timed (-w 1 -r 1), so the first half of the launches is
# one reduction. A metric's value is a number or, of one that counts instructions by their opcode,
# "15 (LDG: 8; STS: 7)". Output that lacks what was asked for: one ==ERROR== line instead, status 1.
BEGIN { OFS = "," }

function fields(line, into) { gsub(/^"|"\r?$/, "", line); return split(line, into, "\",\"") }

function size(text,   xyz) { # "(4096, 1, 1)"
    gsub(/[() ]/, "", text)
    split(text, xyz, ",")
    if (xyz[3] > 1) return xyz[1] "x" xyz[2] "x" xyz[3]
    return xyz[2] > 1 ? xyz[1] "x" xyz[2] : xyz[1]
}

function fail(why) { print "==ERROR== " why; exit 1 }

# Of our name for metrics: their sum, or the one metric's value as it was printed.
function sum(name,   i, total) {
    if (metrics[name] == 1 && (launch, metric[name, 1]) in value)
        return value[launch, metric[name, 1]]
    for (i = 1; i <= metrics[name]; i++) total += value[launch, metric[name, i]]
    return sprintf("%.0f", total)
}

NR == FNR {
    if (/^#/) next
    if (!metrics[$1]++) names[++count] = $1
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
    name = field[column["Metric Name"]]
    text = field[column["Metric Value"]]
    gsub(/,/, "", text)
    parts = split(text, part, / *[(;)] */)
    value[launches, name] = part[1]
    for (i = 2; i <= parts; i++)
        if (split(part[i], opcode, ": ") == 2) value[launches, name ":" opcode[1]] = opcode[2]
}

# what the program prints: its header, and its row
/^[a-z_]+(,[a-z_]+)+\r?$/ { for (i = ours = split($0, field, ","); i > 0; i--) at[field[i]] = i; next }

ours && split($0, field, ",") == ours && field[at["backend"]] == "cuda" {
    head = field[at["step"]] "," field[at["name"]] "," field[at["type"]]
    head = head "," field[at["block"]] "," field[at["n"]]
}

END {
    if (launches && !head) fail("no row of the program\047s")
    for (launch = 1; launch <= launches; launch++)
        for (name in wanted)
            if (value[launch, name] !~ /^[0-9.]+$/) fail("no value of " name)
    for (launch = 1; launch <= (launches + 1) / 2; launch++) {
        place = detailed ? "," launch "," grid[launch] "," threads[launch] : ""
        for (i = 1; i <= count; i++) print head place, names[i], sum(names[i])
    }
}

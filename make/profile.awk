# What Nsight Compute counted (ncu --csv), by our names for it:
#
#   awk -f profile.awk METRICS.csv OUTPUT                 a table: a column for each of the first launches, and
#                                                         one for all of a reduction (the program reduces twice)
#   awk -v head=HEAD -f profile.awk METRICS.csv OUTPUT    of the first launch HEAD,NAME,VALUE, a line a counter
#
# METRICS.csv: our name of a counter, Nsight Compute's, and opcodes if only these count; several lines of one
# name: their sum. Where something is missing it says what, status 1.

function fail(what) {
    print what > "/dev/stderr"
    failed = 1
    exit 1
}

BEGIN { FS = "," }

FNR == NR && !/^#/ && $1 != "counter" {
    part[++parts] = $1
    metric[parts] = $2
    opcodes[parts] = $3
    if (!($1 in known))
        name[++names] = $1
    known[$1]
}
FNR == NR { next }

# ---- what ncu printed, with what the program prints in between ----

{ sub(/\r$/, "") }
FNR == 1 { first = $0 }
/^==ERROR==/ && !error { error = $0 }
!/^"/ { next }

{ count = split(substr($0, 2, length($0) - 2), field, "\",\"") }
field[1] == "ID" {
    for (i = 1; i <= count; i++)
        column[field[i]] = i
    next
}
"ID" in column { add(field[column["ID"]], field[column["Metric Name"]], field[column["Metric Value"]]) }

function add(id, metric_name, text,    k) {
    gsub(/,/, "", text) # 32,768
    if (!(id in seen))
        launch[++launches] = id
    seen[id]
    for (k = 1; k <= parts; k++)
        if (metric[k] == metric_name && text ~ /^-?[0-9.]+(e[-+]?[0-9]+)?( |$)/) {
            has[id, k]
            value[id, part[k]] += opcodes[k] ? of_opcodes(text, opcodes[k]) : text
        }
}

# The sum of the opcodes that count, of a text such as 15 (LDG: 8; STS: 7).
function of_opcodes(text, wanted,    pairs, pair, i, n, sum) {
    n = split(substr(text, index(text, "(") + 1), pairs, /[;)] */)
    for (i = 1; i <= n; i++) {
        split(pairs[i], pair, ": ")
        if (index(" " wanted " ", " " pair[1] " "))
            sum += pair[2]
    }
    return sum + 0
}

# ---- the table: columns for the launches that are shown, and one for all of a reduction ----

function print_table(    i, k, all) {
    all = int((launches + 1) / 2) # of one reduction of two
    shown = all < 3 ? all : 3
    for (i = 1; i <= launches; i++)
        value[launch[i], "global_load_throughput"] /= 1e9
    for (i = 1; i <= all; i++)
        for (k = 1; k <= names; k++)
            value["all", name[k]] += value[launch[i], name[k]]
    launch[shown + 1] = "all"
    printf "%s: Nsight Compute\n%-27s", title, "launch"
    for (i = 1; i <= shown; i++)
        printf " %12d", i
    printf " %12s\n", "all " all
    print_row("blocks", "launch_blocks", "%12.0f", shown)
    print_row("threads per block", "launch_threads", "%12.0f", shown)
    for (k = 1; k <= names; k++)
        print_counter(name[k])
    if (value["all", "shared_load_bank_conflicts"] + value["all", "shared_store_bank_conflicts"])
        print "(about 2 % of shared wavefronts are warps that delay each other, no conflicts)"
}

function print_row(label, counter, format, last,    i) {
    printf "%-27s", label
    for (i = 1; i <= last; i++)
        printf " " format, value[launch[i], counter]
    print ""
}

# A rare operation has a line only where there is some of it. Rates cannot be added up.
function print_counter(counter,    label, i, requests) {
    label = counter
    gsub(/_/, " ", label)
    if (counter ~ /^launch_/ || (counter ~ /atomic|^votes|^reductions|^generic/ && !value["all", counter]))
        return
    if (sub(/ pct$/, ", %", label) || sub(/throughput$/, "GB/s", label) || label ~ / per warp$/)
        print_row(label, counter, "%12.2f", shown)
    else
        print_row(label, counter, "%12.0f", shown + 1)
    if (counter != "global_load_sectors")
        return
    for (i = 1; i <= shown + 1; i++) {
        requests = value[launch[i], "global_load_requests"]
        value[launch[i], "per_request"] = value[launch[i], counter] / (requests ? requests : 1)
    }
    print_row("  per request", "per_request", "%12.2f", shown + 1)
}

END {
    if (failed)
        exit 1
    if (error || !launches)
        fail(error ? error : first ? first : "it printed nothing")
    for (i = 1; i <= launches; i++)
        for (k = 1; k <= parts; k++)
            if (!((launch[i], k) in has))
                fail("no value of " metric[k])
    if (!head)
        print_table()
    for (k = 1; head && k <= names; k++)
        printf "%s,%s,%.15g\n", head, name[k], value[launch[1], name[k]]
}

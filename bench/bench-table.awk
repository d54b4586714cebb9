# The table at the end of a bench: awk -v type=TYPE -f bench-table.awk OUT.csv
# Of that type, each program's ms and GB/s at 2^24 and at the largest n and, where CUB was measured,
# the time of its fastest variant over the program's.
BEGIN { FS = "," }
function power(n,   k) {
    for (k = 0; 2 ^ k < n + 0; k++) continue
    return 2 ^ k == n + 0 ? "2^" k : n
}
function group(key, n,   ratio) {
    ratio = (key, n) in ms && n in cub ? cub[n] / ms[key, n] : 0
    ratio = ratio ? sprintf(ratio < 0.01 ? "%.4f" : "%.2f", ratio) : "-"
    ratio = cubs ? sprintf(" %6s", ratio) : ""
    if (!((key, n) in ms)) return sprintf(" %10s %7s", "-", "-") ratio
    return sprintf(" %10.4f %7.1f", ms[key, n], gb[key, n]) ratio
}
/^# peak_gb_per_s: / { peak = substr($0, 18) }
/^#/ { next }
!header { for (i = header = NF; i > 0; i--) at[$i] = i; next }
$at["name"] == "empty-launch" { empty = $at["median_ms"]; next }
$at["type"] != type { next }
{
    key = $at["name"] "," $at["block"]; n = $at["n"]
    if (!device) device = $at["device"] # where one GPU is beside several, the first are all
    if (!(key in step)) { order[++count] = key; step[key] = $at["step"]; name[key] = $at["name"] }
    if ($at["name"] ~ /^cub/ && (!cubs++ || !(n in cub) || $at["median_ms"] < cub[n]))
        cub[n] = $at["median_ms"]
    ms[key, n] = $at["median_ms"]; gb[key, n] = $at["gb_per_s"]
    if (n + 0 == 2 ^ 24) shown[1] = n
    if (n + 0 > largest + 0) largest = n
}
END {
    print device ", " type ", cold cache"
    printf "peak %s GB/s; an empty launch takes %.4f ms\n", peak, empty
    groups = 1 in shown
    if (shown[groups] != largest) shown[++groups] = largest
    head = sprintf("%-4s %-23s", "step", "name")
    for (i = 1; i <= groups; i++) {
        title = title sprintf(" %" (cubs ? 25 : 18) "s", "n = " power(shown[i]))
        head = head sprintf(" %10s %7s", "ms", "GB/s") (cubs ? sprintf(" %6s", "x CUB") : "")
    }
    printf "%28s%s\n%s\n", "", title, head
    for (k = 1; k <= count; k++) {
        line = sprintf("%-4s %-23.23s", step[order[k]], name[order[k]])
        for (i = 1; i <= groups; i++) line = line group(order[k], shown[i])
        print line
    }
}

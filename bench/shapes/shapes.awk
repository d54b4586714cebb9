# From what bench/shapes measured, the shape of single-pass for each n: awk -v type=int -f shapes.awk
# shapes-GPU.csv prints shapes-int.h. Reads rows type,n,way,blocks,threads,loads,median_ms,min_ms.
#
# From small n to large: a shape stays as long as it is within 2 % of the fastest; then, of those
# within 1 %, the one that stays the longest takes over. Clusters of up to 8 blocks count, since
# every GPU that has clusters takes these. Behind what not every GPU can do stands the best ticket.
BEGIN { FS = ","; STAYS = 1.02; TAKES = 1.01 }

/^# gpu: / { gpu = substr($0, 8) }
$1 != type || $2 == 0 || ($3 == "group" && $4 > 8) { next }
{
    id = $3 " " ($3 == "group" ? $4 : 0) " " $5 " " $6
    if ($2 != size[count])
        size[++count] = $2
    ms[id, count] = $7
    if (!(count in best) || $7 < best[count])
        best[count] = $7
    if (!(id in known)) {
        known[id] = 1
        ids[++shapes] = id
    }
}

# The last size up to which it is within 2 %, from the k-th on
function stays(id, k) {
    while (k <= count && (id, k) in ms && ms[id, k] <= STAYS * best[k])
        k++
    return k - 1
}

function row(id, k,    part, most) {
    split(id, part, " ")
    most = k < count || part[1] == "group" ? size[k] : "SIZE_MAX"
    if (part[1] == "group" && part[2] == 1)
        printf "    ONE_BLOCK(%s, %d, %d),\n", most, part[3], part[4]
    else if (part[1] == "group")
        printf "    CLUSTER(%s, %d, %d, %d),\n", most, part[2], part[3], part[4]
    else
        printf "    %s(%s, %d, %d),\n", part[1] == "wait" ? "WAITING" : "TICKETS", most, part[3], part[4]
}

# The fastest ticket at the k-th size, but "" where none was tried
function ticket(k,    i, id, found) {
    for (i = 1; i <= shapes; i++) {
        id = ids[i]
        if (id ~ /^ticket/ && (id, k) in ms && (found == "" || ms[id, k] < ms[found, k]))
            found = id
    }
    return found
}

END {
    print "/* Made by `make bench-shapes`, see bench/shapes/shapes.awk: as measured on an " gpu ". */"
    print "static const struct shape shapes[] = {"
    for (k = 1; k <= count; k = last + 1) {
        last = 0
        for (i = 1; i <= shapes; i++)
            if ((ids[i], k) in ms && ms[ids[i], k] <= TAKES * best[k] && stays(ids[i], k) > last) {
                id = ids[i]
                last = stays(id, k)
            }
        row(id, last)
        if (id !~ /^ticket|^group 1 / && ticket(last) != "")
            row(ticket(last), last)
    }
    print "};"
}

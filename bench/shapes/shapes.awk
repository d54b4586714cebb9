# From what bench/shapes measured, the shape of single-pass for each n: awk -v type=int -f shapes.awk
# shapes-GPU.csv prints shapes-int.h. Reads rows type,n,way,blocks,threads,loads,median_ms,min_ms.
#
# From small n to large: a shape stays as long as it is as fast as the fastest, to half a percent or
# 80 ns, two steps and a half of the events' clock; then, of those to half of that, the one that
# stays the longest takes over. Behind a cluster, which not every GPU has, stands the best of the
# other ways.
#
# Clusters of up to 8 blocks count for that, since every GPU that has clusters takes these. A larger
# one stands in front of them, where it is ahead of all others by more than a percent.
BEGIN { FS = "," }
function is_near(id, k, share) {
    return (id, k) in ms && ms[id, k] <= best[k] + share * (best[k] > 0.016 ? 0.005 * best[k] : 8e-5)
}

/^# gpu: / { gpu = substr($0, 8) }
$1 != type || $2 == 0 { next }
{
    id = $3 " " ($3 == "group" ? $4 : 0) " " $5 " " $6
    if ($2 != size[count])
        size[++count] = $2
}
$3 == "group" && $4 > 8 {
    if (!(count in wide) || $7 < wide_ms[count]) {
        wide[count] = id
        wide_ms[count] = $7
    }
    next
}
{
    ms[id, count] = $7
    if (!(count in best) || $7 < best[count])
        best[count] = $7
    if (!(id in known)) {
        known[id] = 1
        ids[++shapes] = id
    }
}

# Is a cluster of more than 8 blocks ahead at the k-th size?
function is_wide(k) {
    return k in wide && 1.01 * wide_ms[k] < best[k]
}

# The last size up to which it is within 2 %, from the k-th on
function stays(id, k) {
    while (k <= count && is_near(id, k, 1))
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

# A shape up to the last-th size, and behind a cluster what takes its place
function row_and_other(id, last) {
    row(id, last)
    if (id ~ /^group/ && id !~ /^group 1 / && other(last) != "")
        row(other(last), last)
}

# The fastest that is no group at the k-th size, but "" where none was tried
function other(k,    i, id, found) {
    for (i = 1; i <= shapes; i++) {
        id = ids[i]
        if (id !~ /^group/ && (id, k) in ms && (found == "" || ms[id, k] < ms[found, k]))
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
            if (is_near(ids[i], k, 0.5) && stays(ids[i], k) > last) {
                id = ids[i]
                last = stays(id, k)
            }
        for (i = k; i <= last; i++)
            if (is_wide(i)) {
                if (i > k && !is_wide(i - 1))
                    row_and_other(id, i - 1) # it is for larger n alone
                if (i == last || !is_wide(i + 1) || wide[i + 1] != wide[i])
                    row(wide[i], i)
            }
        row_and_other(id, last)
    }
    print "};"
}

# Which lines of two texts face each other, and which of their words have changed; diff.awk's part that
# prints nothing.
#
# The lines are paired so that the pairs have the most text in common, in the order of both texts:
# a longest common subsequence in which lines that are only alike count, too. (diff pairs equal
# lines only, and anchors on a lone brace as readily as on a loop.)
#
# text[side, i]    line i, from 1, of side 1 or 2
# marks[side, i]   a 1 for each byte that the line it faces does not have, a 0 for each other
# rows             how many rows compare has found; each line is in one, and lines without a counterpart
#                  share a row where they lie at the same place
# at[row, side]    the line there; 0: none
# changed[row]     1 if the two lines differ

# Compares the lines from old to last_old of side 1 with those from new to last_new of side 2.
function compare(old, last_old, new, last_new,    i, j, weight, facing, end) {
    for (i = old; i <= last_old; i++)
        split_words(1, i)
    for (j = new; j <= last_new; j++)
        split_words(2, j)
    for (i = old; i <= last_old; i++)
        for (j = new; j <= last_new; j++)
            weight[i, j] = likeness(i, j)
    heaviest(old, last_old, new, last_new, weight, facing)
    rows = 0
    for (i = old; i <= last_old + 1; i++) {
        if (i <= last_old && !facing[i])
            continue
        end = i <= last_old ? facing[i] : last_new + 1
        while (old < i || new < end)
            add_row(old < i ? old++ : 0, new < end ? new++ : 0, 1)
        if (i > last_old)
            break
        if (text[1, i] != text[2, end])
            mark_both(i, end)
        add_row(old++, new++, text[1, i] != text[2, end])
    }
}

function add_row(old, new, is_changed) {
    at[++rows, 1] = old
    at[rows, 2] = new
    changed[rows] = is_changed
}

# ---- words ----

# blockDim.x is one: as three it would outweigh what changes around it.
function split_words(side, i,    rest, place, k) {
    marks[side, i] = rest = text[side, i]
    gsub(/./, "0", marks[side, i])
    characters[side, i] = k = 0
    while (match(rest, /[^][ \t+*\/%&|^=<>!(){},;:?"'#~\\@$`-]+|[-+*\/%&|^=<>!]+|[^ \t]/)) {
        word[side, i, ++k] = substr(rest, RSTART, RLENGTH)
        start[side, i, k] = place + RSTART
        characters[side, i] += RLENGTH
        place += RSTART + RLENGTH - 1
        rest = substr(rest, RSTART + RLENGTH)
    }
    words[side, i] = k
}

# The number of characters that two lines share, counted in whole words; 0 if that is less than half
# of those of one of them, so that they do not face each other. Equal lines weigh double, blank ones 1.
function likeness(i, j,    k, left, common) {
    if (text[1, i] == text[2, j])
        return 2 * characters[1, i] + 1
    for (k = 1; k <= words[2, j]; k++)
        left[word[2, j, k]]++
    for (k = 1; k <= words[1, i]; k++)
        if (left[word[1, i, k]]-- > 0)
            common += length(word[1, i, k])
    return 4 * common >= characters[1, i] + characters[2, j] - common ? common : 0
}

# ---- which faces which ----

# The heaviest common subsequence of the left ones from i to last_i and the right ones from j to last_j:
# facing[left] = right, or 0. weight[left, right] is 0 where the two cannot be paired. best[left, right]:
# the most that these and all behind them can have.
function heaviest(i, last_i, j, last_j, weight, facing,    left, right, down, across, pair, best, paired) {
    for (left = last_i; left >= i; left--) {
        for (right = last_j; right >= j; right--) {
            down = best[left + 1, right] + 0
            across = best[left, right + 1] + 0
            best[left, right] = down >= across ? down : across
            pair = weight[left, right] + best[left + 1, right + 1]
            if (weight[left, right] && pair >= best[left, right]) {
                best[left, right] = pair
                paired[left, right]
            }
        }
    }
    for (; i <= last_i; i++) {
        while (j <= last_j && !((i, j) in paired) && best[i, j + 1] + 0 > best[i + 1, j] + 0)
            j++
        facing[i] = (i, j) in paired ? j++ : 0
    }
}

# ---- what differs between two lines that face each other ----

function mark_both(i, j,    k, m, weight, facing, kept) {
    for (k = 1; k <= words[1, i]; k++)
        for (m = 1; m <= words[2, j]; m++)
            weight[k, m] = word[1, i, k] == word[2, j, m] ? length(word[1, i, k]) : 0
    heaviest(1, words[1, i], 1, words[2, j], weight, facing)
    for (k = 1; k <= words[1, i]; k++)
        if (facing[k])
            kept[1, k] = kept[2, facing[k]] = 1
    mark(1, i, kept)
    mark(2, j, kept)
}

# Marks the words that are kept nowhere, and the blanks between two of them.
function mark(side, i, kept,    k, end, before, marked) {
    for (k = 1; k <= words[side, i]; k++) {
        if (kept[side, k])
            continue
        end = start[side, i, k] + length(word[side, i, k])
        if (k < words[side, i] && !kept[side, k + 1])
            end = start[side, i, k + 1]
        before = substr(marks[side, i], 1, start[side, i, k] - 1)
        marked = substr(marks[side, i], start[side, i, k], end - start[side, i, k])
        gsub(/0/, "1", marked)
        marks[side, i] = before marked substr(marks[side, i], end)
    }
}

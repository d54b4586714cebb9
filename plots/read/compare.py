"""What differs between two texts: which line faces which, and which of its words have changed.

The lines are paired so that the pairs have the most text in common, in the order of both texts.
(difflib pairs equal lines only, and anchors on a lone brace as readily as on a loop.)"""

import collections
import difflib
import functools
import itertools
import re

# blockDim.x is one word: as three it would outweigh what changes around it.
WORD = re.compile(r"[\w.]+|[-+*/%&|^=<>!]+|\S")

# A row of the comparison. old and new are Lines, or None where the other side has nothing to face.
Row = collections.namedtuple("Row", "old new changed")
# number: from 1; marks: the indices of the characters that the facing line does not have.
Line = collections.namedtuple("Line", "number text marks", defaults=[frozenset()])
# Instead of rows that are the same on both sides.
Fold = collections.namedtuple("Fold", "rows changed", defaults=[None])


@functools.lru_cache(maxsize=None)
def likeness(a, b):
    """How many characters two lines share, counted in whole words; 0 if that is less than half of
    them, so that they do not face each other. Equal lines weigh double, blank ones 1."""
    if a == b:
        return 2 * len(a.strip()) + 1
    left, right = (collections.Counter(WORD.findall(text)) for text in (a, b))
    common, all_of_both = (sum(len(word) * count for word, count in words.items())
                           for words in (left & right, left + right))
    return common if 4 * common >= all_of_both else 0


def pairing(old, new):
    """Indices (i, j) of the lines that face each other, rising: the pairs that are most alike in
    all. best[i][j] has that likeness, and those pairs, of old[i:] and new[j:]."""
    best = [[(0, ())] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], key=lambda found: found[0])
            alike, (rest, pairs) = likeness(old[i], new[j]), best[i + 1][j + 1]
            if alike and alike + rest >= best[i][j][0]:
                best[i][j] = alike + rest, ((i, j), *pairs)
    return list(best[0][0][1])


def marks(old, new):
    """The parts of two lines that differ, from word to word: a set of indices for each."""
    a, b = list(WORD.finditer(old)), list(WORD.finditer(new))
    matcher = difflib.SequenceMatcher(None, [word[0] for word in a], [word[0] for word in b],
                                      autojunk=False)
    sides = set(), set()
    for kind, *ranges in matcher.get_opcodes():
        for side, words, first, end in zip(sides, (a, b), ranges[::2], ranges[1::2]):
            if kind != "equal" and first < end:
                side.update(range(words[first].start(), words[end - 1].end()))
    return sides


def compare(old, new, old_first=1, new_first=1):
    """The rows of two lists of lines, whose numbers begin with old_first and new_first: every line
    is in one row. Lines that have no counterpart share rows where they lie at the same place."""
    left = [Line(i, text) for i, text in enumerate(old, old_first)]
    right = [Line(i, text) for i, text in enumerate(new, new_first)]
    rows, i, j = [], 0, 0
    for k, m in pairing(old, new) + [(len(old), len(new))]:
        rows += [Row(a, b, True) for a, b in itertools.zip_longest(left[i:k], right[j:m])]
        if k < len(old):
            old_marks, new_marks = marks(old[k], new[m])
            rows.append(Row(left[k]._replace(marks=old_marks), right[m]._replace(marks=new_marks),
                            old[k] != new[m]))
        i, j = k + 1, m + 1
    return rows


def compare_programs(old, new):
    """The rows of their code, with the numbers of their files' lines."""
    return compare(old.code, new.code, len(old.header) + 1, len(new.header) + 1)


def fold(rows, context=3):
    """The rows, but of a long stretch of same ones only those near a change."""
    near = {i + d for i, row in enumerate(rows) if row.changed
            for d in range(-context, context + 1)}
    result = []
    for kept, group in itertools.groupby(range(len(rows)), lambda i: i in near):
        group = [rows[i] for i in group]
        result += group if kept or len(group) == 1 else [Fold(group)]
    return result

"""What differs between two texts: which line faces which, and which of its words have changed.

The lines are paired so that the pairs have the most text in common, in the order of both texts.
(difflib pairs equal lines only, and anchors on a lone brace as readily as on a loop.)"""

import collections
import difflib
import functools
import itertools
import re

WORD = re.compile(r"\w+|\s+|[-+*/%&|^=<>!]+|.")

# A row of the comparison. old and new are Lines, or None where the other side has nothing to face.
Row = collections.namedtuple("Row", "old new changed")
# number: from 1; marks: (start, end) of the parts that the facing line does not have.
Line = collections.namedtuple("Line", "number text marks")
# Instead of rows that are the same on both sides.
Fold = collections.namedtuple("Fold", "count")


def words(text):
    return WORD.findall(text)


@functools.lru_cache(maxsize=None)
def letters(text):
    """{word: the characters that a line spends on it}, blanks left out."""
    return collections.Counter({word: len(word) * count for word, count in
                                collections.Counter(words(text)).items() if not word.isspace()})


@functools.lru_cache(maxsize=None)
def likeness(a, b):
    """How many characters two lines share, counted in whole words; 0 if that is less than half of
    them, so that they do not face each other. Equal lines weigh double, blank ones 1."""
    if a == b:
        return 2 * len(a.strip()) + 1
    left, right = letters(a), letters(b)
    common = sum(min(length, right[word]) for word, length in left.items() if word in right)
    return common if 4 * common >= sum(left.values()) + sum(right.values()) else 0


def pairing(old, new):
    """Indices (i, j) of the lines that face each other, rising: the pairs that are most alike in
    all. most[i][j] is the likeness that old[i:] and new[j:] can reach."""
    most = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    alike = [[likeness(a, b) for b in new] for a in old]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            most[i][j] = max(most[i + 1][j], most[i][j + 1],
                             alike[i][j] + most[i + 1][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if alike[i][j] and most[i][j] == alike[i][j] + most[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif most[i][j] == most[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def marks(old, new):
    """The parts of two lines that differ: a list of (start, end) for each."""
    a, b = words(old), words(new)
    sides = [], []
    for kind, *ranges in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        for side, text, (first, last) in zip(sides, (a, b), (ranges[:2], ranges[2:])):
            start, end = len("".join(text[:first])), len("".join(text[:last]))
            if kind != "equal" and end > start:
                side.append((start, end))
    return joined(sides[0], old), joined(sides[1], new)


def joined(spans, text):
    """Spans with nothing but blanks between them become one; indentation belongs to none."""
    indent = len(text) - len(text.lstrip())
    result = []
    for start, end in spans:
        if result and not text[result[-1][1]:start].strip():
            start = result.pop()[0]
        if end > indent:
            result.append((max(start, indent), end))
    return result


def compare(old, new, old_first=1, new_first=1):
    """The rows of two lists of lines, whose numbers begin with old_first and new_first: every line
    is in one row. Lines that have no counterpart share rows where they lie at the same place."""
    left = [Line(i, text, []) for i, text in enumerate(old, old_first)]
    right = [Line(i, text, []) for i, text in enumerate(new, new_first)]
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
        result += group if kept or len(group) == 1 else [Fold(len(group))]
    return result

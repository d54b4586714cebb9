"""Code on slides, in letters that the last row reads: two programs side by side, the kernel of one,
or lines of a text. From lines to HTML."""

import functools
import itertools
import math
import textwrap

from lab.markup import code, markdown, word_kinds
from tutorial import compare

MOST_ROWS = 23     # of code on a slide: so many have room at 22 of 720 pixels
MOST_COLUMNS = 97  # of a line; longer ones are wrapped
OF_A_SIDE = 47     # … where two stand side by side
CONTEXTS = 12, 9, 7, 5, 4, 3, 2, 1, 0  # lines around a change: as many as take no slide more


def kinds_of(program):
    """For each line of its file, a kind of word for each character."""
    return word_kinds(program.header + program.code)


def slidefuls(rows, height, most=MOST_ROWS):
    """Rows in parts of about the same height, none higher than a slide; cut at a blank row if one
    is near. height: of a row, in lines; of a blank one less than 1."""
    heights = list(map(height, rows))
    ends = list(itertools.accumulate(heights))
    if not rows or ends[-1] <= most:
        return [rows]
    parts = math.ceil(ends[-1] / most)
    even = sum(end <= ends[-1] / parts for end in ends) or 1
    least = sum(ends[-1] - end > (parts - 1) * most for end in ends) + 1  # the rest needs no more
    cut = next((i for i in range(even, max(even - 6, least) - 1, -1) if heights[i] < 1),
               min(max(even, least), sum(end <= most for end in ends) or 1))
    return [rows[:cut], *slidefuls(rows[cut:], height, most)]


def hanging(text):
    """How far a line goes in where it is wrapped."""
    return len(text) - len(text.lstrip()) + 4


def height_of(text, columns=MOST_COLUMNS):
    """How many lines it takes on a slide, where a long one is wrapped and a blank one is low."""
    if not text.strip():
        return 0.5
    return len(textwrap.wrap(text, columns, subsequent_indent=" " * hanging(text),
                             break_on_hyphens=False))


def table(rows, html, height, columns, look="code", head=""):
    """In letters as large as rows and columns allow. html, height: of a row."""
    return f"""\
<table class="{look}" style="--rows: {max(sum(map(height, rows)), 12):g}; --columns: {columns}">
{head}<tbody>
{"".join(map(html, rows))}</tbody></table>"""


def cell(line, kinds, tag=""):
    """The two cells of a line; tag: of what is marked in it."""
    if line is None:
        return f'<td class="no"></td><td class="text low"></td>'
    low = "" if line.text.strip() else " low"
    return (f'<td class="no{low}">{line.number}</td>'
            f'<td class="text{low}" style="--indent: {hanging(line.text)}ch">'
            f"{code(line.text, kinds[line.number - 1], line.marks, tag)}</td>")


# ---- two programs ----

SIDES = '<colgroup><col class="no" /><col /><col class="no" /><col /></colgroup>\n'


def diff(old, new):
    """The tables of what differs between two programs; none if nothing does."""
    rows = compare.compare_programs(old, new)
    if not any(row.changed for row in rows):
        return []
    ways = [slidefuls(trimmed(compare.fold(rows, context)), height_of_row) for context in CONTEXTS]
    html = functools.partial(row_of, old_kinds=kinds_of(old), new_kinds=kinds_of(new))
    return [table(part, html, height_of_row, 2 * OF_A_SIDE + 8, "code sides", SIDES)
            for part in min(ways, key=len)]


def trimmed(rows):
    """Without what is folded or blank at the ends."""
    def says_nothing(row):
        return isinstance(row, compare.Fold) or not row.changed and not row.new.text
    kept = list(itertools.dropwhile(says_nothing, rows))
    return list(itertools.dropwhile(says_nothing, kept[::-1]))[::-1]


def height_of_row(row):
    if isinstance(row, compare.Fold):
        return 1
    return max(height_of(line.text if line else "", OF_A_SIDE) for line in row[:2])


def row_of(row, old_kinds, new_kinds):
    if isinstance(row, compare.Fold):
        return f'<tr class="fold"><td colspan="4">⋯ {row.count} lines the same</td></tr>\n'
    both = cell(row.old, old_kinds, "del") + cell(row.new, new_kinds, "ins")
    return f'<tr class="{"changed" if row.changed else "same"}">{both}</tr>\n'


# ---- one program, or lines that belong to none ----

def one_side(lines, kinds, figures=lambda number: "", height=lambda line: height_of(line[1]),
             most=MOST_ROWS, columns=MOST_COLUMNS, more=4, head=""):
    """The tables of [(number, text)]; with figures beside each line, under a head, that take so
    many columns more."""
    def html(line):
        return f"<tr>{cell(compare.Line(*line, set()), kinds)}{figures(line[0])}</tr>\n"
    return [table(part, html, height, min(max(len(text) for _, text in part), columns) + more,
                  head=head) for part in slidefuls(lines, height, most)]


def kernels(program):
    """The tables of a program's kernels; of all its code if it has none."""
    return one_side(program.kernels or list(enumerate(program.code, len(program.header) + 1)),
                    kinds_of(program))


def shown(lines, said):
    """Lines of CUDA C that belong to no program, above what is said of them, in Markdown: as many
    paragraphs as have room."""
    room = MOST_ROWS - 1 - sum(map(height_of, lines))
    taken = list(itertools.accumulate(1.5 * (1 + len(text) // 100) for text in said))
    return "".join(one_side(list(enumerate(lines, 1)), word_kinds(lines))) + "".join(
        f"<p>{markdown(text)}</p>" for text, end in zip(said, taken) if end <= room)

"""Code on slides: two programs side by side, the kernel of one, or lines of a text. From lines to
HTML."""

import itertools

from lab.markup import code, markdown
from tutorial import compare


def table(rows, look="code", head=""):
    """rows: the HTML of each; few of them stand further apart."""
    return f"""\
<table class="{look}" style="--rows: {len(rows)}">
{head}<tbody>
{"".join(rows)}</tbody></table>"""


def cell(line, tag=""):
    """The two cells of a line; tag: of what is marked in it."""
    if line is None:
        return '<td class="no"></td><td class="text"></td>'
    hanging = len(line.text) - len(line.text.lstrip()) + 4  # where it is wrapped
    return (f'<td class="no">{line.number}</td><td class="text" style="--indent: {hanging}ch">'
            f"{code(line.text, line.marks, tag)}</td>")


# ---- two programs ----

SIDES = '<colgroup><col class="no" /><col /><col class="no" /><col /></colgroup>\n'


def diff(old, new):
    """The table of what differs between two programs."""
    def html(row):
        if isinstance(row, compare.Fold):
            return f'<tr class="fold"><td colspan="4">⋯ {row.count} lines the same</td></tr>\n'
        both = cell(row.old, "del") + cell(row.new, "ins")
        return f'<tr class="{"changed" if row.changed else "same"}">{both}</tr>\n'

    rows = trimmed(compare.fold(compare.compare_programs(old, new)))
    return table([*map(html, rows)], "code sides", SIDES)


def trimmed(rows):
    """Without what is folded or blank at the ends."""
    def says_nothing(row):
        return isinstance(row, compare.Fold) or not row.changed and not row.new.text
    kept = list(itertools.dropwhile(says_nothing, rows))
    return list(itertools.dropwhile(says_nothing, kept[::-1]))[::-1]


# ---- one program, or lines that belong to none ----

def one_side(lines, figures=lambda number: "", head=""):
    """The table of [(number, text)]; with figures beside each line, under a head."""
    return table([f"<tr>{cell(compare.Line(*line, set()))}{figures(line[0])}</tr>\n"
                  for line in lines], head=head)


def kernels(program):
    """The table of a program's kernels; of all its code if it has none."""
    return one_side(program.kernels or list(enumerate(program.code, len(program.header) + 1)))


def shown(lines, said):
    """Lines of CUDA C that belong to no program, above what is said of them, in Markdown."""
    return one_side(list(enumerate(lines, 1))) + "".join(
        f"<p>{markdown(text)}</p>" for text in said)

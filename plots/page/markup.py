"""Pieces of HTML that is XML as well: cells, text, pictures, CUDA C in colours, programs side by
side."""

import base64
import itertools
import re
from html import escape

from plots.read import compare
from plots.read.files import read_text

MARKDOWN = re.compile(r"`(?P<code>[^`]+)`|\*\*(?P<strong>.+?)\*\*|\*(?P<em>[^*\s][^*]*)\*")


def figure(shown, more=""):
    """A cell; more: classes."""
    return f'<td class="figure{more}">{escape(shown)}</td>'


def sentence(text):
    """Plain text of a header comment. It begins with a capital, unless its first word is code; what
    can only be code is set as such."""
    text = text[:1].upper() + text[1:] if text.split()[0].isalpha() else text
    return re.sub(r"\b(__\w+(?:\(\))?)", r"<code>\1</code>", escape(text, quote=False))


def scroll(html):
    """What may be longer than a slide: a part of it is seen at a time (page.js)."""
    return f'<div class="scroll">{html}</div>'


def markdown(text):
    """Markdown within a paragraph: code, strong, emphasis; a link becomes its text, or nothing where
    it is all that stands in brackets."""
    link = r"\[([^]]+)\]\([^)]*\)"
    text = re.sub(rf" \({link}\)", "", escape(text, quote=False))
    return spans(re.sub(link, r"\1", text))


def paragraphs(said):
    return "".join(f"<p>{markdown(text)}</p>" for text in said)


def spans(text):
    def span(match):
        kind, inner = match.lastgroup, match[match.lastgroup]
        return f"<{kind}>{inner if kind == 'code' else spans(inner)}</{kind}>"
    return MARKDOWN.sub(span, text)


def image(path, default):
    """The SVG as an image of its own: its ids and styles meet no other picture's. It is described
    as its title and description say."""
    svg = read_text(path)
    about = ". ".join(re.findall(r"<(?:title|desc)>([^<]*)<", svg)) or escape(default)
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{about}" src="data:image/svg+xml;base64,{data}" />'


# ---- CUDA C ----

KEYWORDS = ("const do else for if return sizeof static struct while unsigned int long void bool "
            "float double size_t elem_t").split()
CUDA = r"threadIdx|blockIdx|blockDim|gridDim|warpSize|__\w+|atomic[A-Z]\w*|cuda[A-Z]\w*"
KINDS = re.compile("|".join((
    r"(?P<comment>/\*.*?(?:\*/|$)|^ *\*(?: .*)?$|//.*)",  # of several lines each, as we set them
    r'(?P<string>"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')',
    r"(?P<directive>^ *# *\w+)",
    rf"(?P<cuda>\b(?:{CUDA})\b|<<<|>>>)",
    rf"(?P<keyword>\b(?:{'|'.join(KEYWORDS)})\b)",
    r"(?P<number>\b\d\w*)")))


def code(text, marks=(), tag=""):
    """A line of code with a span for each kind of word; of what is marked, with the tag instead."""
    kinds, result = [None] * len(text), ""
    for match in KINDS.finditer(text):
        kinds[match.start():match.end()] = [match.lastgroup] * len(match[0])
    for (kind, marked), run in itertools.groupby(
            range(len(text)), lambda i: (kinds[i], i in marks)):
        piece = escape("".join(text[i] for i in run), quote=False)
        name, class_ = tag if marked else "span", f' class="{kind}"' if kind else ""
        result += f"<{name}{class_}>{piece}</{name}>" if kind or marked else piece
    return result


# ---- tables of code ----

def table(rows, look="code", columns=""):
    """rows: the HTML of each; few of them stand further apart."""
    return f"""\
<table class="{look}" style="--rows: {len(rows)}">
{columns}<tbody>
{"".join(rows)}</tbody></table>"""


def cell(line, tag=""):
    """The two cells of a line; tag: of what is marked in it."""
    if line is None:
        return '<td class="no"></td><td class="text"></td>'
    hanging = len(line.text) - len(line.text.lstrip()) + 4  # where it is wrapped
    return (f'<td class="no">{line.number}</td><td class="text" style="--indent: {hanging}ch">'
            f"{code(line.text, line.marks, tag)}</td>")


SIDES = '<colgroup><col class="no" /><col /><col class="no" /><col /></colgroup>\n'


def diff(old, new):
    """The table of what differs between two programs."""
    def html(row):
        if row.changed is None:
            return f'<tr class="fold"><td colspan="4">⋯ {len(row.rows)} lines the same</td></tr>\n'
        both = cell(row.old, "del") + cell(row.new, "ins")
        return f'<tr class="{"changed" if row.changed else "same"}">{both}</tr>\n'

    rows = compare.fold(compare.compare_programs(old, new))
    for end in 0, -1:  # what is folded or blank there
        while rows and (rows[end].changed is None or not (rows[end].changed or rows[end].new.text)):
            rows.pop(end)
    return table([*map(html, rows)], "code sides", SIDES)


def one_side(lines):
    """The table of [(number, text)]."""
    return table([f"<tr>{cell(compare.Line(*line))}</tr>\n" for line in lines])

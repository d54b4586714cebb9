"""HTML that is XML as well: elements, code in colours, pictures, numbers. All pure functions."""

import base64
import itertools
import re
import xml.etree.ElementTree as ElementTree
from html import escape

from lab import syntax


# ---- numbers ----

def power(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}"


def factor(x):
    """How many times as fast: with three digits; – for none."""
    if x is None:
        return "–"
    digits = 0 if x >= 100 else 1 if x >= 10 else 2
    return f"{x:.{digits}f}" if x >= 0.1 else f"{x:.2g}"


def figure(x):
    """A count in at most seven characters, or a ratio with one decimal; – for none."""
    if x is None:
        return "–"
    if isinstance(x, float):
        return f"{x:.1f}"
    return f"{x}" if x < 10**6 else f"{x / 10**6:.2f}M"


# ---- elements ----

def element(name, content, **attributes):
    """class_ and so on: an underscore at the end is dropped, one within is a dash; None is left
    out. content is HTML."""
    text = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
                   for key, value in attributes.items() if value is not None)
    return f"<{name}{text}>{content}</{name}>"


def cells(values, tag="td", **attributes):
    return "".join(element(tag, escape(str(value)), **attributes) for value in values)


def prose(text):
    """Plain text of a header comment; what can only be code is set as such."""
    return re.sub(r"\b(__\w+(?:\(\))?)", r"<code>\1</code>", escape(text, quote=False))


def code(text, kinds, line=None, tag=None):
    """A line of code with a span a kind of word; where line is marked, in a tag of its own."""
    def marked(i):
        return line is not None and any(start <= i < end for start, end in line.marks)

    result = ""
    for mark, group in itertools.groupby(range(len(text)), marked):
        part = ""
        for kind, run in itertools.groupby(group, lambda i: kinds[i]):
            piece = escape("".join(text[i] for i in run), quote=False)
            part += element("span", piece, class_=kind) if kind else piece
        result += element(tag, part) if mark else part
    return result


def kinds_of(program):
    """{line number: a kind for each of its characters}"""
    return dict(enumerate(syntax.kinds(program.header + program.code), 1))


def sentence(text):
    """Begins with a capital, unless its first word is code."""
    return text[:1].upper() + text[1:] if text.split()[0].isalpha() else text


def image(svg, alt):
    """As an image of its own: its ids and styles meet no other picture's."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{data}" />'


def described(svg, default):
    """What an SVG says of itself in its title and its description."""
    root = ElementTree.fromstring(svg)
    found = [root.find("{http://www.w3.org/2000/svg}" + name) for name in ("title", "desc")]
    texts = ["".join(node.itertext()).strip() for node in found if node is not None]
    return ". ".join(texts) or default

"""HTML that is XML as well: elements, tables, code in colours, pictures. All pure functions."""

import base64
import itertools
import re
import xml.etree.ElementTree as ElementTree
from html import escape

from lab import syntax


def element(name, content, **attributes):
    """class_ and so on: an underscore at the end is dropped, one within is a dash; None is left
    out. content is HTML."""
    text = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
                   for key, value in attributes.items() if value is not None)
    return f"<{name}{text}>{content}</{name}>"


def cells(values, tag="td", **attributes):
    return "".join(element(tag, escape(str(value)), **attributes) for value in values)


def headed(heading, values):
    """A row of figures behind what they are."""
    return element("tr", cells([heading], "th", scope="row") + cells(values, class_="figure"))


def heads(values, **attributes):
    return cells(values, "th", **attributes, scope="col")


def table(class_, head, rows, caption="", **attributes):
    """rows: HTML of a row each."""
    return element("table", (element("caption", escape(caption)) if caption else "") +
                   element("thead", head) + element("tbody", rows), class_=class_, **attributes)


def prose(text):
    """Plain text of a header comment; what can only be code is set as such."""
    return re.sub(r"\b(__\w+(?:\(\))?)", r"<code>\1</code>", escape(text, quote=False))


def sentence(text):
    """Begins with a capital, unless its first word is code."""
    return prose(text[:1].upper() + text[1:] if text.split()[0].isalpha() else text)


def markdown(text):
    """Markdown within a paragraph: code, strong, emphasis; a link becomes its text."""
    result = []
    for part in re.split(r"(`[^`]+`)", text):
        if part.startswith("`"):
            result.append(f"<code>{escape(part[1:-1])}</code>")
            continue
        part = escape(re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", part), quote=False)
        part = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", part)
        result.append(re.sub(r"(?<![\w*])\*([^*\s][^*]*?)\*(?![\w*])", r"<em>\1</em>", part))
    return "".join(result)


def code(text, kinds, line=None, tag=None):
    """A line of code with a span a kind of word; where line is marked, in a tag of its own."""
    def is_marked(i):
        return line is not None and i in line.marks

    result = ""
    for marked, group in itertools.groupby(range(len(text)), is_marked):
        part = ""
        for kind, run in itertools.groupby(group, lambda i: kinds[i]):
            piece = escape("".join(text[i] for i in run), quote=False)
            part += element("span", piece, class_=kind) if kind else piece
        result += element(tag, part) if marked else part
    return result


def kinds_of(program):
    """{line number: a kind for each of its characters}"""
    return dict(enumerate(syntax.kinds(program.header + program.code), 1))


def image(svg, default):
    """As an image of its own: its ids and styles meet no other picture's. It is described as its
    title and description say."""
    root = ElementTree.fromstring(svg)
    found = [root.find("{http://www.w3.org/2000/svg}" + name) for name in ("title", "desc")]
    texts = ["".join(node.itertext()).strip() for node in found if node is not None]
    data = base64.b64encode(svg.encode()).decode()
    return (f'<img alt="{escape(". ".join(texts) or default)}" '
            f'src="data:image/svg+xml;base64,{data}" />')

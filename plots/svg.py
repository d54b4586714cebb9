"""Writes SVG: text as text, no style sheets, no identifiers and nothing from outside, so that a
picture stands alone, and several stand in one HTML page."""

from xml.sax.saxutils import escape, quoteattr

SANS = "system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"
MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def element(name, content="", **attributes):
    """Underscores of attribute names become hyphens; one at the end is dropped (class_)."""
    text = "".join(
        f" {key.rstrip('_').replace('_', '-')}="
        + quoteattr(value if isinstance(value, str) else f"{value:g}")
        for key, value in attributes.items() if value is not None)
    return f"<{name}{text}>{content}</{name}>" if content else f"<{name}{text}/>"


def text(x, y, words, size=16, **attributes):
    return element("text", escape(words), x=x, y=y, font_size=size, **attributes)


def boxes(places, **attributes):
    """Many rectangles (x, y, width, height) as one path."""
    return path("M{0:g} {1:g}h{2:g}v{3:g}h-{2:g}z", places, attributes)


def lines(places, **attributes):
    """Many lines (x, y, x, y)."""
    return path("M{:g} {:g}L{:g} {:g}", places, attributes)


def path(form, places, attributes):
    """One form at many places; nothing if there are none."""
    return element("path", d="".join(form.format(*place) for place in places),
                   **attributes) if places else ""


def document(width, height, title, description, parts):
    """The whole file, on white. title and description are for those who cannot see it."""
    body = [element("title", escape(title)), element("desc", escape(description)),
            element("rect", width="100%", height="100%", fill="#fff"), *filter(None, parts)]
    return element("svg", "\n" + "\n".join(body) + "\n", xmlns="http://www.w3.org/2000/svg",
                   viewBox=f"0 0 {width:g} {height:g}", width=width, height=height, role="img",
                   aria_label=title, font_family=SANS, fill="#1a1a1a") + "\n"

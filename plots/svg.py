"""Writes SVG: text as text, no style sheets, no identifiers and nothing from outside, so that a
picture stands alone, and several stand in one HTML page."""

from xml.sax.saxutils import escape, quoteattr

SANS = "system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"
MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def short(number):
    """At most two decimals, and none that say nothing."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def element(name, content="", **attributes):
    """Underscores of attribute names become hyphens; one at the end is dropped (class_)."""
    text = "".join(
        f" {key.rstrip('_').replace('_', '-')}="
        + quoteattr(value if isinstance(value, str) else short(value))
        for key, value in attributes.items() if value is not None)
    return f"<{name}{text}>{content}</{name}>" if content else f"<{name}{text}/>"


def text(x, y, words, size=16.5, **attributes):
    return element("text", escape(words), x=x, y=y, font_size=size, **attributes)


def code(x, y, words, size=15.5, **attributes):
    return text(x, y, words, size, font_family=MONO, **attributes)


def boxes(places, **attributes):
    """Many rectangles (x, y, width, height) as one path; nothing if there are none."""
    return path("".join(f"M{short(x)} {short(y)}h{short(w)}v{short(h)}h{short(-w)}z"
                        for x, y, w, h in places), **attributes)


def lines(places, **attributes):
    """Many lines (x, y, x, y) as one path."""
    return path("".join(f"M{short(a)} {short(b)}L{short(c)} {short(d)}" for a, b, c, d in places),
                **attributes)


def diamonds(places, radius, **attributes):
    r = short(radius)
    return path("".join(f"M{short(x)} {short(y - radius)}l{r} {r} -{r} {r} -{r} -{r}z"
                        for x, y in places), **attributes)


def path(commands, **attributes):
    return element("path", d=commands, **attributes) if commands else ""


def document(width, height, title, description, parts):
    """The whole file, on white. title and description are for those who cannot see it."""
    body = "\n".join(part for part in parts if part)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {short(width)} {short(height)}" '
            f'width="{short(width)}" height="{short(height)}" role="img" '
            f'aria-label={quoteattr(title)} font-family="{SANS}" fill="#1a1a1a">\n'
            f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>\n"
            f'<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n')

"""Others' names and texts, as a terminal can show them: nothing in them steers it, and columns stay
aligned whatever script a name is written in. All functions are pure."""

import unicodedata

WIDTH, NAME = 80, 24  # columns of the terminal, and of a name


def plain(text):
    """What cannot be seen as it is becomes an escape (\\x1b, \\u202e; \\udcff is the byte ff of a
    file name that is no UTF-8); blanks of any kind, a blank."""
    return "".join(c if c.isprintable() else " " if c.isspace() else
                   c.encode("unicode_escape").decode() for c in text)


def columns(text):
    """How many columns of a terminal a plain text takes."""
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
               for c in text)


def cut(text, width):
    """A plain text in at most so many columns, an ellipsis where it goes on."""
    used, fits = 0, 0  # columns so far; characters beside which an ellipsis has room
    for i, c in enumerate(text):
        used += columns(c)
        if used > width:
            return text[:fits] + "…"
        fits = i + 1 if used < width else fits
    return text


def left(text, width):
    """A plain text in just so many columns."""
    text = cut(text, width)
    return text + " " * (width - columns(text))

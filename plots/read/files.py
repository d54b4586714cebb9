"""Whole files: where they are, reading and writing them. A fault in one raises BadData."""

import os

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))


class BadData(Exception):
    """One line: which file and line, what is wrong, what would be right. Invisible characters, as in a
    typed name, are shown as ?."""

    def __init__(self, path, line, what):
        """line: from 1, or None."""
        text = f"{shown(path)}:{line or ''}: {what}".replace(":: ", ": ", 1)
        super().__init__("".join(letter if letter.isprintable() else "?" for letter in text))


def shown(path):
    """A path as short as can be: from here, if it lies below."""
    relative = os.path.relpath(path) if path else "''"
    return os.fspath(path) if relative.startswith("..") else relative


def beside(path, name):
    """The path of what another bench, NAME, left beside a file of make bench."""
    folder, file = os.path.split(path)
    return os.path.join(folder, f"{name}-{file}")


def read_text(path):
    """With whatever line ends, and without the mark that some editors put in front."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except OSError as error:
        raise BadData(path, None, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadData(path, None, "is not a text file") from None


def write_text(path, text):
    """The file takes the place of an old one; there is never half of it."""
    new = f"{path}.{os.getpid()}.new"
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(new, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(new, path)
    except OSError as error:
        raise BadData(path, None, f"cannot be written: {error.strerror}") from None
    finally:
        if os.path.exists(new):
            os.remove(new)

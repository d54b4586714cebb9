"""The programs of the repository as texts: which there are, and what their header comments say."""

import collections
import glob
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# key: two digits for a step, the folder's name for a detour; path: from the root, as a user would
# write it; header: its first comment, the line after it included; code: all lines after these.
Program = collections.namedtuple("Program", "key folder path header code")


class Unknown(Exception):
    """Names that no program has: one line that says which would be right."""


def programs(root=ROOT):
    """{key: Program}: the steps in order, then the detours by name."""
    found = {}
    for path in sorted(glob.glob(os.path.join(root, "steps", "*", "main.cu"))) + \
            sorted(glob.glob(os.path.join(root, "detours", "*", "main.cu"))):
        folder = os.path.basename(os.path.dirname(path))
        key = folder.partition("-")[0] if os.sep + "steps" + os.sep in path else folder
        with open(path, encoding="utf-8") as file:
            header, code = split_header(file.read().splitlines())
        found[key] = Program(key, folder, os.path.relpath(path, root), header, code)
    return found


def split_header(lines):
    """The lines of the comment that a program begins with, and those after it."""
    if not lines or not lines[0].startswith("/*"):
        return [], lines
    end = next((i for i, line in enumerate(lines, 1) if line.endswith("*/")), len(lines))
    return lines[:end], lines[end:]


# ---- names ----

def names(found):
    """{name: key}: a step goes by its number, step03 and its folder's name, a detour by its own."""
    result = {}
    for key, program in found.items():
        result[key] = result[program.folder] = key
        if key.isdecimal():
            result["step" + key] = key
    return result


def pair(words, found):
    """The keys of the two programs that are meant: by two names, or by one text such as 02-03 or
    07-single-pass, whichever of its dashes stands between two names."""
    known = names(found)
    want = f"want two of {' '.join(found)}, as in make diff-02-03"
    if len(words) == 2:
        cuts = [tuple(words)]
    else:
        cuts = [(words[0][:i], words[0][i + 1:]) for i, sign in enumerate(words[0]) if sign == "-"]
    pairs = {(known[left], known[right]): f"{left} and {right}"
             for left, right in cuts if left in known and right in known}
    if len(words) > 2 or len(words) == 1 and words[0] in known and not pairs:
        raise Unknown(want)
    if len(pairs) > 1:
        raise Unknown(f"'{words[0]}' can be {', or '.join(pairs.values())}: give two arguments")
    if not pairs:
        culprits = [name for cut in cuts for name, other in (cut, cut[::-1])
                    if name not in known and other in known]
        raise Unknown(f"no step or detour '{min(culprits or words, key=len)}'; {want}")
    return next(iter(pairs))


# ---- header comments ----

def paragraphs(header):
    """The paragraphs of a header comment, each as one line."""
    text = "\n".join(re.sub(r"^\s*/?\*/?\s?|\s*\*/\s*$", "", line) for line in header)
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def title(program):
    """What a program's first line says, without its number or name: an idea, in lower case."""
    first = next(iter(paragraphs(program.header)), "")
    start, colon, rest = first.partition(": ")
    return (rest if colon and len(start) <= 40 else first).rstrip(".")


def parts(program):
    """{label: text} of the paragraphs Before, Idea, Look at, Source of a step, Expect of others."""
    matches = (re.match(r"([A-Z][a-z]+(?: [a-z]+)?): (.*)", text)
               for text in paragraphs(program.header)[1:])
    return {match[1]: match[2] for match in matches if match}

"""Light syntax colouring of CUDA C: which kind of word stands at every place of a text."""

import itertools
import re

KEYWORDS = ("const do else for if return sizeof static struct while unsigned int long void bool "
            "float double size_t elem_t").split()
CUDA = r"threadIdx|blockIdx|blockDim|gridDim|warpSize|__\w+|atomic[A-Z]\w*|cuda[A-Z]\w*"
KINDS = re.compile("|".join((
    r"(?P<comment>/\*.*?\*/|//[^\n]*)",
    r'(?P<string>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')',
    r"(?P<directive>^[ \t]*#[ \t]*\w+)",
    rf"(?P<cuda>\b(?:{CUDA})\b|<<<|>>>)",
    rf"(?P<keyword>\b(?:{'|'.join(KEYWORDS)})\b)",
    r"(?P<number>\b\d\w*)")), re.DOTALL | re.MULTILINE)


def kinds(lines):
    """For each line a list with a kind for each of its characters; None is nothing special."""
    text = "".join(line + "\n" for line in lines)
    result = [None] * len(text)
    for match in KINDS.finditer(text):
        result[match.start():match.end()] = [match.lastgroup] * len(match[0])
    places = iter(result)
    return [list(itertools.islice(places, len(line) + 1))[:-1] for line in lines]

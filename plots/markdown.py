"""The pieces of the generated tables: rows, figures, links."""

import os

from tutorial import programs
from tutorial.figures import NONE


def to_measure(target):
    return f"– not measured yet: `make {target} PUBLISH=1`, then `make table`."


def table(columns, rows, note=to_measure("bench")):
    """Columns are parted by ` | `; one of figures is NAME=FORMAT and stands at the right. Its format
    is Python's, or `us` for milliseconds that are shown as microseconds. A cell is text, a number,
    or None where nothing was measured; then the note follows."""
    names, signs, formats = zip(*(column.partition("=") for column in columns.split(" | ")))
    lines = [names, *([cell(*each) for each in zip(cells, formats)] for cells in rows)]
    head, *lines = [f"| {' | '.join(cells)} |\n" for cells in lines]
    rule = "|".join("---:" if sign else "---" for sign in signs)
    unmeasured = any(f"| {NONE}" in line for line in lines)
    return "".join([head, f"|{rule}|\n", *lines, f"\n{note}\n" if unmeasured else ""])


def cell(value, form):
    if value is None:
        return NONE
    if isinstance(value, str):
        return value
    return us(value) if form == "us" else format(value, form)


def us(ms):
    """Microseconds."""
    return f"{ms * 1e3:.{2 if ms < 0.1 else 1}f}"


def size(n):
    """Of n ints."""
    return f"{n >> 8} KiB" if n < 2**18 else f"{n >> 18} MiB"


def link(key, room="."):
    """To a program's main.cu, from a file in this folder."""
    text = programs.label(key) if key.isdecimal() else key
    return f"[{text}]({os.path.relpath(programs.get(key).path, room)})"


def origin(bench, target):
    """What was measured on what."""
    meta = bench.meta
    l2 = f"{meta['l2']} of L2 cache, " if "l2" in meta else ""
    library = f"{meta['library']}, " if "library" in meta else ""
    return (f"Measured by `make {target}`: {meta['gpu']}, {l2}CUDA {meta['cuda']}, {library}driver "
            f"{meta['driver']},\n{meta['date']}, commit {meta['commit']}; peak {bench.peak:.0f} "
            "GB/s.\n")

"""The pieces of the generated tables: rows, figures, links."""

import os

from tutorial import bench_data, programs
from tutorial.figures import NONE

TO_MEASURE = "– not measured yet: `make bench PUBLISH=1`, then `make table`."


def table(columns, rows, note=TO_MEASURE):
    """Columns are parted by ` | `; what ends with a colon stands at the right. The note follows
    if a cell was not measured."""
    names = columns.split(" | ")
    rule = "|".join("---:" if name.endswith(":") else "---" for name in names)
    head, *lines = [f"| {' | '.join(cells)} |\n"
                    for cells in [[name.removesuffix(":") for name in names], *rows]]
    unmeasured = any(cell.startswith(NONE) for cells in rows for cell in cells)
    return "".join([head, f"|{rule}|\n", *lines, f"\n{note}\n" if unmeasured else ""])


def run(bench, key, n, type="int"):
    """A Run; one without figures where nothing was measured."""
    return bench.runs.get((key, type), {}).get(n, bench_data.Run(n, None, None, None))


def ratio(a, b):
    """How many times as much a is as b; None where one was not measured."""
    return a / b if a and b else None


def figure(value, form):
    """A number as format() takes it, or the sign for what was not measured."""
    return NONE if value is None else format(value, form)


def us(ms):
    """Microseconds."""
    return f"{ms * 1e3:.{2 if ms < 0.1 else 1}f}"


def size(n):
    """Of n ints."""
    return f"{n >> 8} KiB" if n < 2**18 else f"{n >> 18} MiB"


def label(key):
    """As a reader knows it: `03 sequential-addressing`, CUB, single-pass."""
    folder = programs.get(key).folder
    return "CUB" if key == "cub" else folder.replace("-", " ", 1) if key.isdecimal() else folder


def link(key, text, room="."):
    """To a program's main.cu, from a file in this folder."""
    return f"[{text}]({os.path.relpath(programs.get(key).path, room)})"


def origin(bench, target):
    """What was measured on what."""
    meta = bench.meta
    l2 = f"{meta['l2']} of L2 cache, " if "l2" in meta else ""
    return (f"Measured by `make {target}`: {meta['gpu']}, {l2}CUDA {meta['cuda']}, driver "
            f"{meta['driver']},\n{meta['date']}, commit {meta['commit']}; peak {bench.peak:.0f} "
            "GB/s.\n")

"""Generated parts of a step's section: its kernel, the lines that change, counters and clock."""

import itertools
import os
import re

from tutorial import bench_data
from tutorial import programs
from tutorial.counter_data import sectors_per_load, total
from tutorial.files import BadData

from tutorial import compare

# ---- code ----


def kernel(data, key):
    """The kernel of a program, in full."""
    lines = programs.get(key).code
    begin = next(i for i, line in enumerate(lines) if line.startswith("__global__"))
    return fenced("cuda", lines[begin:lines.index("}", begin) + 1])


def diff(data, before, key):
    """The lines of code that differ between two programs, and the lines next to them; where lines
    are left out stands the name of the function that goes on."""
    new = programs.get(key).code
    rows = compare.fold(compare.compare(programs.get(before).code, new), context=1)
    groups = [(changed, list(group)) for changed, group in
              itertools.groupby(rows, lambda row: getattr(row, "changed", None))]
    lines = []
    for (changed, group), (_, after) in zip(groups, groups[1:] + [(None, [])]):
        if changed:
            lines += [f"-{row.old.text}" for row in group if row.old]
            lines += [f"+{row.new.text}" for row in group if row.new]
        elif changed is False:
            lines += [f" {row.new.text}".rstrip() for row in group]
        elif after:  # a fold
            lines.append(f"@@ {function_at(new, after[0].new.number - 1)} @@")
    return fenced("diff", lines)


def function_at(lines, place):
    """The name of the function that a line belongs to."""
    for line in reversed(lines[:place + 1]):
        match = re.match(r"[a-z_].*?(\w+)\(", line)
        if match:
            return match[1]
    return "before the kernel"


def fenced(language, lines):
    return "\n".join([f"```{language}", *lines, "```"]) + "\n"


# ---- counters and clock ----

def step(data, key):
    """What the counters and the clock said of the step before, and what they say now."""
    keys = bench_data.steps(data.bench, "int")
    if key not in keys or key not in data.counters:
        raise BadData(data.bench.path, None, f"has no step '{key}', or the counters lack it: "
                                             "make plots/data/counters.csv")
    keys = keys[:keys.index(key) + 1][-2:]
    columns = [figures(data, key) for key in keys]
    titles = [f"{data.counters[key].n:,} ints counted, more timed",
              *(f"step {key}" for key in keys), *["change"] * (len(keys) - 1)]
    return (f"| {' | '.join(titles)} |\n|---|{'---:|' * (len(titles) - 1)}\n" +
            "".join(row(label, [column[label] for column in columns]) for label in columns[0]
                    if any(column[label][0] for column in columns)))


def figures(data, key):
    """{label: (figure, its format)} of a step."""
    counts = data.counters[key]
    shared, barriers, warp_barriers, shuffles = (
        total(counts, *place) for place in (("shared", "load", "store"), ("sync", "syncthreads"),
                                            ("sync", "syncwarp"), ("sync", "shuffle")))
    found = {
        "launches": (counts.launches, ","),
        "global load requests": (total(counts, "global", "load").requests, ","),
        "sectors/request": (sectors_per_load(counts), ".1f"),
        "shared requests": (shared.requests, ","),
        "wavefronts": (shared.wavefronts, ","),
        "bank conflicts": (shared.wavefronts - shared.requests, ","),
        "lanes/request": (shared.lanes / shared.requests, ".1f"),
        "warps at `__syncthreads`": (barriers.requests, ","),
        "warps at `__syncwarp`": (warp_barriers.requests, ","),
        "shuffles by warps": (shuffles.requests, ","),
    }
    for n in ("2^24", "2^30"):
        run = bench_data.run(data.bench, "int", key, 2**int(n[2:]))
        found |= {f"**{n}: ms**": (run.ms, "#.4g"), f"{n}: GB/s": (run.gb_per_s, ".0f")}
    return found


def row(label, column):
    """A line of the table; its last cell says how many times less or more the figure is now."""
    cells = [format(figure, form) if figure else "0" for figure, form in column]
    if len(column) == 2:
        old, new = (figure for figure, _ in column)
        cells.append("" if not old or not new or abs(new / old - 1) < 0.005 else
                     f"÷ {old / new:.3g}" if new < old else f"× {new / old:.3g}")
    return f"| {' | '.join([label, *cells])} |\n"

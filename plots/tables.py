"""The generated tables of README.md and NOTES.md, and first the pieces of all tables. A block's
function gets the Data of table.py and returns Markdown; the block has its name."""

import os
import re

from tutorial import bench_data, programs
from tutorial.bench_data import BEST_CUB, run
from tutorial.counter_data import FIGURES
from tutorial.figures import NONE, power, ratio

SMALL, LARGE = 2**24, 2**30


def to_measure(target):
    return f"– not measured yet: `make {target} PUBLISH=1`, then `make table`."


def table(columns, rows, note=to_measure("bench")):
    """Columns are parted by ` | `; one of figures is NAME=FORMAT and stands at the right. Its format
    is Python's, or `us` for milliseconds that are shown as microseconds. A cell is text, a number,
    or None where nothing was measured; then the note follows."""
    names, signs, formats = zip(*(column.partition("=") for column in columns.split(" | ")))
    head, *lines = [f"| {' | '.join(cells)} |\n"
                    for cells in (names, *(map(cell, cells, formats) for cells in rows))]
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


def fewer(before, after):
    """How many times less or more it is after; None where one was not measured."""
    if not before or not after:
        return None
    return f"÷ {before / after:.3g}" if after < before else f"× {after / before:.3g}"


# ---- README and NOTES ----

def measured(data):
    return origin(data.bench, "bench")


def ladder(data):
    """The steps at two sizes, and their peers: of CUB the variant that is the fastest at the larger."""
    rows = []
    best = run(data.bench, "int", BEST_CUB, LARGE).key or "cub"
    for key in [*programs.steps(), best, "single-pass"]:
        small, large = (run(data.bench, "int", key, n) for n in (SMALL, LARGE))
        over_first, over_cub = (bench_data.times_over(data.bench, "int", LARGE, key, base)
                                for base in ("00", BEST_CUB))
        rows.append([link(key), programs.get(key).idea, small.ms, small.gb_per_s, large.ms,
                     large.gb_per_s, large.share and f"{large.share:.1f} %", over_first,
                     over_cub and format(over_cub, ".4f" if over_cub < 0.01 else ".2f")])
    return measured(data) + "\n" + table(
        "step | idea | 2^24: ms=#.4g | GB/s=.0f | 2^30: ms=#.4g | GB/s=.0f | of peak= | "
        "x step 00=.0f | x CUB=", rows)


def step(data, before, step):
    """What the counters and the clock said of the step before, and what they say now."""
    keys = [key for key in (before, step) if key]
    columns = [figures_of(data, key) for key in keys]
    rows = []
    for name, (new, form) in columns[-1].items():
        old = columns[0][name][0]
        if old != 0 or new != 0:
            same = not old or not new or abs(new / old - 1) < 0.005
            rows.append([name, *(cell(column[name][0], form) for column in columns),
                         *["" if same else fewer(old, new)] * (len(keys) - 1)])
    heads = [f"{next(iter(data.counters.values())).n:,} ints counted, more timed",
             *(f"step {key}=" for key in keys), *["change="] * (len(keys) - 1)]
    return table(" | ".join(heads), rows,
                 "– not measured yet: `make plots/data/counters.csv`, `make bench PUBLISH=1`; then "
                 "`make table`.")


def figures_of(data, key):
    """{label: (figure, its format)} of a step; None where nothing was counted or measured."""
    counts, found = data.counters.get(key), {}
    for what, figure in FIGURES.items():
        if what != "branch efficiency, %":
            label = re.sub(r"__\w+", r"`\g<0>`", what)
            found[label] = counts and (figure(counts) or 0), ".1f" if "/" in what else ","
    for n in (SMALL, LARGE):
        of_n = run(data.bench, "int", key, n)
        found[f"**{power(n)}: ms**"] = of_n.ms, "#.4g"
        found[f"{power(n)}: GB/s"] = of_n.gb_per_s, ".0f"
    return found


CORNERS = {"one multiprocessor": [("step00", "nothing"), ("naive-coalesced", "nothing")],
           "all": [("naive-everywhere", "nothing"), ("naive-everywhere", "COALESCED=1")]}


def ideas_corners(data):
    """Coalesced or not, one multiprocessor or all: milliseconds, and what each idea earns in either
    order; then the tree of step 01."""
    times = [[data.ideas.median(*variant, SMALL) for variant in row]
             for row in CORNERS.values()]
    (first, _), (_, last) = times
    tree = data.ideas.median("step01", "nothing", SMALL)
    rows = [[name, *row, fewer(*row)] for name, row in zip(CORNERS, times)]
    rows += [["all multiprocessors earn", *map(fewer, *times), fewer(first, last)],
             ["all, an element per thread, and a tree: step 01", "", tree, fewer(last, tree)]]
    return table(f"{power(SMALL)}: ms | a piece per thread=#.4g | coalesced=#.4g | "
                 "coalescing earns=", rows, to_measure("bench-ideas"))


def small_n(data):
    """Every size: the limit and how near the fastest programs come to it, in microseconds."""
    bench, rows = data.bench, []
    for n in bench_data.common_sizes(bench, "int", bench_data.RIVALS):
        limit, trips = bench_data.limit_ms(bench, "int", n), bench_data.trips_ms(bench, "int", n)
        times = [run(bench, "int", key, n).ms for key in bench_data.RIVALS]
        size = f"{n >> 8} KiB" if n < 2**18 else f"{n >> 18} MiB"
        rows.append([power(n), size, limit, f"{100 * bench.empty_ms / limit:.0f} %", trips, *times,
                     ratio(times[-1], trips)])
    return table("n | data= | limit, µs=us | launch's part= | with trips, µs=us | step 07, µs=us | "
                 "CUB, µs=us | single-pass, µs=us | single-pass / with trips=.2f", rows)

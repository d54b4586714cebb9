"""Generated parts of README.md and NOTES.md: the ladder, a step's code and figures, the three ideas
of step 01, how to read the numbers. A block's function gets the Data of table.py and returns
Markdown."""

import itertools
import re

from plots.markdown import cell, link, origin, size, table, to_measure
from tutorial import bench_data, compare, programs, side_data
from tutorial.bench_data import run
from tutorial.counter_data import FIGURES
from tutorial.figures import power, ratio

SMALL, LARGE = 2**24, 2**30


def measured(data):
    return origin(data.bench, "bench")


def ladder(data):
    """The steps at two sizes, and their peers: of CUB the variant that is the fastest at the larger."""
    cub = bench_data.best_cub(data.bench, "int", LARGE) or "cub"
    return measured(data) + "\n" + table(
        "step | idea | 2^24: ms=#.4g | GB/s=.0f | 2^30: ms=#.4g | GB/s=.0f | of peak= | "
        "x step 00=.0f | x CUB=", [rung(data.bench, key) for key in
                                   [*programs.steps(), cub, "single-pass"]])


def rung(bench, key):
    small, large = run(bench, "int", key, SMALL), run(bench, "int", key, LARGE)
    over_first, over_cub = (bench_data.times_over(bench, "int", LARGE, key, base)
                            for base in ("00", bench_data.BEST_CUB))
    return [link(key), programs.get(key).idea, small.ms, small.gb_per_s, large.ms, large.gb_per_s,
            large.share and f"{large.share:.1f} %", over_first,
            over_cub and format(over_cub, ".4f" if over_cub < 0.01 else ".2f")]


# ---- a step's code ----

def kernel(data, step):
    """The kernel of a program, in full."""
    return fenced("cuda", [text for _, text in programs.get(step).kernels])


def diff(data, before, step):
    """The lines of code that differ between two programs, and the lines next to them; where lines
    are left out stands the name of the function that goes on."""
    new, lines = programs.get(step).code, []
    rows = compare.fold(compare.compare(programs.get(before).code, new), context=1)
    groups = [(changed, list(group)) for changed, group in
              itertools.groupby(rows, lambda row: getattr(row, "changed", None))]
    for (changed, group), (_, following) in zip(groups, groups[1:] + [(None, [])]):
        if changed:
            lines += [f"-{row.old.text}" for row in group if row.old]
            lines += [f"+{row.new.text}" for row in group if row.new]
        elif changed is False:
            lines += [f" {row.new.text}".rstrip() for row in group]
        elif following:  # a fold
            lines.append(f"@@ {function_at(new, following[0].new.number - 1)} @@")
    return fenced("diff", lines)


def function_at(lines, place):
    """The name of the function that a line belongs to."""
    names = (re.match(r"[a-z_].*?(\w+)\(", line) for line in reversed(lines[:place + 1]))
    return next((name[1] for name in names if name), "before the kernel")


def fenced(language, lines):
    return "\n".join([f"```{language}", *lines, "```"]) + "\n"


# ---- a step's counters and clock ----

def step(data, before, step):
    """What the counters and the clock said of the step before, and what they say now."""
    keys = [key for key in (before, step) if key]
    columns = [figures(data, key) for key in keys]
    n = next(iter(data.counters.values())).n
    rows = [row(name, [column[name] for column in columns]) for name in columns[0]
            if any(column[name][0] != 0 for column in columns)]
    heads = [f"{n:,} ints counted, more timed", *(f"step {key}=" for key in keys),
             *["change="] * (len(keys) - 1)]
    return table(" | ".join(heads), rows,
                 "– not measured yet: `make plots/data/counters.csv`, `make bench PUBLISH=1`; then "
                 "`make table`.")


def figures(data, key):
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


def row(name, figures):
    """The last cell says how many times less or more the figure is now."""
    cells = [cell(value, form if value else "") for value, form in figures]
    old, new = figures[0][0], figures[-1][0]
    if len(figures) == 2:
        same = not old or not new or abs(new / old - 1) < 0.005
        cells.append("" if same else fewer(old, new))
    return [name, *cells]


def fewer(before, after):
    """How many times less or more it is after; None where one was not measured."""
    if not before or not after:
        return None
    return f"÷ {before / after:.3g}" if after < before else f"× {after / before:.3g}"


# ---- the three ideas of step 01 ----

CORNERS = {"one multiprocessor": [("step00", "nothing"), ("naive-coalesced", "nothing")],
           "all": [("naive-everywhere", "nothing"), ("naive-everywhere", "COALESCED=1")]}


def ideas_corners(data):
    """Coalesced or not, one multiprocessor or all: milliseconds, and what each idea earns in either
    order; then the tree of step 01."""
    times = [[side_data.idea_ms(data.ideas, *variant, SMALL) for variant in row]
             for row in CORNERS.values()]
    (first, _), (_, last) = times
    tree = side_data.idea_ms(data.ideas, "step01", "nothing", SMALL)
    rows = [[name, *row, fewer(*row)] for name, row in zip(CORNERS, times)]
    rows += [["all multiprocessors earn", *map(fewer, *times), fewer(first, last)],
             ["all, an element per thread, and a tree: step 01", "", tree, fewer(last, tree)]]
    return table(f"{power(SMALL)}: ms | a piece per thread=#.4g | coalesced=#.4g | "
                 "coalescing earns=", rows, to_measure("bench-ideas"))


# ---- how to read the numbers ----

def small_n(data):
    """Every size: the limit and how near the fastest programs come to it, in microseconds."""
    bench, rows = data.bench, []
    for n in bench_data.common_sizes(bench, "int", bench_data.RIVALS):
        limit, trips = bench_data.limit_ms(bench, "int", n), bench_data.trips_ms(bench, "int", n)
        times = [run(bench, "int", key, n).ms for key in bench_data.RIVALS]
        rows.append([power(n), size(n), limit, f"{100 * bench.empty_ms / limit:.0f} %", trips, *times,
                     ratio(times[-1], trips)])
    return table("n | data= | limit, µs=us | launch's part= | with trips, µs=us | step 07, µs=us | "
                 "CUB, µs=us | single-pass, µs=us | single-pass / with trips=.2f", rows)

"""Generated parts of README.md and NOTES.md: the ladder, a step's code and figures, how to read
them. A block's function gets the Data of table.py and returns Markdown."""

import itertools
import math
import re

from plots.markdown import TO_MEASURE, figure, label, link, origin, ratio, run, size, table, us
from tutorial import bench_data, compare, programs
from tutorial.counter_data import sectors_per_load, total
from tutorial.figures import power
from tutorial.files import BadData

SMALL, LARGE = 2**24, 2**30


def measured(data):
    return origin(data.bench, "bench")


def ladder(data):
    """The steps and their peers at two sizes."""
    return measured(data) + "\n" + table(
        "step | idea | 2^24: ms: | GB/s: | 2^30: ms: | GB/s: | of peak: | x step 00: | x CUB:",
        [ladder_row(data.bench, key) for key in programs.steps() + bench_data.PEERS])


def ladder_row(bench, key):
    small, large = run(bench, key, SMALL), run(bench, key, LARGE)
    over_first, over_cub = (ratio(run(bench, base, LARGE).ms, large.ms) for base in ("00", "cub"))
    return [link(key, label(key) if key.isdecimal() else key), programs.get(key).idea,
            figure(small.ms, "#.4g"), figure(small.gb_per_s, ".0f"),
            figure(large.ms, "#.4g"), figure(large.gb_per_s, ".0f"),
            figure(ratio(large.share, 100), ".1%").replace("%", " %"), figure(over_first, ".0f"),
            figure(over_cub, ".4f" if over_cub and over_cub < 0.01 else ".2f")]


# ---- a step's code ----

def kernel(data, name):
    """The kernel of a program, in full."""
    lines = programs.get(name).code
    begin = next(i for i, line in enumerate(lines) if line.startswith("__global__"))
    return fenced("cuda", lines[begin:lines.index("}", begin) + 1])


def diff(data, before, after):
    """The lines of code that differ between two programs, and the lines next to them; where lines
    are left out stands the name of the function that goes on."""
    new, lines = programs.get(after).code, []
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

def step(data, step):
    """What the counters and the clock said of the step before, and what they say now."""
    keys = programs.steps()
    keys = keys[:keys.index(step) + 1][-2:]
    columns = [figures(data, key) for key in keys]
    heads = [*(f"step {key}:" for key in keys), *["change:"] * (len(keys) - 1)]
    n = next(iter(data.counters.values())).n
    rows = [row(name, [column.get(name, (None, "")) for column in columns]) for name in
            columns[0] | columns[-1] if any(column.get(name, (0,))[0] != 0 for column in columns)]
    return table(" | ".join([f"{n:,} ints counted, more timed", *heads]), rows,
                 "– not measured yet: `make plots/data/counters.csv`, `make bench PUBLISH=1`; then "
                 "`make table`.")


def figures(data, key):
    """{label: (figure, its format)} of a step; no counters where nothing was counted."""
    found, counts = {}, data.counters.get(key)
    if counts:
        shared = total(counts, "shared", "load", "store")
        found = {
            "launches": (counts.launches, ","),
            "global load requests": (total(counts, "global", "load").requests, ","),
            "sectors/request": (sectors_per_load(counts) or 0, ".1f"),
            "shared requests": (shared.requests, ","),
            "wavefronts": (shared.wavefronts, ","),
            "bank conflicts": (shared.wavefronts - shared.requests, ","),
            "lanes/request": (shared.lanes / max(shared.requests, 1), ".1f"),
            "warps at `__syncthreads`": (total(counts, "sync", "syncthreads").requests, ","),
            "warps at `__syncwarp`": (total(counts, "sync", "syncwarp").requests, ","),
            "shuffles by warps": (total(counts, "sync", "shuffle").requests, ","),
        }
    for n in (SMALL, LARGE):
        of_n = run(data.bench, key, n)
        found[f"**{power(n)}: ms**"] = of_n.ms, "#.4g"
        found[f"{power(n)}: GB/s"] = of_n.gb_per_s, ".0f"
    return found


def row(name, column):
    """The last cell says how many times less or more the figure is now."""
    cells = [figure(value, form) if value else figure(value, "") for value, form in column]
    old, new = column[0][0], column[-1][0]
    if len(column) == 2:
        cells.append("" if not old or not new or abs(new / old - 1) < 0.005 else
                     f"÷ {old / new:.3g}" if new < old else f"× {new / old:.3g}")
    return [name, *cells]


# ---- how to read the numbers ----

MULTIPROCESSORS = {"NVIDIA H200": 132}
THREADS = 2048  # resident on a multiprocessor at most: CUDA C++ Programming Guide, table of limits
# of a thread, at once; nvcc does not unroll grid-stride's loop
LOADS = {"grid-stride": 1, "01": 1, "02": 1, "03": 1, "04": 2, "05": 2, "06": 16, "07": 16}


def turnaround(data):
    """The bytes under way at most, over the bandwidth: how long each of them holds its place."""
    gpu, rows = data.bench.meta["gpu"], []
    if gpu not in MULTIPROCESSORS:
        raise BadData(data.bench.path, None, f"is of an {gpu}, whose number of multiprocessors is "
                                             "not in plots/tables_course.py")
    for key in ["grid-stride", *programs.steps()[1:]]:
        loads, gb_per_s = LOADS.get(key), run(data.bench, key, LARGE).gb_per_s
        megabytes = loads and MULTIPROCESSORS[gpu] * THREADS * loads * 4 / 1e6
        rows.append([label(key), figure(loads, ""), figure(megabytes, ".1f"),
                     figure(gb_per_s, ".0f"),
                     figure(ratio(megabytes and megabytes * 1e3, gb_per_s), ".1f")])
    return table("program | loads of a thread: | MB under way at most: | GB/s at 2^30: | "
                 "turnaround, µs:", rows, f"{TO_MEASURE}\nLoads: LOADS in plots/tables_course.py.")


def small_n(data):
    """Every size: the limit and how near the fastest programs come to it, in microseconds."""
    bench, rows = data.bench, []
    for n in bench_data.common_sizes(bench, "int", bench_data.RIVALS):
        limit = bench_data.limit_ms(bench, "int", n)
        times = [run(bench, key, n).ms for key in bench_data.RIVALS]
        rows.append([power(n), size(n), us(limit), f"{100 * bench.empty_ms / limit:.0f} %",
                     *map(us, times), f"{times[-1] / limit:.2f}"])
    return table("n | data: | limit, µs: | launch's part: | step 07, µs: | CUB, µs: | "
                 "single-pass, µs: | single-pass / limit:", rows)


def cub(data):
    """CUB's time over step 07's and over single-pass's, and their geometric means."""
    sizes, rows = bench_data.common_sizes(data.bench, "int", bench_data.RIVALS), []
    for key in ("07", "single-pass"):
        ratios = [bench_data.times_over(data.bench, "int", n, key, "cub") for n in sizes]
        rows.append([programs.get(key).name, *(f"{each:.2f}" for each in ratios),
                     f"{math.prod(ratios) ** (1 / len(ratios)):.3f}"])
    return table(f"CUB's time over that of | {' | '.join(power(n) + ':' for n in sizes)} | "
                 "geometric mean:", rows)

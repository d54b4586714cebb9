"""What `make bench` measured: loads its CSV, trusts nothing in it, and answers questions about it.

A program is named by its key, as in programs. Times are milliseconds, bandwidths GB/s (10^9 bytes
a second), sizes elements."""

import collections
import math

from tutorial import programs, shape_data, side_data
from tutorial.csv_input import (COUNT, SIZE, TIME, check, comment, matching, number, one_of,
                                read_table)
from tutorial.figures import ratio
from tutorial.files import BadData, shown

BYTES = {"int": 4, "float": 4, "double": 8}
COLUMNS = {
    "step": matching(r"(\d\d)?", "two digits, or nothing for a detour,"),
    "name": matching(".+", "a step's or a detour's"), "backend": one_of("cuda"), "device": str,
    "type": one_of(*BYTES), "block": SIZE, "n": COUNT, "reps": SIZE, "cache": one_of("cold"),
    "median_ms": TIME, "min_ms": TIME, "max_ms": TIME, "gb_per_s": number(),
    "pct_of_peak": number(), "result": number(least=-math.inf),
    "expected": number(least=-math.inf), "verified": one_of("yes")}
META = "gpu driver cuda date commit".split()
EMPTY = "empty-launch"
CUBS = ["cub", "cub-atomic", "cub-reproducible"]
BEST_CUB = programs.BEST_CUB  # a key that stands, at each n, for the fastest of them
PEERS = [BEST_CUB, "single-pass"]  # what the ladder is held against
RIVALS = ["07", *PEERS]

# meta: what stands in the comments. peak: theoretical GB/s, of all GPUs where there are several.
# runs: (key, type) -> {n: Run}.
# empty_ms: an empty launch between the events. shapes: what make bench-shapes left beside the file.
# multiprocessors: of the GPU, as make bench-in-flight left it there; None: it did not.
Bench = collections.namedtuple("Bench", "path meta peak runs empty_ms shapes multiprocessors")
Run = collections.namedtuple("Run", "n ms gb_per_s share")  # share of the peak, in percent


# ---- loading ----

def load(path):
    table = read_table(path, COLUMNS)
    meta = {key: comment(table, key) for key in META} | {
        key: text for key, (_, text) in table.comments.items()}
    peak = comment(table, "peak_gb_per_s", number(least=1))
    runs, empty_ms = collections.defaultdict(dict), None
    most = max(map(gpus_of, table.rows), default=1)
    for row in table.rows:
        values = row.values
        key, type, n = values["step"] or values["name"], values["type"], values["n"]
        check(table, row, (not values["device"].endswith(meta["gpu"]),
                           f"device is '{values['device']}', not the '{meta['gpu']}' of the line "
                           "'# gpu:'; one file has one device"))
        if key == EMPTY:
            empty_ms = values["median_ms"]
            continue
        run = run_of(n, values["median_ms"], type, peak * gpus_of(row) / most)
        check(table, row, (n < 1, f"n is '{n}'; an integer >= 1 would be right"),
              (n in runs[key, type], f"a second row of {key}, {type}, n = {n}; one would be right"),
              (run.share > 100, f"median_ms {run.ms:g} is {run.share:.1f} % of the peak: a cache "
                                "was measured, not the memory"),
              (not values["min_ms"] <= run.ms <= values["max_ms"], f"median_ms {run.ms:g} lies "
               f"outside min_ms {values['min_ms']:g} to max_ms {values['max_ms']:g}"),
              misfit("gb_per_s", values, run.gb_per_s), misfit("pct_of_peak", values, run.share),
              (values["result"] != values["expected"], f"verified is yes, but result is "
               f"{values['result']:.17g}, expected {values['expected']:.17g}"))
        runs[key, type][n] = run
    check(table, None, (empty_ms is None, f"ends without a row of {EMPTY}"))
    for type in BYTES:
        of_type = [run for key in CUBS for run in runs.get((key, type), {}).values()]
        if of_type:
            runs[BEST_CUB, type] = {run.n: min((other for other in of_type if other.n == run.n),
                                               key=lambda run: run.ms) for run in of_type}
    return Bench(path, meta, peak, dict(runs), empty_ms, shape_data.beside(path),
                 side_data.multiprocessors_beside(path))


def gpus_of(row):
    """How many: several of one kind are `2 x NVIDIA H200`."""
    count, times, _ = row.values["device"].partition(" x ")
    return int(count) if times and count.isdecimal() else 1


def run_of(n, ms, type, peak):
    gb_per_s = n * BYTES[type] / ms / 1e6
    return Run(n, ms, gb_per_s, 100 * gb_per_s / peak)


def misfit(column, values, computed):
    """For check: does it fit the row's time, to a percent, or to the last of three decimals?"""
    return (abs(values[column] - computed) > max(0.01 * computed, 0.0011),
            f"{column} {values[column]:g} does not fit the row's other figures, which give "
            f"{computed:.4g}")


def unmeasured(bench):
    """Keys of the programs that `make bench` measures, but that are not in this file."""
    known = {key for key, _ in bench.runs}
    return [key for key in programs.load()
            if key not in known and programs.measured_by(key) == "make bench"]


def lacks(bench, keys):
    """A line that says how to get the programs that are unmeasured."""
    return (f"{shown(bench.path)} lacks {', '.join(keys)}: make bench measures all, with PUBLISH=1 "
            "into plots/data")


# ---- questions (all pure) ----

def measured(bench, type):
    """Keys, in the file's order."""
    return [key for key, of_type in bench.runs if of_type == type and key != BEST_CUB]


def steps(bench, type):
    """Keys: step 00 and at least another."""
    keys = sorted(key for key in measured(bench, type) if key.isdecimal())
    if len(keys) < 2 or keys[0] != "00":
        found = ", ".join(f"{key} ({of_type})" for key, of_type in sorted(bench.runs))
        raise BadData(bench.path, None, f"has no ladder of type {type}, step 00 and others; "
                                        f"it has {found or 'no measurements'}")
    return keys


def ladder(bench, type):
    """Keys: the steps, and what they are held against."""
    return steps(bench, type) + [key for key in PEERS if (key, type) in bench.runs]


def runs(bench, type, key):
    """{n: Run} in the order of n."""
    if (key, type) not in bench.runs:
        raise BadData(bench.path, None, f"has no row of {key} ({type}): "
                                        f"{programs.measured_by(key)} measures it")
    return dict(sorted(bench.runs[key, type].items()))


def run(bench, type, key, n):
    """A Run; one without figures where nothing was measured."""
    return bench.runs.get((key, type), {}).get(n, Run(n, None, None, None))


def common_sizes(bench, type, keys):
    """The sizes that all of these were measured at, rising."""
    return sorted(set.intersection(*(set(runs(bench, type, key)) for key in keys)))


def largest_size(bench, type):
    """The largest n that all steps were measured at."""
    sizes = common_sizes(bench, type, steps(bench, type))
    if not sizes:
        raise BadData(bench.path, None, f"has no n at which every step was measured ({type})")
    return sizes[-1]


def best_cub(bench, type, n):
    """Key of the fastest of CUB's variants; None where none was measured."""
    return min((key for key in CUBS if run(bench, type, key, n).ms),
               key=lambda key: run(bench, type, key, n).ms, default=None)


def times_over(bench, type, n, key, base):
    """How many times as fast as base a program is at n; None where one was not measured."""
    return ratio(run(bench, type, base, n).ms, run(bench, type, key, n).ms)


def limit_ms(bench, type, n):
    """A model that no program here beats: a launch takes its time, then the bytes take theirs."""
    return bench.empty_ms + n * BYTES[type] / bench.peak / 1e6


def limit_gb_per_s(bench, type, n):
    return n * BYTES[type] / limit_ms(bench, type, n) / 1e6


def trips_ms(bench, type, n):
    """The same with the trips that nobody can do without; None where these were not measured."""
    least = shape_data.least_ms(bench.shapes, type, n * BYTES[type])
    return least and least + n * BYTES[type] / bench.peak / 1e6

"""What `make bench` measured: loads its CSV, and answers questions about it.

A program is named by its key, as in programs. Times are milliseconds, bandwidths GB/s (10^9 bytes
a second), sizes elements."""

import collections
import itertools

from plots.read import programs, side_data
from plots.read.csv_input import columns, cut, read_table
from plots.read.figures import ratio
from plots.read.files import BadData, shown

TYPES = "int", "float", "double"  # those of two bytes are a few programs' alone
BYTES = {"int": 4, "float": 4, "double": 8, "half": 2, "bfloat16": 2}
COLUMNS = columns(f"step name backend device type:{'|'.join(BYTES)} block n:int reps:size cache:cold "
                  "median_ms:ms min_ms:ms max_ms:ms gb_per_s:float pct_of_peak:float result:float "
                  "expected:float verified:yes")
META = "gpu driver cuda date commit".split()
EMPTY = "empty-launch"
CUBS = sorted(key for key in programs.detours() if key.startswith("cub"))
BEST_CUB = programs.BEST_CUB  # a key that stands, at each n, for the fastest of them
PEERS = [BEST_CUB, "single-pass"]  # what the ladder is held against
RIVALS = ["07", *PEERS]
ONE_BLOCK, ONE_CLUSTER = 2**16, 2**18  # bytes that are the most one can have in flight at once

# meta: what stands in the comments. peak: theoretical GB/s, of all GPUs where there are several; None
# where they did not tell.
# runs: (key, type) -> {n: Run}.
# empty_ms: an empty launch between the events. leasts, multiprocessors: as side_data.beside has them.
Bench = collections.namedtuple("Bench", "path meta peak runs empty_ms leasts multiprocessors")
# key: of the program, also of the fastest of CUB's; share: of the peak, in percent
Run = collections.namedtuple("Run", "key n ms gb_per_s share", defaults=[None] * 3)


# ---- loading ----

def load(path):
    table = read_table(path, COLUMNS)
    meta = {key: table.comment(key) for key in META} | table.comments
    peak = side_data.peak_of(table)
    runs, empty_ms = collections.defaultdict(dict), None
    for row in table:
        key, type, n = row["step"] or row["name"], row["type"], row["n"]
        table.check(row, row["device"].endswith(meta["gpu"]), f"device is '{cut(row['device'])}', not "
                    f"the '{meta['gpu']}' of the line '# gpu:'; one file has one device")
        if key == EMPTY:
            table.check(row, empty_ms is None, f"a second row of {EMPTY}; one would be right")
            empty_ms = row["median_ms"]
            continue
        table.check(row, n, "n is no number of elements")
        gb_per_s = n * BYTES[type] / row["median_ms"] / 1e6
        run = Run(key, n, row["median_ms"], gb_per_s, ratio(100 * gb_per_s, peak))
        table.check(row, n not in runs[key, type], f"a second row of {key}, {type}, n = {n}; one "
                    "would be right")
        table.check(row, (run.share or 0) <= 100, f"median_ms {run.ms:g} is {run.share or 0:.1f} % of the "
                    "peak: a cache was measured, not the memory")
        runs[key, type][n] = run
    table.check(None, empty_ms, f"ends without a row of {EMPTY}")
    for key, type in itertools.product(CUBS, BYTES):
        for n, run in runs.get((key, type), {}).items():
            best = runs[BEST_CUB, type].get(n, run)
            runs[BEST_CUB, type][n] = min(best, run, key=lambda run: run.ms)
    return Bench(path, meta, peak, dict(runs), empty_ms, *side_data.beside(path))


def lacking(bench, of=None):
    """A line that says how to get the programs that `make bench` measures, but that are not in this
    file; nothing if it has them all. of: their keys, where only some are of interest."""
    known = {key for key, _ in bench.runs}
    keys = [key for key, program in programs.load().items()
            if key not in known and (of is None or key in of) and program.has_harness
            and programs.measured_by(key) == "make bench"]
    return keys and (f"{shown(bench.path)} lacks {', '.join(keys)}: make bench measures all, with "
                     "PUBLISH=1 into plots/data")


# ---- questions (all pure) ----

def measured(bench, type):
    """Keys, in the file's order."""
    return [key for key, of_type in bench.runs if of_type == type and key != BEST_CUB]


def steps(bench, type):
    """Keys: step 00 and at least another."""
    keys = sorted(key for key in measured(bench, type) if key.isdecimal())
    if len(keys) < 2 or keys[0] != "00":
        raise BadData(bench.path, None, f"has no ladder of type {type}: step 00 and others")
    return keys


def ladder(bench, type):
    """Keys: the steps, and what they are held against."""
    return steps(bench, type) + [key for key in PEERS if (key, type) in bench.runs]


def runs(bench, type, key):
    """{n: Run} in the order of n."""
    if (key, type) not in bench.runs:
        raise BadData(bench.path, None, f"has no row of {key} ({type}); want a program and a type that "
                                        f"{programs.measured_by(key)} has measured")
    return dict(sorted(bench.runs[key, type].items()))


def run(bench, type, key, n):
    """A Run; one without figures where nothing was measured."""
    return bench.runs.get((key, type), {}).get(n, Run(None, n))


def common_sizes(bench, type, keys):
    """The sizes that all of these were measured at, rising."""
    return sorted(set.intersection(*(set(runs(bench, type, key)) for key in keys)))


def largest_size(bench, type):
    """The largest n that all steps were measured at."""
    sizes = common_sizes(bench, type, steps(bench, type))
    if not sizes:
        raise BadData(bench.path, None, f"has no n at which every step was measured ({type})")
    return sizes[-1]


def two_sizes(bench, type):
    """Those that are shown of a step: the largest up to 2^24, and the largest of all."""
    sizes = common_sizes(bench, type, steps(bench, type))
    return sorted({*[n for n in sizes if n <= 2**24][-1:], largest_size(bench, type)})


def times_over(bench, type, n, key, base):
    """How many times as fast as base a program is at n; None where one was not measured."""
    return ratio(run(bench, type, base, n).ms, run(bench, type, key, n).ms)


def bytes_ms(bench, type, n):
    """How long the memory needs for them at its peak; 0 where that is not known."""
    return n * BYTES[type] / bench.peak / 1e6 if bench.peak else 0


def limit_ms(bench, type, n):
    """A model that no program here beats: a launch takes its time, then the bytes take theirs."""
    return bench.empty_ms + bytes_ms(bench, type, n)


def trips_ms(bench, type, n):
    """The same with the trips that nobody can do without: one to memory, and where one block cannot
    do it one between blocks. None where these were not measured."""
    size = n * BYTES[type]
    way = "trip" if size <= ONE_BLOCK else "barrier" if size <= ONE_CLUSTER else "atomic"
    least = bench.leasts.get((type, way))
    return least and least + bytes_ms(bench, type, n)

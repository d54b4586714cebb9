"""What `make bench` measured: loads its CSV, trusts nothing in it, and answers questions about it.

A Bench holds one Run per (program, type, n). A program is named by its key: two digits for a step,
the folder's name for a detour. Times are milliseconds, bandwidths GB/s (10^9), sizes elements."""

import collections
import glob
import os

from csv_input import BadData, number, one_of, read_lines, comments, read_table

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(ROOT, "plots", "data")

COLUMNS = ("step name backend device type block n reps cache median_ms min_ms max_ms gb_per_s "
           "pct_of_peak result expected verified").split()
META = "gpu driver cuda date commit peak_gb_per_s method".split()
EMPTY = "empty-launch"
BYTES = {"int": 4, "float": 4, "double": 8}
TYPES = tuple(BYTES)

# peak: theoretical GB/s. runs: (key, type) -> {n: Run}. names: key -> folder's name without the
# number. empty_ms: an empty launch between the events.
Bench = collections.namedtuple("Bench", "path meta peak runs names empty_ms")
Run = collections.namedtuple("Run", "n ms gb_per_s share block")  # share of the peak, in percent


# ---- choosing a file ----

def default_path(folder=DATA):
    """The one bench file of plots/data; which of several is for the user to say."""
    found = [path for path in sorted(glob.glob(os.path.join(folder, "*.csv")))
             if "gpu" in comments(read_lines(path))[0]]
    if len(found) == 1:
        return found[0]
    names = ", ".join(os.path.basename(path) for path in found)
    raise BadData(folder, None,
                  f"several bench files, {names}: choose one with --data FILE" if found else
                  "no bench file (a CSV with a line '# gpu: NAME'); make one with 'make bench' "
                  "on a GPU, or name one with --data FILE")


# ---- loading ----

def load(path):
    table = read_table(path, COLUMNS)
    peak = checked_meta(table)
    runs, names, empty_ms = {}, {}, None
    for row in table.rows:
        check_row(table, row)
        if row.values["name"] == EMPTY:
            empty_ms = number(path, row, "median_ms", least=1e-6)
            continue
        key = row.values["step"] or row.values["name"]
        of_program = runs.setdefault((key, row.values["type"]), {})
        run = checked_run(path, row, peak)
        if run.n in of_program:
            raise BadData(path, row.line, f"a second row of {key}, {row.values['type']}, "
                                          f"n = {run.n}; one would be right")
        of_program[run.n] = run
        names[key] = row.values["name"]
    check_whole(table, names, empty_ms)
    return Bench(path, table.meta, peak, runs, names, empty_ms)


def checked_meta(table):
    """The peak; every key must be there."""
    for key in META:
        if not table.meta.get(key):
            raise BadData(table.path, 1, f"no line '# {key}: …' in front of the header")
    try:
        peak = float(table.meta["peak_gb_per_s"])
        assert peak > 0
    except (ValueError, AssertionError):
        line = 1 + next(i for i, text in enumerate(read_lines(table.path))
                        if text.startswith("#") and "peak_gb_per_s" in text)
        raise BadData(table.path, line, f"peak_gb_per_s is '{table.meta['peak_gb_per_s']}'; "
                                        "a number > 0 would be right") from None
    return peak


def check_row(table, row):
    """What must hold in every row, whatever was measured."""
    path, gpu = table.path, table.meta["gpu"]
    if row.values["device"] != gpu:
        raise BadData(path, row.line, f"device is '{row.values['device']}', not the '{gpu}' of "
                                      "'# gpu:'; one file has one device")
    one_of(path, row, "backend", ["cuda"])
    if not row.values["name"]:
        raise BadData(path, row.line, "name is empty; a step's or a detour's would be right")
    step = row.values["step"]
    if step and not (len(step) == 2 and step.isdecimal()):
        raise BadData(path, row.line, f"step is '{step}'; two digits, or nothing for a detour, "
                                      "would be right")


def checked_run(path, row, peak):
    """One measurement, whose figures must fit each other."""
    one_of(path, row, "type", TYPES)
    one_of(path, row, "cache", ["cold"])
    one_of(path, row, "verified", ["yes"])
    n = number(path, row, "n", int, 1)
    number(path, row, "reps", int, 1)
    low, ms, high = (number(path, row, column, least=1e-6)
                     for column in ("min_ms", "median_ms", "max_ms"))
    if not low <= ms <= high:
        raise BadData(path, row.line, f"median_ms {ms:g} lies outside min_ms {low:g} to "
                                      f"max_ms {high:g}")
    gb_per_s, share = number(path, row, "gb_per_s"), number(path, row, "pct_of_peak")
    check_fits(path, row, "gb_per_s", gb_per_s, n * BYTES[row.values["type"]] / ms / 1e6)
    check_fits(path, row, "pct_of_peak", share, 100 * gb_per_s / peak)
    return Run(n, ms, gb_per_s, share, row.values["block"])


def check_fits(path, row, column, told, computed):
    """To a percent, or to the last of three decimals."""
    if abs(told - computed) > max(0.01 * computed, 0.0011):
        raise BadData(path, row.line, f"{column} {told:g} does not fit the row's other figures, "
                                      f"which give {computed:.4g}")


def check_whole(table, names, empty_ms):
    """What a file must have to be drawn at all."""
    steps = sorted(key for key in names if key.isdecimal())
    if "00" not in steps or len(steps) < 2:
        raise BadData(table.path, table.last_line,
                      f"ends with {'steps ' + ', '.join(steps) if steps else 'no steps'}; "
                      "step 00 and another would be needed")
    if empty_ms is None:
        raise BadData(table.path, table.last_line, f"ends without a row of {EMPTY}")


# ---- questions (all pure) ----

def default_type(bench):
    """int, or the first type that step 00 was measured with."""
    return next((type for type in TYPES if ("00", type) in bench.runs), TYPES[0])


def check_type(bench, type):
    if len(steps(bench, type)) < 2 or "00" not in steps(bench, type):
        measured = sorted({of_type for _, of_type in bench.runs})
        raise BadData(bench.path, None, f"holds no ladder of type {type}; "
                                        f"it has rows of {', '.join(measured)}")


def programs(bench, type):
    """Keys: the steps in order, cub, then other detours by name."""
    keys = [key for key, of_type in bench.runs if of_type == type]
    return sorted(keys, key=lambda key: (not key.isdecimal(), key != "cub", key))


def steps(bench, type):
    return [key for key in programs(bench, type) if key.isdecimal()]


def runs(bench, type, key):
    """{n: Run} in the order of n; empty if it was not measured."""
    return dict(sorted(bench.runs.get((key, type), {}).items()))


def common_sizes(bench, type, keys):
    """The sizes that all of these were measured at, rising."""
    return sorted(set.intersection(*(set(runs(bench, type, key)) for key in keys)))


def largest_size(bench, type):
    """The largest n of all steps."""
    sizes = common_sizes(bench, type, steps(bench, type))
    if not sizes:
        raise BadData(bench.path, None, f"no n at which every step was measured ({type})")
    return sizes[-1]


def times_over(bench, type, n, key, base):
    """How many times as fast as base a program is at n."""
    return runs(bench, type, base)[n].ms / runs(bench, type, key)[n].ms


def limit_gb_per_s(bench, type, n):
    """What no program can exceed: the launch takes its time, and the bytes take theirs."""
    size = n * BYTES[type]
    return size / (bench.empty_ms * 1e6 + size / bench.peak)


def label(bench, key):
    """As a reader knows it: `03 sequential-addressing`, CUB, single-pass."""
    return "CUB" if key == "cub" else f"{key} {bench.names[key]}" if key.isdecimal() else key

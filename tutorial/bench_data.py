"""What `make bench` measured: loads its CSV, trusts nothing in it, and answers questions about it.

A program is named by its key: two digits for a step, the folder's name for a detour. Times are
milliseconds, bandwidths GB/s (10^9 bytes a second), sizes elements."""

import collections
import re

from tutorial.csv_input import BadData, comment, number, one_of, read_table

COLUMNS = ("step name backend device type block n reps cache median_ms min_ms max_ms gb_per_s "
           "pct_of_peak result expected verified").split()
META = "gpu driver cuda date commit".split()
EMPTY = "empty-launch"
BYTES = {"int": 4, "float": 4, "double": 8}
PEERS = ["cub", "single-pass"]  # the detours that the ladder is held against
RIVALS = ["07", *PEERS]

# meta: what stands in the comments. peak: theoretical GB/s. runs: (key, type) -> {n: Run}.
# names: key -> folder's name without the number. empty_ms: an empty launch between the events.
Bench = collections.namedtuple("Bench", "path meta peak runs names empty_ms")
Run = collections.namedtuple("Run", "n ms gb_per_s share")  # share of the peak, in percent


# ---- loading ----

def load(path):
    table = read_table(path, COLUMNS)
    meta = {key: comment(table, key).values[key] for key in META}
    # older files do not say these
    meta |= {key: comment(table, key).values[key] for key in ("l2", "processes")
             if key in table.comments}
    peak = number(path, comment(table, "peak_gb_per_s"), "peak_gb_per_s", least=1)
    runs, names, empty_ms = {}, {}, None
    for row in table.rows:
        check_identity(path, row, meta["gpu"])
        if row.values["name"] == EMPTY:
            empty_ms = number(path, row, "median_ms", least=1e-6)
            continue
        key, run = row.values["step"] or row.values["name"], checked_run(path, row, peak)
        of_program = runs.setdefault((key, row.values["type"]), {})
        if run.n in of_program:
            raise BadData(path, row.line, f"a second row of {key}, {row.values['type']}, "
                                          f"n = {run.n}; one would be right")
        of_program[run.n] = run
        names[key] = row.values["name"]
    if empty_ms is None:
        raise BadData(path, table.last_line, f"ends without a row of {EMPTY}")
    return Bench(path, meta, peak, runs, names, empty_ms)


def check_identity(path, row, gpu):
    """Which program it was, and on which device; several of one kind are `2 x NVIDIA H200`."""
    if re.sub(r"^\d+ x ", "", row.values["device"]) != gpu:
        raise BadData(path, row.line, f"device is '{row.values['device']}', not the '{gpu}' of "
                                      "the line '# gpu:'; one file has one device")
    one_of(path, row, "backend", ["cuda"])
    if not row.values["name"]:
        raise BadData(path, row.line, "name is empty; a step's or a detour's would be right")
    step = row.values["step"]
    if step and not (len(step) == 2 and step.isdecimal()):
        raise BadData(path, row.line, f"step is '{step}'; two digits, or nothing for a detour, "
                                      "would be right")


def checked_run(path, row, peak):
    """One measurement, whose figures must fit each other."""
    type = one_of(path, row, "type", BYTES)
    one_of(path, row, "cache", ["cold"])
    one_of(path, row, "verified", ["yes"])
    n = number(path, row, "n", int, 1)
    low, ms, high = (number(path, row, column, least=1e-6)
                     for column in ("min_ms", "median_ms", "max_ms"))
    if not low <= ms <= high:
        raise BadData(path, row.line, f"median_ms {ms:g} lies outside min_ms {low:g} to "
                                      f"max_ms {high:g}")
    gb_per_s, share = number(path, row, "gb_per_s"), number(path, row, "pct_of_peak")
    check_fits(path, row, "gb_per_s", gb_per_s, n * BYTES[type] / ms / 1e6)
    check_fits(path, row, "pct_of_peak", share, 100 * gb_per_s / peak)
    if share > 100:
        raise BadData(path, row.line, f"pct_of_peak is {share:g}: a cache was measured, not the memory")
    return Run(n, ms, gb_per_s, share)


def check_fits(path, row, column, told, computed):
    """To a percent, or to the last of three decimals."""
    if abs(told - computed) > max(0.01 * computed, 0.0011):
        raise BadData(path, row.line, f"{column} {told:g} does not fit the row's other figures, "
                                      f"which give {computed:.4g}")


# ---- questions (all pure) ----

def programs(bench, type):
    """Keys: the steps in order, cub, then the other detours by name."""
    keys = [key for key, of_type in bench.runs if of_type == type]
    return sorted(keys, key=lambda key: (not key.isdecimal(), key != "cub", key))


def steps(bench, type):
    """Keys: step 00 and at least another."""
    keys = [key for key in programs(bench, type) if key.isdecimal()]
    if len(keys) < 2 or keys[0] != "00":
        measured = ", ".join(f"{key} ({of_type})" for key, of_type in sorted(bench.runs))
        raise BadData(bench.path, None, f"holds no ladder of type {type}, step 00 and others; "
                                        f"it has {measured or 'no measurements'}")
    return keys


def ladder(bench, type):
    """Keys: the steps, and what they are held against."""
    return steps(bench, type) + [key for key in PEERS if (key, type) in bench.runs]


def runs(bench, type, key):
    """{n: Run} in the order of n."""
    if (key, type) not in bench.runs:
        raise BadData(bench.path, None, f"has no row of {key} ({type})")
    return dict(sorted(bench.runs[key, type].items()))


def run(bench, type, key, n):
    if n not in bench.runs.get((key, type), {}):
        raise BadData(bench.path, None, f"has no row of {key} at n = {n} ({type})")
    return bench.runs[key, type][n]


def common_sizes(bench, type, keys):
    """The sizes that all of these were measured at, rising."""
    return sorted(set.intersection(*(set(runs(bench, type, key)) for key in keys)))


def largest_size(bench, type):
    """The largest n that all steps were measured at."""
    sizes = common_sizes(bench, type, steps(bench, type))
    if not sizes:
        raise BadData(bench.path, None, f"has no n at which every step was measured ({type})")
    return sizes[-1]


def times_over(bench, type, n, key, base):
    """How many times as fast as base a program is at n."""
    return run(bench, type, base, n).ms / run(bench, type, key, n).ms


def limit_ms(bench, type, n):
    """What no program can beat: the launch takes its time, and the bytes take theirs."""
    return bench.empty_ms + n * BYTES[type] / bench.peak / 1e6


def limit_gb_per_s(bench, type, n):
    return n * BYTES[type] / limit_ms(bench, type, n) / 1e6


def label(bench, key):
    """As a reader knows it: `03 sequential-addressing`, CUB, single-pass."""
    return "CUB" if key == "cub" else f"{key} {bench.names[key]}" if key.isdecimal() else key

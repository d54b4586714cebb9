"""What the smaller benches measured: loads the CSVs of bench-trust, bench-tuning, bench-ideas,
bench-in-flight and of Nsight Compute. Programs are named by their keys."""

import collections
import math
import os
import statistics
import subprocess

from tutorial import files, programs
from tutorial.csv_input import SIZE, TIME, comment, number, one_of, optional, read_table
from tutorial.files import BadData

TRUST_COLUMNS = {"step": str, "name": str, "n": SIZE, "cache": one_of("cold", "hot"),
                 "median_ms": TIME, "verified": one_of("yes")}
ERROR_COLUMNS = {"name": str, "input": one_of("uniform", "signed"), "n": SIZE,
                 "expected": number(least=-math.inf), "error": number(), "loop_error": number()}
TUNING_COLUMNS = {"name": str, "changed": str, "n": SIZE, "median_ms": TIME}
NSIGHT_COLUMNS = {"step": str, "name": str, "type": str, "block": str, "n": str, "metric": str,
                  "value": number()}
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
VERDICT = one_of("found", "-", "timeout", "hangs")  # hangs: known to, and not run
VERDICT_COLUMNS = {"name": str, "expect": str} | {tool: VERDICT for tool in TOOLS}
ROOT_COLUMNS = {name: str for name in ("suite", "g++", "glibc", "python", "seconds", "result")}
IN_FLIGHT_COLUMNS = {"name": str, "loads": optional(SIZE), "blocks": SIZE, "threads": SIZE,
                     "multiprocessors": SIZE, "n": SIZE, "median_ms": TIME, "gb_per_s": number()}
SMALL = 2**20  # up to this n bench-trust runs each program in several processes


class Measured(dict):
    """{(program, …): [values, one a row]}; what is asked for and is not there is a BadData."""

    def __init__(self, path, columns, *names, header=None):
        """names: the columns of the key behind the program, and that of the value."""
        self.path = path
        for values in (row.values for row in read_table(path, columns, header=header).rows):
            *key, value = (values[name] for name in names)
            self.setdefault((values.get("step") or values["name"], *key), []).append(value)

    def __missing__(self, key):
        raise BadData(self.path, None, f"has no row of {' '.join(map(str, key))}")


def load_trust(path):
    """{(key, n, cache): [milliseconds, one a process]}; cache is cold or hot."""
    return Measured(path, TRUST_COLUMNS, "n", "cache", "median_ms")


def load_errors(path):
    """{(n, input): {name, or `loop`: how far its sum is from the exact one, over that}}"""
    errors = collections.defaultdict(dict)
    for row in read_table(path, ERROR_COLUMNS).rows:
        values, exact = row.values, abs(row.values["expected"])
        errors[values["n"], values["input"]].update({
            "loop": values["loop_error"] / exact, values["name"]: values["error"] / exact})
    return dict(errors)


def load_tuning(path):
    """{(program, what was changed, n): [milliseconds, one a round]}, in the file's order; what was
    changed is `nothing` of the program as it is."""
    return Measured(path, TUNING_COLUMNS, "changed", "n", "median_ms")


# times: as load_tuning's, or none; clock_mhz: of the multiprocessors under load, or None
Ideas = collections.namedtuple("Ideas", "times clock_mhz")


def load_ideas(path):
    """What bench-ideas measured; Ideas without figures where there is no such file yet."""
    if not os.path.exists(path):
        return Ideas({}, None)
    clock = comment(read_table(path, TUNING_COLUMNS), "clock_mhz", number(least=1))
    return Ideas(load_tuning(path), clock)


def idea_ms(ideas, *variant):
    """The median at (program, what was changed, n); None where it was not measured."""
    return statistics.median(ideas.times[variant]) if variant in ideas.times else None


def load_nsight(path):
    """{(key, metric): [value]}, of rows as bench/nsight.py prints them, without a header."""
    return Measured(path, NSIGHT_COLUMNS, "metric", "value", header=[*NSIGHT_COLUMNS])


def load_verdicts(path):
    """What compute-sanitizer said of the planted bugs, as simt/tests/sanitizer.sh prints it: a row a
    case, {column: value}. What a correct one is expected to show is `nothing`."""
    return [row.values for row in read_table(path, VERDICT_COLUMNS).rows]


def load_cases(script):
    """All planted bugs and correct programs there are: {name: what is to be told}, of what
    `simt/tests/sanitizer.sh --list` prints."""
    try:
        listed = subprocess.run([script, "--list"], stdout=subprocess.PIPE, text=True).stdout
    except OSError as error:
        raise BadData(script, None, f"cannot be run: {error.strerror}") from None
    rows = read_table(script, {"name": str, "expect": str}, text=listed).rows
    return {row.values["name"]: row.values["expect"] for row in rows}


def load_roots(path):
    """What `make test-roots` found: its comments and a row a suite, {column: text}."""
    read = read_table(path, ROOT_COLUMNS)
    return ({key: text for key, (_, text) in read.comments.items()},
            [row.values for row in read.rows])


# ---- bytes in flight ----

# meta: the file's comments; peak: GB/s of the memory; rows: [Reads]
InFlight = collections.namedtuple("InFlight", "meta peak rows")


class Reads(collections.namedtuple("Reads", "name loads blocks threads multiprocessors gb_per_s")):
    """What was read per second. name: reader, or a step; loads: per thread, before the first answer
    is needed; blocks: per multiprocessor; threads: per block."""

    @property
    def megabytes(self):
        """In flight at most."""
        return self.loads * 4 * self.threads * self.blocks * self.multiprocessors / 1e6


def multiprocessors_beside(path):
    """Of the GPU that a file of make bench is of: from what make bench-in-flight left beside it."""
    beside = files.beside(path, "in-flight")
    return load_in_flight(beside).rows[0].multiprocessors if os.path.exists(beside) else None


def load_in_flight(path):
    """A step's loads are those that its header tells; without them the step is left out."""
    read = read_table(path, IN_FLIGHT_COLUMNS)
    found = []
    for row in read.rows:
        key = row.values["name"]
        loads = row.values["loads"] or key in programs.load() and programs.get(key).loads_in_flight
        if loads:
            found.append(Reads(**{name: row.values[name] for name in Reads._fields if name != "loads"},
                               loads=loads))
    meta = {key: text for key, (_, text) in read.comments.items()}
    return InFlight(meta, comment(read, "peak_gb_per_s", number(least=1)), found)

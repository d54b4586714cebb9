"""What the smaller benches measured: loads the CSVs of bench-trust, bench-tuning, bench-ideas,
bench-shapes, bench-in-flight and of Nsight Compute. Programs are named by their keys."""

import collections
import os
import statistics
import subprocess

from tutorial import files, programs
from tutorial.csv_input import columns, read_table
from tutorial.files import BadData

TUNING = columns("name changed n:int median_ms:float")
NSIGHT = columns("step name type block n metric value:float")
IN_FLIGHT = columns("name loads:int blocks:int threads:int multiprocessors:int gb_per_s:float")
SHAPES = columns("type n:int way blocks:int threads:int loads:int median_ms:float")
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
LEASTS = ("launch", "trip", "atomic", "barrier")
SMALL = 2**20  # up to this n bench-trust runs each program in several processes
ONE_BLOCK, ONE_CLUSTER = 2**16, 2**18  # bytes that are the most one can have in flight at once


class Measured(dict):
    """{(program, …): [values, one a row]}; what is asked for and is not there is a BadData."""

    def __init__(self, table, *names):
        """names: the columns of the key behind the program, and that of the value."""
        self.path = table.path
        for row in table:
            *key, value = (row[name] for name in names)
            self.setdefault((row.get("step") or row["name"], *key), []).append(value)

    def __missing__(self, key):
        raise BadData(self.path, None, f"has no row of {' '.join(map(str, key))}")


def load_trust(path):
    """{(key, n, cache): [milliseconds, one a process]}; cache is cold or hot."""
    table = read_table(path, columns("step name n:int cache median_ms:float verified"))
    table.want("cache", "cold", "hot")
    table.want("verified", "yes")
    return Measured(table, "n", "cache", "median_ms")


def load_errors(path):
    """{(n, input): {name, or `loop`: how far its sum is from the exact one, over that}}"""
    errors = collections.defaultdict(dict)
    for row in read_table(
            path, columns("name input n:int expected:float error:float loop_error:float")):
        exact = abs(row["expected"])
        errors[row["n"], row["input"]].update({
            "loop": row["loop_error"] / exact, row["name"]: row["error"] / exact})
    return dict(errors)


def load_tuning(path):
    """{(program, what was changed, n): [milliseconds, one a round]}, in the file's order; what was
    changed is `nothing` of the program as it is."""
    return Measured(read_table(path, TUNING), "changed", "n", "median_ms")


# times: as load_tuning's; clock_mhz: of the multiprocessors under load
Ideas = collections.namedtuple("Ideas", "times clock_mhz")


def load_ideas(path):
    return Ideas(load_tuning(path), read_table(path, TUNING).comment("clock_mhz", "float"))


def idea_ms(ideas, *variant):
    """The median at (program, what was changed, n); None where it was not measured."""
    return statistics.median(ideas.times[variant]) if variant in ideas.times else None


def load_nsight(path):
    """{(key, metric): [value]}, of rows as bench/nsight.py prints them, without a header."""
    return Measured(read_table(path, NSIGHT, header=[*NSIGHT]), "metric", "value")


def load_verdicts(path):
    """What compute-sanitizer said of the planted bugs, as simt/tests/sanitizer.sh prints it: a row
    a case. What a correct one is expected to show is `nothing`."""
    return read_table(path, columns(f"name expect {' '.join(TOOLS)}"))


def load_cases(script):
    """All planted bugs and correct programs there are: {name: what is to be told}, of what
    `simt/tests/sanitizer.sh --list` prints."""
    try:
        listed = subprocess.run([script, "--list"], stdout=subprocess.PIPE, text=True).stdout
    except OSError as error:
        raise BadData(script, None, f"cannot be run: {error.strerror}") from None
    return {row["name"]: row["expect"]
            for row in read_table(script, columns("name expect"), listed)}


def load_roots(path):
    """What `make test-roots` found: a row a suite."""
    return read_table(path, columns("suite g++ glibc python seconds result"))


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


def load_in_flight(path):
    """A step's loads are those that its header tells; without them the step is left out."""
    table, found = read_table(path, IN_FLIGHT), []
    for row in table:
        row["loads"] = row["loads"] or (row["name"] in programs.load() and
                                        programs.get(row["name"]).loads_in_flight)
        if row["loads"]:
            found.append(Reads(*map(row.get, Reads._fields)))
    return InFlight(table.comments, table.comment("peak_gb_per_s", "float"), found)


def multiprocessors_beside(path):
    """Of the GPU that a file of make bench is of: from what make bench-in-flight left beside it."""
    beside = files.beside(path, "in-flight")
    return load_in_flight(beside).rows[0].multiprocessors if os.path.exists(beside) else None


# ---- the shapes of single-pass ----

# shapes: {(type, n): {Shape: ms}}; leasts: {(type, way): ms}, of the smallest such launch
Shapes = collections.namedtuple("Shapes", "shapes leasts")
Shape = collections.namedtuple("Shape", "way blocks threads loads")


def shapes_beside(path):
    """What make bench-shapes left beside a file of make bench; empty where there is none."""
    path = files.beside(path, "shapes")
    return load_shapes(path) if os.path.exists(path) else Shapes({}, {})


def load_shapes(path):
    shapes, leasts = collections.defaultdict(dict), {}
    for row in read_table(path, SHAPES):
        if row["way"] in LEASTS:
            leasts.setdefault((row["type"], row["way"]), row["median_ms"])
        else:
            shape = Shape(*map(row.get, Shape._fields))
            shapes[row["type"], row["n"]][shape] = row["median_ms"]
    return Shapes(dict(shapes), leasts)


def least_ms(shapes, type, size):
    """A launch with the trips without which nobody has a sum of so many bytes: one to memory, and
    where one block cannot do it one between blocks. None where that was not measured."""
    way = "trip" if size <= ONE_BLOCK else "barrier" if size <= ONE_CLUSTER else "atomic"
    return shapes.leasts.get((type, way))

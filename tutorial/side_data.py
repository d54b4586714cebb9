"""What the smaller benches measured: loads the CSVs of bench-trust, bench-tuning, bench-ideas,
bench-shapes, bench-in-flight and of Nsight Compute. Programs are named by their keys."""

import collections
import os
import statistics
import subprocess

from tutorial import files, programs
from tutorial.csv_input import columns, read_table
from tutorial.files import BadData

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
LEASTS = ("launch", "trip", "atomic", "barrier")
SMALL = 2**20  # up to this n bench-trust runs each program in several processes
ONE_BLOCK, ONE_CLUSTER = 2**16, 2**18  # bytes that are the most one can have in flight at once


class Measured(dict):
    """{(program, …): [values, one a row]}, in the file's order; what is asked for and is not there
    is a BadData. table: the file's rows."""

    def __init__(self, path, format, names, header=None):
        """names: the columns of the key behind the program, and that of the value."""
        self.table = read_table(path, columns(format), header=header)
        for row in self.table:
            *key, value = (row[name] for name in names.split())
            self.setdefault((row.get("step") or row["name"], *key), []).append(value)

    def __missing__(self, key):
        raise BadData(self.table.path, None, f"has no row of {' '.join(map(str, key))}")

    def median(self, *key):
        """None where it was not measured."""
        return statistics.median(self[key]) if key in self else None


def load_trust(path):
    """{(key, n, cache): [milliseconds, one a process]}; cache is cold or hot."""
    return Measured(path, "step name n:int cache:cold|hot median_ms:float verified:yes",
                    "n cache median_ms")


def load_tuning(path):
    """Of bench-tuning or bench-ideas: {(program, what was changed, n): [milliseconds, one a
    round]}; what was changed is `nothing` of the program as it is."""
    return Measured(path, "name changed n:int median_ms:float", "changed n median_ms")


def load_nsight(path):
    """{(key, metric): [value]}, of rows as bench/nsight.py prints them, without a header."""
    format = "step name type block n metric value:float"
    return Measured(path, format, "metric value", header=[*columns(format)])


def load_errors(path):
    """{(n, input): {name, or `loop`: how far its sum is from the exact one, over that}}"""
    errors = collections.defaultdict(dict)
    for row in read_table(
            path, columns("name input n:int expected:float error:float loop_error:float")):
        exact = abs(row["expected"])
        errors[row["n"], row["input"]].update({
            "loop": row["loop_error"] / exact, row["name"]: row["error"] / exact})
    return errors


def load_verdicts(path):
    """What compute-sanitizer said of the planted bugs, as simt/tests/sanitizer.sh prints it: a row
    a case. What a correct one is expected to show is `nothing`."""
    return read_table(path, columns(f"name expect {' '.join(TOOLS)}"))


def load_cases(script):
    """All planted bugs and correct programs there are: {name: what is to be told}, of what
    `simt/tests/sanitizer.sh --list` prints."""
    listed = subprocess.run([script, "--list"], stdout=subprocess.PIPE, text=True).stdout
    return {row["name"]: row["expect"]
            for row in read_table(script, columns("name expect"), listed)}


def load_roots(path):
    """What `make test-roots` found: a row a suite."""
    return read_table(path, columns("suite g++ glibc python seconds result"))


# ---- bytes in flight ----

# What was read per second. name: reader, or a step; loads: per thread, before the first answer is
# needed; blocks: per multiprocessor; threads: per block; megabytes: in flight at most.
Reads = collections.namedtuple(
    "Reads", "name loads blocks threads multiprocessors gb_per_s megabytes")
# meta: the file's comments; peak: GB/s of the memory; rows: [Reads]
InFlight = collections.namedtuple("InFlight", "meta peak rows")


def load_in_flight(path):
    """A step's loads are those that its header tells; without them the step is left out."""
    table, rows = read_table(path, columns("name loads:int blocks:int threads:int "
                                           "multiprocessors:int gb_per_s:float")), []
    for row in table:
        if row["name"] in programs.load():
            row["loads"] = programs.get(row["name"]).loads_in_flight
        if row["loads"]:
            bytes = 4 * row["loads"] * row["threads"] * row["blocks"] * row["multiprocessors"]
            rows.append(Reads(**row, megabytes=bytes / 1e6))
    return InFlight(table.comments, table.comment("peak_gb_per_s", "float"), rows)


# ---- the shapes of single-pass ----

# shapes: {(type, n): {Shape: ms}}; leasts: {(type, way): ms}, of the smallest such launch
Shapes = collections.namedtuple("Shapes", "shapes leasts")
Shape = collections.namedtuple("Shape", "way blocks threads loads")


def load_shapes(path):
    found = Shapes(collections.defaultdict(dict), {})
    for row in read_table(path, columns("type n:int way blocks:int threads:int loads:int "
                                        "median_ms:float")):
        if row["way"] in LEASTS:
            found.leasts.setdefault((row["type"], row["way"]), row["median_ms"])
        else:
            shape = Shape(*map(row.get, Shape._fields))
            found.shapes[row["type"], row["n"]][shape] = row["median_ms"]
    return found


def beside(path):
    """The Shapes that make bench-shapes left beside a file of make bench, and the multiprocessors
    of its GPU, as make bench-in-flight left them; empty and None where they did not."""
    shapes, reads = (files.beside(path, name) for name in ("shapes", "in-flight"))
    return (load_shapes(shapes) if os.path.exists(shapes) else Shapes({}, {}),
            load_in_flight(reads).rows[0].multiprocessors if os.path.exists(reads) else None)


def least_ms(shapes, type, size):
    """A launch with the trips without which nobody has a sum of so many bytes: one to memory, and
    where one block cannot do it one between blocks. None where that was not measured."""
    way = "trip" if size <= ONE_BLOCK else "barrier" if size <= ONE_CLUSTER else "atomic"
    return shapes.leasts.get((type, way))

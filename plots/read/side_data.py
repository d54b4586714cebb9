"""What the smaller benches measured: loads the CSVs of bench-trust, bench-tuning, bench-ideas,
bench-shapes, bench-in-flight and of Nsight Compute. Programs are named by their keys."""

import collections
import functools
import os
import re
import statistics
import types

from plots.read import files, programs
from plots.read.csv_input import columns, read_table

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
LEASTS = {"launch": "a launch", "trip": "and one trip to memory, of one warp",
          "barrier": "and a barrier, of a cluster of 8 warps",
          "atomic": "and an atomic and its answer, of a warp on every multiprocessor"}
SMALL = 2**20  # up to this n bench-trust runs each program in several processes


class Measured(dict):
    """{(program, …): [values, one a row]}, in the file's order. table: the file's rows."""

    def __init__(self, path, format, names):
        """names: the columns of the key behind the program, and that of the value."""
        self.table = read_table(path, columns(format))
        for row in self.table:
            *key, value = (row[name] for name in names.split())
            self.setdefault((row.get("step") or row["name"], *key), []).append(value)

    def median(self, *key):
        """None where it was not measured."""
        return statistics.median(self[key]) if key in self else None


# (program, n, cache): [milliseconds, one a process]
load_trust = functools.partial(Measured, names="n cache median_ms", format=(
    "step name n:int cache:cold|hot median_ms:ms verified:yes"))
# Of bench-tuning or bench-ideas, (program, what was changed, n): [milliseconds, one a round]; what
# was changed is `nothing` of the program as it is
load_tuning = functools.partial(Measured, names="changed n median_ms",
                                format="name changed n:int median_ms:ms")
# How far sums of floats, and that of a plain loop, are from the exact one: a row a sum
load_errors = functools.partial(read_table, format=columns(
    "name input n:int expected:float error:float loop_error:float"))
# Of bench-stalls, (step, n, what): [value]
load_stalls = functools.partial(Measured, names="n metric value",
                                format="step name n:int metric value:float")
# Of bench-peers: a row for each sum of so many elements
load_peers = functools.partial(read_table, format=columns(
    "name library type n:int median_ms:ms result:float expected:float sums:int"))
# The verdicts of compute-sanitizer on the planted bugs, as simt/tests/sanitizer.sh prints them: a row a
# case. A correct one is expected to show `nothing`.
load_verdicts = functools.partial(read_table, format=columns(f"name expect {' '.join(TOOLS)}"))
# The results of `make test-roots`: a row a suite
load_roots = functools.partial(read_table, format=columns(
    "suite g++ glibc python seconds result"))


def peak_of(table):
    """GB/s that the memory has in theory; None where the device did not tell."""
    unknown = table.comments.get("peak_gb_per_s") == "unknown"
    return None if unknown else table.comment("peak_gb_per_s", "rate")


def load_multi_gpu(path):
    """times: {(GPUs, program, type): {n: ms}}, of one GPU by the gate that several have, if it was;
    counts: of the GPUs, rising; peak: of one."""
    table, times = read_table(path, columns(
        "step name device type n:int cache:cold|gate median_ms:ms verified:yes")), {}
    for row in table:
        several = re.match(r"(\d{1,3}) x ", row["device"], re.ASCII)
        count = int(several[1]) if several else 1
        key = count, row["step"] or row["name"], row["type"]
        if row["cache"] == "gate" or row["n"] not in times.get(key, {}):
            times.setdefault(key, {})[row["n"]] = row["median_ms"]
    return types.SimpleNamespace(meta=table.comments, times=times, peak=peak_of(table),
                                 counts=sorted({count for count, *_ in times}))


def load_in_flight(path):
    """What was read per second, a row each of: name, reader or a step; loads per thread, before the
    first answer is needed; blocks per multiprocessor; threads per block; megabytes in flight at
    most. A step's loads are those that its header tells; without them the step is left out."""
    table, rows = read_table(path, columns("name loads:int blocks:size threads:size "
                                           "multiprocessors:size gb_per_s:rate")), []
    for row in table:
        if row["name"] in programs.load():
            row["loads"] = programs.get(row["name"]).loads_in_flight
        if row["loads"]:
            bytes = 4 * row["loads"] * row["threads"] * row["blocks"] * row["multiprocessors"]
            rows.append(types.SimpleNamespace(**row, megabytes=bytes / 1e6))
    return types.SimpleNamespace(meta=table.comments, rows=rows, peak=peak_of(table))


Shape = collections.namedtuple("Shape", "way blocks threads loads")


def load_shapes(path):
    """{(type, n): {Shape: ms}}, and {(type, way): ms} of the smallest such launch."""
    shapes, leasts = collections.defaultdict(dict), {}
    for row in read_table(path, columns("type n:int way blocks:size threads:size loads:size "
                                        "median_ms:ms")):
        if row["way"] in LEASTS:
            leasts.setdefault((row["type"], row["way"]), row["median_ms"])
        else:
            shape = Shape(*map(row.get, Shape._fields))
            shapes[row["type"], row["n"]][shape] = row["median_ms"]
    return shapes, leasts


def beside(path):
    """The smallest launches, which make bench-shapes left beside a file of make bench, and the
    multiprocessors of its GPU, as make bench-in-flight left them; empty and None where they did not."""
    shapes, reads = (files.beside(path, name) for name in ("shapes", "in-flight"))
    return (load_shapes(shapes)[1] if os.path.exists(shapes) else {},
            load_in_flight(reads).rows[0].multiprocessors if os.path.exists(reads) else None)

"""What `make bench-shapes` measured: every shape of single-pass, and the least that any takes."""

import collections
import os

from tutorial import files
from tutorial.csv_input import COUNT, SIZE, TIME, one_of, read_table

TYPES = ("int", "float", "double")
WAYS = ("group", "ticket", "wait")
LEASTS = ("launch", "trip", "atomic", "barrier")
COLUMNS = {"type": one_of(*TYPES), "n": COUNT, "way": one_of(*WAYS, *LEASTS), "blocks": SIZE,
           "threads": SIZE, "loads": SIZE, "median_ms": TIME}
ONE_BLOCK, ONE_CLUSTER = 2**16, 2**18  # bytes that are the most one can have in flight at once

# shapes: {(type, n): {Shape: ms}}; leasts: {(type, way): ms}, of the smallest such launch
Shapes = collections.namedtuple("Shapes", "shapes leasts")
Shape = collections.namedtuple("Shape", "way blocks threads loads")


def load(path):
    """Empty where there is no such file."""
    shapes, leasts = collections.defaultdict(dict), {}
    for row in read_table(path, COLUMNS).rows if os.path.exists(path) else ():
        values = row.values
        if values["way"] in LEASTS:
            leasts.setdefault((values["type"], values["way"]), values["median_ms"])
        else:
            shape = Shape(*(values[field] for field in Shape._fields))
            shapes[values["type"], values["n"]][shape] = values["median_ms"]
    return Shapes(dict(shapes), leasts)


def beside(path):
    """What belongs to a file of `make bench`, and stands beside it."""
    return load(files.beside(path, "shapes"))


def least_ms(shapes, type, size):
    """A launch with the trips without which nobody has a sum of so many bytes: one to memory, and
    where one block cannot do it one between blocks. None where that was not measured."""
    way = "trip" if size <= ONE_BLOCK else "barrier" if size <= ONE_CLUSTER else "atomic"
    return shapes.leasts.get((type, way))

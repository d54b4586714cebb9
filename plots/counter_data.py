"""What the CPU backend counted: loads the steps' `--counters=csv` and boils it down to the few
figures per step that explain a time. Sums are over all launches of one reduction."""

import collections

from csv_input import BadData, number, read_table

COLUMNS = "step launch grid block file line space op requests lanes sectors wavefronts".split()

# elements: n, seen as what the first launch loaded. sums: space and op -> Sums.
Step = collections.namedtuple("Step", "elements sums")
Sums = collections.namedtuple("Sums", "requests lanes sectors wavefronts")
NONE = Sums(0, 0, 0, 0)
FEW = 0.005  # requests an element: below that, how full they are says nothing


# ---- loading ----

def load(path):
    """{step: Step}"""
    table = read_table(path, COLUMNS)
    loaded, sums = collections.Counter(), {}
    for row in table.rows:
        step, space, op = (row.values[column] for column in ("step", "space", "op"))
        counted = checked_sums(path, row)
        of_step = sums.setdefault(step, {})
        of_step[space, op] = added(of_step.get((space, op), NONE), counted)
        if (space, op, number(path, row, "launch", int, 1)) == ("global", "load", 1):
            loaded[step] += counted.lanes
    check_whole(table, sums, loaded)
    return {step: Step(loaded[step], sums[step]) for step in sums}


def checked_sums(path, row):
    """Sectors belong to global accesses only, wavefronts to shared ones; else they are empty."""
    space = row.values["space"]
    belongs = {"sectors": space == "global", "wavefronts": space == "shared"}
    return Sums(*(number(path, row, column, int) if belongs.get(column, True) else 0
                  for column in Sums._fields))


def check_whole(table, sums, loaded):
    if not sums:
        raise BadData(table.path, table.last_line, "no counters behind the header")
    for step in sums:
        if not loaded[step]:
            raise BadData(table.path, table.last_line,
                          f"no global loads of step {step} in its first launch: rows are missing")
    if len(set(loaded.values())) > 1:
        raise BadData(table.path, table.last_line, "the steps were counted at different n or rows "
                                                   "are missing: they loaded different numbers of "
                                                   "elements")


def added(a, b):
    return Sums(*(x + y for x, y in zip(a, b)))


# ---- what explains a time: a figure a step, None where it has no meaning (all pure) ----

def shared(step):
    return added(step.sums.get(("shared", "load"), NONE), step.sums.get(("shared", "store"), NONE))


def per_thousand(step, count):
    return 1000 * count / step.elements


def sectors_per_load(step):
    loads = step.sums["global", "load"]
    return loads.sectors / loads.requests


def lanes_per_request(step):
    accesses = shared(step)
    few = accesses.requests < FEW * step.elements
    return None if few else accesses.lanes / accesses.requests


def bank_conflicts(step):
    """Of 4-byte elements: wavefronts beyond one a request."""
    return per_thousand(step, shared(step).wavefronts - shared(step).requests)


def wavefronts(step):
    return per_thousand(step, shared(step).wavefronts)


def barriers(step):
    """Warps that came to a __syncthreads."""
    return per_thousand(step, step.sums.get(("sync", "syncthreads"), NONE).requests)

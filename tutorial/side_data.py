"""What the smaller benches measured: loads the CSVs of bench-float-order, bench-trust, bench-tuning
and of Nsight Compute. Programs are named by their keys."""

import collections

from tutorial.bench_data import RIVALS
from tutorial.csv_input import SIZE, TIME, as_text, check, number, one_of, read_table

# ---- sums of floats in different orders ----

FLOAT_PROGRAMS = ["atomic-finish", "deterministic-float"]
FLOAT_COLUMNS = {"name": one_of(*FLOAT_PROGRAMS), "block": SIZE, "n": SIZE,
                 "result": as_text(number()), "expected": as_text(number())}
FloatRun = collections.namedtuple("FloatRun", "block n result expected")  # sums as they are printed


def load_float_order(path):
    """{name: [FloatRun]} of both programs, in the file's order."""
    table = read_table(path, FLOAT_COLUMNS)
    found = {name: [FloatRun(*(row.values[field] for field in FloatRun._fields))
                    for row in table.rows if row.values["name"] == name] for name in FLOAT_PROGRAMS}
    check(table, None, *((not runs, f"has no run of {name}") for name, runs in found.items()))
    return found


# ---- may one trust a time: a hot cache, several processes ----

TRUST_COLUMNS = {"step": str, "name": str, "n": SIZE, "cache": one_of("cold", "hot"),
                 "median_ms": TIME, "verified": one_of("yes")}
PROCESSES, SMALL = 5, 2**20  # so many at least of each rival, for n up to this


def load_trust(path):
    """{(key, n, cache): [milliseconds, one a process]}; cache is cold or hot."""
    found, table = collections.defaultdict(list), read_table(path, TRUST_COLUMNS)
    for values in (row.values for row in table.rows):
        key = values["step"] or values["name"]
        found[key, values["n"], values["cache"]].append(values["median_ms"])
    sizes = sorted({n for _, n, _ in found if n <= SMALL})
    missing = [f"{key} at n = {n}" for n in sizes for key in RIVALS
               if len(found.get((key, n, "cold"), [])) < PROCESSES]
    check(table, None, (missing or not sizes, f"ends without {PROCESSES} processes of "
                                              f"{', '.join(missing) or 'any program'}"))
    return dict(found)


# ---- other constants in step 07 and single-pass ----

TUNING_COLUMNS = {"name": str, "changed": str, "n": SIZE, "median_ms": TIME}


def load_tuning(path):
    """{(program, what was changed): {n: [milliseconds, one a round]}}, in the file's order. All
    have the same n and as many rounds, and each program has been measured as it is, too."""
    found, table = {}, read_table(path, TUNING_COLUMNS)
    for values in (row.values for row in table.rows):
        of_n = found.setdefault((values["name"], values["changed"]), {})
        of_n.setdefault(values["n"], []).append(values["median_ms"])
    shapes = {variant: {n: len(rounds) for n, rounds in of_n.items()}
              for variant, of_n in found.items()}
    wanted = [*found, *((name, "nothing") for name, _ in found), ("single-pass", "FENCE=1")]
    check(table, None, *((shapes.get(variant) != next(iter(shapes.values()), None),
                          f"ends without all rows of {' '.join(variant)}") for variant in wanted))
    return found


# ---- Nsight Compute ----

NSIGHT_COLUMNS = {"step": str, "name": str, "type": str, "block": str, "n": str, "metric": str,
                  "value": number()}


def load_nsight(path, programs, metrics):
    """{key: {metric: value}}, of rows as bench/nsight.sh prints them, without a header, that have
    each of these programs at one size, with these metrics at least."""
    found, table = collections.defaultdict(dict), read_table(path, NSIGHT_COLUMNS,
                                                             header=[*NSIGHT_COLUMNS])
    for values in (row.values for row in table.rows):
        found[values["step"] or values["name"]][values["metric"]] = values["value"]
    check(table, None, *((metric not in found[key], f"ends without {key}'s {metric}")
                         for key in programs for metric in metrics))
    return dict(found)

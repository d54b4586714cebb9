"""Generated tables on single-pass in all three types: against CUB, against what no program can do
without, and its shapes. Functions as in tables_course.py."""

import math

from plots.markdown import table, us
from tutorial import bench_data, programs, shape_data
from tutorial.bench_data import BYTES, run
from tutorial.figures import power, ratio

TO_MEASURE = "– not measured yet: `make bench-shapes PUBLISH=1`, then `make table`."


def cub(data):
    """CUB's time over step 07's and over single-pass's for each type, and their geometric means."""
    sizes, rows = bench_data.common_sizes(data.bench, "int", bench_data.RIVALS), []
    for key in ("07", "single-pass"):
        for type in BYTES:
            ratios = [bench_data.times_over(data.bench, type, n, key, "cub") for n in sizes]
            mean = None if None in ratios else math.prod(ratios) ** (1 / len(ratios))
            rows.append([programs.spoken(key), type, *ratios, mean])
    return table(f"CUB's time over that of | type | {' | '.join(power(n) + '=.2f' for n in sizes)} "
                 "| geometric mean=.3f", rows)


def ahead(data):
    """Of all programs of a type the one that comes nearest to single-pass, or is ahead of it."""
    rows = []
    for n in bench_data.common_sizes(data.bench, "int", bench_data.RIVALS):
        rows.append([power(n)])
        for type in BYTES:
            ours = run(data.bench, type, "single-pass", n).ms
            times = {key: run(data.bench, type, key, n).ms
                     for key in bench_data.measured(data.bench, type) if key != "single-pass"}
            key = min((key for key in times if times[key]), key=times.get, default=None)
            rows[-1] += [ours and us(ours), key and programs.spoken(key), ratio(times.get(key), ours)]
    return table("n | int, µs= | next | x=.2f | float, µs= | next | x=.2f | double, µs= | next | x=.2f",
                 rows)


def trips(data):
    """Every size and type: launch, trips and bytes, and how near single-pass comes to that."""
    rows = []
    for n in bench_data.common_sizes(data.bench, "int", bench_data.RIVALS):
        rows.append([power(n)])
        for type in BYTES:
            limit = bench_data.trips_ms(data.bench, type, n)
            ours = run(data.bench, type, "single-pass", n).ms
            rows[-1] += [limit and us(limit), ours and us(ours), ratio(ours, limit)]
    return table("n | int: with trips, µs= | single-pass, µs= | ratio=.2f | float: with trips, µs= | "
                 "single-pass, µs= | ratio=.2f | double: with trips, µs= | single-pass, µs= | ratio=.2f",
                 rows, TO_MEASURE)


def spoken(shape):
    blocks = "1 block" if shape.blocks == 1 else f"{shape.blocks} blocks"
    way = f"cluster of {blocks}" if shape.way == "group" and shape.blocks > 1 else \
        blocks if shape.way == "group" else shape.way
    return f"{way}, {shape.threads} x {shape.loads}"


def shapes(data):
    """For each n and type the fastest of all shapes that were tried."""
    found, rows = data.bench.shapes.shapes, []
    for n in sorted({n for _, n in found}):
        rows.append([power(n)])
        for type in BYTES:
            times = found.get((type, n), {})
            shape = min(times, key=times.get, default=None)
            rows[-1] += [shape and spoken(shape), shape and us(times[shape])]
    return table("n | int | µs= | float | µs= | double | µs=", rows, TO_MEASURE)


def wide(data):
    """The fastest cluster of more than 8 blocks, and how much longer the fastest of all others takes,
    where such clusters were tried for each type."""
    found, rows = data.bench.shapes.shapes, []
    for n in sorted({n for _, n in found}):
        row = [power(n)]
        for type in BYTES:
            fastest = {True: None, False: None}
            for shape, ms in found.get((type, n), {}).items():
                large = shape.way == "group" and shape.blocks > 8
                fastest[large] = min(ms, fastest[large] or ms)
            row += [fastest[True] and us(fastest[True]), ratio(fastest[False], fastest[True])]
        rows += [row] * (None not in row)
    return table("n | int, µs= | others=.3f | float, µs= | others=.3f | double, µs= | others=.3f", rows)


def leasts(data):
    """What a launch takes that does nothing else, in microseconds."""
    rows = []
    for way, text in (("launch", "a launch"), ("trip", "and one trip to memory, of one warp"),
                      ("barrier", "and a barrier, of a cluster of 8 warps"),
                      ("atomic", "and an atomic and its answer, of a warp on every multiprocessor")):
        times = [data.bench.shapes.leasts.get((type, way)) for type in shape_data.TYPES]
        rows.append([text, *(ms and us(ms) for ms in times)])
    return table("what | int, µs= | float, µs= | double, µs=", rows, TO_MEASURE)

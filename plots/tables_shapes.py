"""Generated tables on single-pass in all three types: against CUB, what no program can avoid, and
its shapes. Functions as in tables_course.py."""

import math

from plots.markdown import table, us
from tutorial import bench_data, programs, shape_data
from tutorial.bench_data import BYTES
from tutorial.figures import power

TO_MEASURE = "– not measured yet: `make bench-shapes PUBLISH=1`, then `make table`."


def cub(data):
    """For each type which of CUB's variants is the fastest, its time over step 07's and over
    single-pass's, and their geometric means."""
    sizes = bench_data.common_sizes(data.bench, "int", bench_data.RIVALS)
    rows = [["the fastest is", type, *(f"`{bench_data.best_cub(data.bench, type, n)}`"
                                       for n in sizes), ""] for type in BYTES]
    for key in ("07", "single-pass"):
        for type in BYTES:
            ratios = [bench_data.times_over(data.bench, type, n, key, bench_data.BEST_CUB) for n in sizes]
            mean = None if None in ratios else math.prod(ratios) ** (1 / len(ratios))
            rows.append([f"its time over that of {programs.spoken(key)}", type, *(
                ratio and f"{ratio:.2f}" for ratio in ratios), mean and f"{mean:.3f}"])
    return table(f"CUB | type | {' | '.join(power(n) + '=' for n in sizes)} | geometric mean=",
                 rows)


def spoken(shape):
    blocks = "1 block" if shape.blocks == 1 else f"{shape.blocks} blocks"
    way = f"cluster of {blocks}" if shape.way == "group" and shape.blocks > 1 else \
        blocks if shape.way == "group" else shape.way
    return f"{way}, {shape.threads} x {shape.loads}"


def shapes(data):
    """For each n of the bench, and type, the fastest of all shapes that were tried."""
    found, rows = data.bench.shapes.shapes, []
    for n in sorted({n for _, n in found} & {*data.bench.runs["single-pass", "int"]}):
        rows.append([power(n)])
        for type in BYTES:
            times = found.get((type, n), {})
            shape = min(times, key=times.get, default=None)
            rows[-1] += [shape and spoken(shape), shape and us(times[shape])]
    return table("n | int | µs= | float | µs= | double | µs=", rows, TO_MEASURE)


def leasts(data):
    """What a launch takes that does nothing else, in microseconds."""
    rows = []
    for way, text in (("launch", "a launch"), ("trip", "and one trip to memory, of one warp"),
                      ("barrier", "and a barrier, of a cluster of 8 warps"),
                      ("atomic", "and an atomic and its answer, of a warp on every multiprocessor")):
        times = [data.bench.shapes.leasts.get((type, way)) for type in shape_data.TYPES]
        rows.append([text, *(ms and us(ms) for ms in times)])
    return table("what | int, µs= | float, µs= | double, µs=", rows, TO_MEASURE)

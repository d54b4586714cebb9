"""The generated blocks of the READMEs of bench and simt: functions as in tables.py."""

import collections
import itertools
from math import prod
from statistics import median

from plots.tables import SMALL, block, code, table, us
from plots.read import bench_data, programs, side_data
from plots.read.bench_data import BEST_CUB, TYPES, run
from plots.read.figures import NONE, power, ratio


# ---- the measuring ----

def over_best_cub(bench, type, key, sizes):
    """How many times as fast as the best CUB a program is at each n, and the geometric mean."""
    ratios = [bench_data.times_over(bench, type, n, key, BEST_CUB) for n in sizes]
    return *ratios, prod(ratios) ** (1 / len(ratios)) if ratios and None not in ratios else None


def of_sizes(sizes):
    """The columns of these."""
    return *(f"{power(n)}=.2f" for n in sizes), "geometric mean=.3f"


@table("n | step 07, µs= | CUB, µs= | single-pass, µs= | CUB / step 07=.2f | CUB / single-pass=.2f",
       "bench-trust")
def processes(data):
    """The same program at the same n in several processes: least and most, and CUB's ratios."""
    for n in sorted({n for _, n, _ in data.trust if n <= side_data.SMALL}):
        times = [data.trust[key, n, "cold"] for key in ("07", "cub", "single-pass")]
        ours, cub, single = map(median, times)
        yield [power(n), *(f"{us(min(ms))} … {us(max(ms))}" for ms in times), cub / ours,
               cub / single]


# ---- single-pass in all three types ----

@table()
def cub(data):
    """For each type which of CUB's variants is the fastest, its time over step 07's and over
    single-pass's, and their geometric means."""
    sizes = bench_data.common_sizes(data.bench, "int", bench_data.RIVALS)
    yield ["CUB", "type", *of_sizes(sizes)]
    for type in TYPES:
        yield ["the fastest is", type, *(f"`{run(data.bench, type, BEST_CUB, n).key}`"
                                         for n in sizes), ""]
    for key, type in itertools.product(("07", "single-pass"), TYPES):
        yield [f"its time over that of {programs.spoken(key)}", type,
               *over_best_cub(data.bench, type, key, sizes)]


@table("what | int, µs=us | float, µs=us | double, µs=us", "bench-shapes")
def leasts(data):
    """What a launch takes that does nothing else, in microseconds."""
    for way, text in side_data.LEASTS.items():
        yield [text, *(data.bench.leasts.get((type, way)) for type in TYPES)]


# ---- the CPU backend's checks ----

@table("kind | programs=d | told here=d | compute-sanitizer ran=d | memcheck=d | racecheck=d | "
       "synccheck=d | initcheck=d | any=d")
def planted(data):
    """Planted bugs by kind: how many were measured, how many of them compute-sanitizer came to the
    end of, and how many each of its tools found; the last row, of programs that are right, how many
    it accused. The backend finds each one and accuses none, as its tests hold."""
    kinds = collections.defaultdict(list)
    for row in data.verdicts:
        said = [row[tool] for tool in side_data.TOOLS]
        kinds[row["expect"]].append([*said, "found" if "found" in said else ""])
    right = kinds.pop("nothing", [])
    order = sorted(kinds, key=lambda kind: (kind.startswith("note: "), kind))
    for kind, cases in [*((kind, kinds[kind]) for kind in order),
                        ("all of them", sum(kinds.values(), [])), ("correct programs", right)]:
        ran = [case for case in cases if not {"hangs", "timeout"} & {*case}]
        yield [code(kind), len(cases), 0 if cases is right else len(cases), len(ran),
               *(tool.count("found") if ran else "" for tool in zip(*(ran or cases)))]


@table("Debian | g++ | glibc | Python | seconds=s | result")
def systems(data):
    return map(dict.values, data.roots)


@block
def roots(data):
    """The systems on which all was built and tested."""
    meta = data.roots.comments
    return (f"Made by `make test-roots` on {meta['date']}, commit {meta['commit']}, with the "
            f"packages\n{meta['packages']}.\n\n" + systems(data))


REASONS = ("long_scoreboard", "mio_throttle", "short_scoreboard", "barrier", "wait", "not_selected",
           "math_pipe_throttle")


@table("2^24 | µs=.1f | occupancy, %=.0f | issue slots used, %=.0f | "
       + " | ".join(f"{name.replace('_', ' ')}=.1f" for name in REASONS), "bench-stalls")
def stalls(data):
    """Warps that wait for each reason, per instruction; the rest is little."""
    for step in dict.fromkeys(step for step, *_ in data.stalls if step != "00"):  # of one block
        values = [data.stalls.median(step, 2**24, name)
                  for name in ("duration_ns", "occupancy_pct", "issue_pct", *REASONS)]
        yield [step, values[0] / 1e3, *values[1:]]


# Of a warp, in the machine code of nvcc 13.0 for sm_90: before the tree, in each of its 8 rounds, after
INSTRUCTIONS = {"01": (25, 28, 1), "02": (25, 14, 1), "03": (25, 10, 1)}


@table("2^24, first launch | instructions per warp=d | bytes, µs=.1f | wavefronts, µs=.1f | "
       "instructions, µs=.1f | clock, µs=.1f | issue slots used, %=.0f", "bench-stalls")
def by_hand(data):
    """What bounds the steps that are bound by instructions: 4 of them, and a wavefront, a cycle."""
    of_gpu = data.bench.multiprocessors * float(data.ideas.table.comments["clock_mhz"])  # a µs
    for step, (before, each, after) in INSTRUCTIONS.items():
        count, counts = before + 8 * each + after, data.counters[step]
        wavefronts = sum(row["wavefronts"] or 0 for row in counts.rows if row["launch"] == 1)
        clock, used = (data.stalls.median(step, SMALL, what) for what in ("duration_ns", "issue_pct"))
        yield [step, count, SMALL * 4e-3 / data.bench.peak, wavefronts * SMALL / counts.n / of_gpu,
               SMALL / 32 * count / 4 / of_gpu, clock / 1e3, used]


@table(target="bench-peers")
def peers(data):
    """How many times as long as ours each takes; its error, and how many sums it gave."""
    rows = {(row["type"], row["name"], row["n"]): row for row in data.peers}
    sizes = sorted({n for *_, n in rows})
    sizes = [n for n in sizes if n.bit_length() % 4 == 1 or n == sizes[-1]]
    yield ["call", "type", *(f"{power(n)}=.2f" for n in sizes), "error=",
           "sums=", "library"]
    for type, name in dict.fromkeys((type, name) for type, name, _ in rows):
        ours = "two-bytes" if bench_data.BYTES[type] == 2 else "single-pass"
        if name == ours or (name, ours) == ("cub", "single-pass"):  # which has a table of its own
            continue
        found = [rows.get((type, name, n)) for n in sizes]
        last = next((row for row in reversed(found) if row and row["sums"]), None) or next(filter(
            None, found))
        error = last["expected"] and abs(last["result"] / last["expected"] - 1)
        if error and type == "int":  # a sum of 64 bits is right, too
            error = (last["result"] - last["expected"]) % 2**32
        yield [name, type, *(row and ratio(row["median_ms"], rows[type, ours, n]["median_ms"])
                             for n, row in zip(sizes, found)),
               NONE if error is None else "exact" if error == 0 else f"{error:.0e}",
               str(last["sums"] or NONE), last["library"]]

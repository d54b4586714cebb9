"""Generated tables of the READMEs of bench, detours and simt: functions as in tables.py."""

import re
from itertools import groupby
from math import gcd, prod
from statistics import median

from plots.tables import LARGE, SMALL, cell, link, origin, table, to_measure, us
from tutorial import bench_data, programs, side_data
from tutorial.bench_data import BEST_CUB, BYTES, run
from tutorial.figures import plural, power, ratio


def over_best_cub(bench, type, key, sizes):
    """How many times as fast as the best CUB a program is at each n, and the geometric mean."""
    ratios = [bench_data.times_over(bench, type, n, key, BEST_CUB) for n in sizes]
    return *ratios, None if None in ratios else prod(ratios) ** (1 / len(ratios))


def of_sizes(sizes):
    """The columns of these."""
    return " | ".join(f"{power(n)}=.2f" for n in sizes) + " | geometric mean=.3f"


# ---- the measuring ----

def processes(data):
    """The same program at the same n in several processes: least and most, and CUB's ratios."""
    rows = []
    for n in sorted({n for _, n, _ in data.trust if n <= side_data.SMALL}):
        times = [data.trust[key, n, "cold"] for key in ("07", "cub", "single-pass")]
        ours, cub, single = map(median, times)
        rows.append([power(n), *(f"{us(min(ms))} … {us(max(ms))}" for ms in times), cub / ours,
                     cub / single])
    return table("n | step 07, µs= | CUB, µs= | single-pass, µs= | CUB / step 07=.2f | "
                 "CUB / single-pass=.2f", rows)


def tuning(data):
    """Each variant's time over that of the program as it is."""
    sizes, rows = sorted({n for *_, n in data.tuning}), []
    for name, changed in dict.fromkeys(key[:2] for key in data.tuning):
        times = [[median(data.tuning[name, each, n]) for n in sizes]
                 for each in (changed, "nothing")]
        rows.append([name, changed.replace("=", " "), *(
            f"{ms * 1e3:.2f} µs" if changed == "nothing" else f"x {ms / taken:.2f}"
            for ms, taken in zip(*times))])
    return table(f"program | changed | {' | '.join(power(n) + '=' for n in sizes)}", rows)


def second_gpu(data):
    """The ladder and its rivals on both GPUs, and single-pass against CUB on the second."""
    gpus, rows = (data.bench, data.second), []
    for key in [*bench_data.ladder(data.bench, "int"), "two-kernels"]:
        rows.append([programs.label(key)])
        for gpu in gpus:
            found = run(gpu, "int", key, LARGE)
            rows[-1] += [found.gb_per_s, found.share,
                         bench_data.times_over(gpu, "int", LARGE, key, "00")]
    names = [gpu.meta["gpu"].removeprefix("NVIDIA ").partition(" ")[0] for gpu in gpus]
    heads = [f"{name}: GB/s=.0f | % of peak=.1f | x step 00=.1f" for name in names]
    sizes = bench_data.common_sizes(data.second, "int", bench_data.RIVALS)
    against = [[type, *over_best_cub(data.second, type, "single-pass", sizes)] for type in BYTES]
    return (origin(data.second, "bench") + "\n" +
            table("2^30 ints | " + " | ".join(heads), rows) + "\n" +
            table(f"{names[1]}: best CUB / single-pass | {of_sizes(sizes)}", against))


def in_flight(data):
    """What was only read, GB/s: a row for so many loads per thread, a column for so many blocks."""
    readers = [row for row in data.in_flight.rows if row.name == "reader"]
    rows = [[str(loads), *(row.gb_per_s for row in group)]
            for loads, group in groupby(readers, lambda row: row.loads)]
    blocks = (plural(row.blocks, "block") + "=.0f" for row in readers if row.loads == 1)
    return table("loads per thread, GB/s | " + " | ".join(blocks), rows)


# ---- single-pass in all three types ----

def cub(data):
    """For each type which of CUB's variants is the fastest, its time over step 07's and over
    single-pass's, and their geometric means."""
    sizes = bench_data.common_sizes(data.bench, "int", bench_data.RIVALS)
    rows = [["the fastest is", type, *(f"`{run(data.bench, type, BEST_CUB, n).key}`"
                                       for n in sizes), ""] for type in BYTES]
    rows += [[f"its time over that of {programs.spoken(key)}", type,
              *over_best_cub(data.bench, type, key, sizes)]
             for key in ("07", "single-pass") for type in BYTES]
    return table(f"CUB | type | {of_sizes(sizes)}", rows)


def shapes(data):
    """For each n of the bench, and type, the fastest of all shapes that were tried."""
    found, rows = data.bench.shapes, []
    for n in sorted({n for _, n in found} & {*data.bench.runs["single-pass", "int"]}):
        rows.append([power(n)])
        for type in BYTES:
            times = found.get((type, n), {})
            shape = min(times, key=times.get, default=None)
            rows[-1] += [shape and spoken(shape), times.get(shape)]
    return table("n | int | µs=us | float | µs=us | double | µs=us", rows,
                 to_measure("bench-shapes"))


def spoken(shape):
    way, blocks = shape.way, plural(shape.blocks, "block")
    if way == "group":
        way = f"cluster of {blocks}" if shape.blocks > 1 else blocks
    return f"{way}, {shape.threads} x {shape.loads}"


LEASTS = {"launch": "a launch", "trip": "and one trip to memory, of one warp",
          "barrier": "and a barrier, of a cluster of 8 warps",
          "atomic": "and an atomic and its answer, of a warp on every multiprocessor"}


def leasts(data):
    """What a launch takes that does nothing else, in microseconds."""
    rows = [[text, *(data.bench.leasts.get((type, way)) for type in BYTES)]
            for way, text in LEASTS.items()]
    return table("what | int, µs=us | float, µs=us | double, µs=us", rows,
                 to_measure("bench-shapes"))


# ---- what step 00 waits for ----

THREADS, WARP = 1024, 32  # of step 00
BANKS = LINE = 32         # words of 4 bytes
# program: (elements of one round, do all multiprocessors work?, elements)
PIECES = {"step00": (2**10, False, [2**13, 2**14, 24 * 1024, 10_000_000, SMALL, SMALL + 2**10,
                                   3 * 2**26]),
          "naive-everywhere": (2**16, True, [2**22, SMALL, 2**26, 2**28, 2**30])}


def ideas_banks(data):
    """Of a warp's 32 words, as many as lie in one bank, if the L1 cache has those of shared memory;
    and the cycles that a request took, the first round not counted."""
    rows, clock_mhz = [], data.ideas.table.comment("clock_mhz", "float")
    for name, (base, on_all, sizes) in PIECES.items():
        working = data.bench.multiprocessors if on_all else 1
        for n in sizes:
            piece = -(-n // (working * THREADS))
            first, last = of_one_run(data, name, base, n)
            took = last and ((last - first) * clock_mhz * 1e3 /
                             ((piece - 1) * THREADS / WARP))
            # a lane reads its elements one by one, the next lane begins a piece further on
            rows.append([name, power(n), f"{piece:,}", str(min(piece, LINE)),
                         str(gcd(piece, BANKS)), took])
    return table("program | n | elements per thread= | lines per request= | words in one bank= | "
                 "cycles per request=.1f", rows, to_measure("bench-ideas"))


def of_one_run(data, name, *sizes):
    """Milliseconds at these sizes, of bench-ideas, or else of the bench; None if neither has all."""
    runs = ([data.ideas.median(name, "nothing", n) for n in sizes],
            [run(data.bench, "int", name.removeprefix("step"), n).ms for n in sizes])
    return next((times for times in runs if all(times)), [None] * len(sizes))


# ---- the detours ----

def detours(data):
    """All in the order in which to read them. Floats where one has no ints, several GPUs where it
    has no single one."""
    rows = []
    for key in sorted(programs.detours(), key=programs.reading_order):
        for bench, type, remark in ((data.bench, "int", ""), (data.bench, "float", " (float)"),
                                    (data.multi_gpu, "int", " (2 GPUs)")):
            ms = run(bench, type, key, SMALL).ms
            if ms:
                break
        program = programs.get(key)
        rows.append([link(key, "detours"), program.when_to_read or "-", program.idea,
                     ms and f"{ms:#.4g}{remark}", ratio(run(data.bench, type, "07", SMALL).ms, ms)])
    return table("program | read it | what it shows | 2^24: ms= | x step 07=.2f", rows,
                 "– not measured: `make bench PUBLISH=1` is for one GPU, `make bench-multi-gpu "
                 "PUBLISH=1` for\nseveral; then `make table`.")


SUMS = "deterministic-float cub cub-atomic cub-reproducible".split()
INPUTS = {"uniform": "[0, 1)", "signed": "[-1, 1)"}


def errors(data):
    """How far sums of floats are from the exact one, over that, by the order of their additions."""
    rows = [[power(n), INPUTS[kind], *map(found.get, ["loop", "step07", *SUMS])]
            for (n, kind), found in sorted(data.errors.items())
            if n in (2**12, 2**20, 2**28)]
    return table("n | values in | a plain loop=.0e | step 07=.0e | " +
                 " | ".join(f"`{key}`=.0e" for key in SUMS), rows)


def multi_gpu(data):
    """All GPUs of a machine against one, in one run."""
    rows = []
    sizes = bench_data.runs(data.multi_gpu, "int", "multi-gpu")
    for n in (n for n in sizes if n.bit_length() % 2):  # 4^k, of which there are enough
        one, single, *several = [run(data.multi_gpu, "int", key, n).ms for key in (
            "07", "single-pass", "multi-gpu", "multi-gpu-peer", "multi-gpu-mpi")]
        best = min(filter(None, several))
        rows.append([power(n), one, single, *several, n * 4 / best / 1e6, ratio(one, best)])
    return origin(data.multi_gpu, "bench-multi-gpu") + "\n" + table(
        "n | one GPU, ms: step 07=#.4g | single-pass=#.4g | all: multi-gpu=#.4g | multi-gpu-peer=#.4g"
        " | multi-gpu-mpi=#.4g | the fastest: GB/s=.0f | x step 07=.2f", rows, "– not measured.")


# a row that ends with a figure of ours: of the program that it links first, at the n it names
OURS = re.compile(r"^([^[\n]*\[(?:step )?(.+?)\]\(.*\| )\S+ (ms|GB/s|x step (\d\d)) "
                  r"\(2\^(\d+)\) \|$", re.MULTILINE)


def kernels(data):
    """The table is typed, but for the figures of ours in its last column."""
    def refreshed(row):
        typed, key, unit, base, exponent = row.groups()
        ours, other = (run(data.bench, "int", each, 2**int(exponent)) for each in (key, base))
        value = (cell(ratio(other.ms, ours.ms), ".2f") if base else
                 cell(ours.ms, "#.3g") if unit == "ms" else cell(ours.gb_per_s, ".0f"))
        return f"{typed}{value} {unit} (2^{exponent}) |"
    return OURS.sub(refreshed, data.old)


# Write-up 0's kernels, and what it says of them on its RTX 3080.
WRITE_UP_0 = {"global-neighbored-pairs": "0.5591 | 1.00 | 292.88 | 842 | -",
              "global-strided-index": "0.3075 | 1.82 | 115.38 | 1550 | 98.36",
              "global-sequential": "0.2660 | 2.10 | - | 467 | 98.36"}


def write_up_0(data):
    """Ours are of 2^24 ints, blocks of 512."""
    bench, rows = data.write_up_0, []
    for key, theirs in WRITE_UP_0.items():
        instructions, throughput, branches = (data.nsight[key, metric][0] for metric in (
            "instructions_per_warp", "global_load_throughput", "branch_efficiency_pct"))
        rows.append([link(key, "detours"), "RTX 3080", *theirs.split(" | ")])
        rows.append([rows[-1][0], bench.meta["gpu"], run(bench, "int", key, SMALL).ms,
                     bench_data.times_over(bench, "int", SMALL, key, next(iter(WRITE_UP_0))),
                     instructions, throughput / 1e9, branches])
    return origin(bench, "bench-write-up-0") + "\n" + table(
        "kernel | GPU | ms=.4f | x the first=.2f | instructions per warp=.2f | "
        "global loads, GB/s=.0f | branch efficiency, %=.2f", rows)


# ---- the CPU backend's checks ----

def planted(data):
    """Planted bugs by kind: how many there are, how many of them compute-sanitizer came to the end
    of, and how many each of its tools found; the last row, of programs that are right, how many it
    accused. That the backend finds each one and accuses none is what the tests hold."""
    verdicts = {row["name"]: [row[tool] for tool in side_data.TOOLS] for row in data.verdicts}
    kinds = {}
    for name, kind in sorted(data.cases.items(), key=lambda case: (
            case[1].startswith("note: "), case[1], case[0])):
        kinds.setdefault(kind, []).append(verdicts.get(name, ["hangs"] * len(side_data.TOOLS)))
    right = kinds.pop("nothing", [])
    every = [cells for rows in kinds.values() for cells in rows]
    rows = []
    for kind, cells in [*kinds.items(), ("all of them", every), ("correct programs", right)]:
        ran = [row for row in cells if not {"hangs", "timeout"} & {*row}]
        told = [sum(found == "found" for found in column) for column in zip(*ran)]
        rows.append([re.sub(r"__\w+(\(\))?", r"`\g<0>`", kind), len(cells),
                     0 if cells is right else len(cells), len(ran),
                     *(told or [""] * len(side_data.TOOLS)),
                     sum("found" in row for row in ran) if ran else ""])
    return table("kind | programs=d | told here=d | compute-sanitizer ran=d | "
                 + "".join(f"{tool}=d | " for tool in side_data.TOOLS) + "any=d", rows)


def roots(data):
    """The systems on which all was built and tested."""
    meta = data.roots.comments
    return (f"Made by `make test-roots` on {meta['date']}, commit {meta['commit']}, with the packages\n"
            f"{meta['packages']}.\n\n"
            + table("Debian | g++ | glibc | Python | seconds=s | result",
                    [list(row.values()) for row in data.roots]))

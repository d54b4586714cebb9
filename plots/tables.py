"""The generated blocks of README.md, NOTES.md and detours/README.md, and first the pieces of all. A
block is a function of the Data of table.py, and of the words that stand behind its name; what it
yields is a table's rows."""

import functools
import itertools
import os
import re

from plots.read import bench_data, notes, programs, step_facts
from plots.read.csv_input import read_table
from plots.read.files import ROOT
from plots.read.bench_data import BEST_CUB, run
from plots.read.figures import NONE, change, factor, fixed, power, ratio

SMALL, LARGE = 2**24, 2**30
BLOCKS = {}  # the name of a block, which is that of its function: what makes its text


def block(function):
    BLOCKS[function.__name__.replace("_", "-")] = function
    return function


def table(columns="", target="bench", of=None):
    """Makes a block of a function that yields rows. Columns are parted by ` | `, or yielded first
    where they depend on the data; one of figures is NAME=FORMAT and stands at the right. Its format
    is Python's, or `us` for milliseconds that are shown as microseconds. A cell is text, a number,
    or None where nothing was measured; then a note says which target does it. of: the field of Data
    whose origin stands in front. A side bench of another toolkit than the bench's is told below."""
    def of_rows(rows):
        @functools.wraps(rows)
        def text(data, *keys):
            cells = iter(rows(data, *keys))
            heads = columns.split(" | ") if columns else next(cells)
            names, signs, formats = zip(*(head.partition("=") for head in heads))
            head, *lines = [f"| {' | '.join(map(cell, row, formats))} |\n"
                            for row in (names, *cells)]
            rule = "|".join("---:" if sign else "---" for sign in signs)
            note = f"\n{NONE} not measured yet: `make {target} PUBLISH=1`, then `make table`.\n"
            other = "" if of or "`" in target else toolkit(data, target)
            return "".join([measured(data, of, target) + "\n" if of else "", head, f"|{rule}|\n",
                            *lines, note if any(f"| {NONE}" in line for line in lines) else "",
                            "\n" * bool(other), other])
        return block(text)
    return of_rows


def cell(value, form):
    if value is None:
        return NONE
    if isinstance(value, str):
        return value
    return us(value) if form == "us" else format(value, form)


def us(ms):
    """Microseconds."""
    return f"{ms * 1e3:.{2 if ms < 0.1 else 1}f}"


def link(key, room="."):
    """To a program's main.cu, from a file in this folder."""
    text = programs.label(key) if key.isdecimal() else key
    return f"[{text}]({os.path.relpath(programs.get(key).path, room)})"


@block
def measured(data, of="bench", target="bench"):
    """What was measured on what."""
    bench = getattr(data, of)
    meta = bench.meta
    library = f"{meta['library']}, " if "library" in meta else ""
    peak = f"{bench.peak:.0f} GB/s" if bench.peak else "unknown"
    return (f"Measured by `make {target}`: {meta['gpu']}, CUDA {meta['cuda']}, {library}driver "
            f"{meta['driver']},\n{meta['date']}, commit {meta['commit']}; peak {peak}.\n")


@block
def toolkit(data, target):
    """With which CUDA a side bench ran, where that is another than the bench's."""
    if target == "bench":
        return ""
    name = f"{target.removeprefix('bench-')}-h200.csv"
    meta = read_table(os.path.join(ROOT, "plots/data", name), {}).comments
    return "" if meta["cuda"] == data.bench.meta["cuda"] else (
        f"(Measured by `make {target}` with CUDA {meta['cuda']}, {meta['date']}.)\n")


# ---- README and NOTES ----

TIMES = re.compile(r"^  [\d.]+ ms \(median.*\n.* \(one core, ([\d.]+) ms\)$", re.MULTILINE)


@block
def sample(data):
    """What step 03 prints: typed, but for the times on the GPU, which are the bench's."""
    rows = read_table(data.bench.path, bench_data.COLUMNS, wanted=lambda fields: (
        [fields[name] for name in ("step", "type", "n")] == ["03", "int", str(SMALL)]))
    if not rows or None in rows[0].values() or data.bench.meta["gpu"] not in data.old:
        return data.old
    row, ms = rows[0], rows[0]["median_ms"]
    return TIMES.sub(lambda typed: (
        f"  {ms:#.4g} ms (median of {row['reps']}; min {row['min_ms']:#.4g}, max {row['max_ms']:#.4g})\n"
        f"  {row['gb_per_s']:#.4g} GB/s, {row['pct_of_peak']:.1f} % of peak, "
        f"{float(typed[1]) / ms:.3g}x the CPU (one core, {typed[1]} ms)"), data.old)


@table("step | idea | 2^24: ms=#.4g | GB/s=.0f | 2^30: ms=#.4g | GB/s=.0f | of peak= | "
       "x step 00=.0f | x CUB=", of="bench")
def ladder(data):
    """The steps at two sizes, and their peers: of CUB's the fastest at the larger one."""
    best = run(data.bench, "int", BEST_CUB, LARGE).key or "cub"
    for key in [*programs.steps(), best, "single-pass"]:
        small, large = (run(data.bench, "int", key, n) for n in (SMALL, LARGE))
        over_first, over_cub = (bench_data.times_over(data.bench, "int", LARGE, key, base)
                                for base in ("00", BEST_CUB))
        yield [link(key), programs.get(key).idea, small.ms, small.gb_per_s, large.ms,
               large.gb_per_s, fixed(large.share, 1, " %"), over_first, factor(over_cub)]
    for name in ("torch.sum", "cupy.sum"):
        times = {row["n"]: row["median_ms"] for row in data.peers or ()
                 if (row["name"], row["type"]) == (name, "int")}
        if LARGE in times:
            small, large = (times.get(n) for n in (SMALL, LARGE))
            first, cub = (run(data.bench, "int", key, LARGE).ms for key in ("00", BEST_CUB))
            yield [f"[{name}](plots/measure/README.md#against-pytorch-cupy-and-cublas)",
                   "the usual call from Python", small, ratio(SMALL * 4e-6, small), large,
                   LARGE * 4e-6 / large,
                   fixed(ratio(LARGE * 4e-4 / large, data.bench.peak), 1, " %"), ratio(first, large),
                   factor(ratio(cub, large))]


@table(target="plots/data/counters.csv` and `make bench")
def step(data, *keys):
    """What the counters and the clock said of the step before, and what they say now."""
    yield [f"counters for {next(iter(data.counters.values())).n:,} ints",
           *(f"step {key}=" for key in keys), *["change="] * (len(keys) - 1)]
    for what, _, texts in step_facts.compared(data.bench, data.counters, *keys):
        yield [f"**{what}**" if what.startswith("ms ") else code(what), *texts]


def code(text):
    """With what can only be code set as such."""
    return re.sub(r"__\w+(\(\))?", r"`\g<0>`", text)


@table("2^24: ms | a piece per thread=#.4g | coalesced=#.4g | coalescing gains=", "bench-ideas")
def ideas_corners(data):
    """Coalesced or not, one multiprocessor or all: milliseconds, and what each idea gains in either
    order; then the tree of step 01."""
    one, one_coalesced, all, all_coalesced, tree = (
        data.ideas.median(name, changed, SMALL) for name, changed in (
            ("step00", "nothing"), ("naive-coalesced", "nothing"), ("naive-everywhere", "nothing"),
            ("naive-everywhere", "COALESCED=1"), ("step01", "nothing")))
    yield ["one multiprocessor", one, one_coalesced, change(one, one_coalesced)]
    yield ["all", all, all_coalesced, change(all, all_coalesced)]
    yield ["all multiprocessors gain", change(one, all), change(one_coalesced, all_coalesced),
           change(one, all_coalesced)]
    yield ["all, an element per thread, and a tree: step 01", "", tree, change(all_coalesced, tree)]


@table("n | data= | limit, µs=us | launch's part= | with trips, µs=us | step 07, µs=us | "
       "CUB, µs=us | single-pass, µs=us | single-pass / with trips=.2f")
def small_n(data):
    """Every size: the limit and how near the fastest programs come to it, in microseconds."""
    bench = data.bench
    for n in bench_data.common_sizes(bench, "int", bench_data.RIVALS):
        limit, trips = bench_data.limit_ms(bench, "int", n), bench_data.trips_ms(bench, "int", n)
        times = [run(bench, "int", key, n).ms for key in bench_data.RIVALS]
        size = f"{n >> 8} KiB" if n < 2**18 else f"{n >> 18} MiB"
        yield [power(n), size, limit, f"{100 * bench.empty_ms / limit:.0f} %", trips, *times,
               ratio(times[-1], trips)]


@table("word | in a sentence")
def words(data):
    """Each where NOTES.md introduces it."""
    for word, heading, sentence in notes.words(notes.load()):
        yield [f"[{word}](#{notes.anchor(heading)})", sentence.replace("|", "\\|")]


# ---- the detours ----

@table("program | read it | what it shows | 2^24: ms= | x step 07=.2f",
       "bench` and `make bench-multi-gpu")
def detours(data):
    """All in the order in which to read them. Floats where one has no ints, several GPUs where it
    has no single one."""
    for key in sorted(programs.detours(), key=programs.reading_order):
        for type, ms, remark in (
                ("int", run(data.bench, "int", key, SMALL).ms, ""),
                ("float", run(data.bench, "float", key, SMALL).ms, " (float)"),
                ("half", run(data.bench, "half", key, SMALL).ms, " (half)"),
                ("int", data.multi_gpu.times.get((2, key, "int"), {}).get(SMALL), " (2 GPUs)")):
            if ms:
                break
        program, base = programs.get(key), run(data.bench, type, "07", SMALL).ms
        times = ms and f"{ms:#.4g}{remark}", ratio(base, ms) if base else ""
        yield [link(key, "detours"), program.when_to_read or "-", program.idea,
               *(times if program.has_harness else ("", ""))]


SUMS = "deterministic-float cub cub-atomic cub-reproducible".split()
INPUTS = {"signed": "[-1, 1)", "uniform": "[0, 1)"}


@table("n | values in | a plain loop=.0e | step 07=.0e | "
       + " | ".join(f"`{key}`=.0e" for key in SUMS), "bench-float-order")
def errors(data):
    """How far sums of floats are from the exact one, over that, by the order of their additions."""
    for n, kind in itertools.product((2**12, 2**20, 2**28), INPUTS):
        found = {}
        for row in data.errors:
            if (row["n"], row["input"]) == (n, kind):
                found["loop"] = row["loop_error"] / abs(row["expected"])
                found[row["name"]] = row["error"] / abs(row["expected"])
        yield [power(n), INPUTS[kind], *map(found.get, ["loop", "step07", *SUMS])]


@table("GPUs | n | one GPU, µs=us | multi-gpu-peer=us | multi-gpu=us | multi-gpu-mpi=us | "
       "one GPU / peer=.2f | multi-gpu / peer=.2f", "bench-multi-gpu", of="multi_gpu")
def multi_gpu(data):
    """Several GPUs of a machine against one, of ints."""
    times = data.multi_gpu.times
    for count in data.multi_gpu.counts[1:]:
        sizes = {2**k for k in (10, 20, 22, 24, 26, 28, 30, 33)}  # of more the table would be long
        for n in sorted(sizes & {*times.get((count, "multi-gpu-peer", "int"), {})}):
            one, peer, *others = [times.get(key, {}).get(n) for key in (
                (1, "single-pass", "int"), *((count, key, "int") for key in (
                    "multi-gpu-peer", "multi-gpu", "multi-gpu-mpi")))]
            yield [str(count), power(n), one, peer, *others, ratio(one, peer), ratio(others[0], peer)]

"""Generated tables of programs: the ladder, the detours, and several GPUs."""

import textwrap

from tutorial import bench_data, programs
from tutorial.figures import power

SMALL, LARGE = 2**24, 2**30


def measured(data, more=""):
    """What was measured on what."""
    meta = data.bench.meta
    l2 = f"{meta['l2']} of L2 cache, " if "l2" in meta else ""
    about = (f"Measured by `make bench` on an {meta['gpu']} ({l2}CUDA {meta['cuda']}, driver "
             f"{meta['driver']}, {meta['date']}, commit {meta['commit']}): ints, blocks of 256, "
             f"cold cache, median of up to 100 runs, and below 2^22 of "
             f"{meta.get('processes', 'several')} processes; all sizes are in "
             f"`plots/data/h200.csv`. Peak is the memory's theoretical {data.bench.peak:.0f} "
             f"GB/s{more}.")
    return "\n".join(textwrap.wrap(about, 100)) + "\n"


# ---- the ladder ----

LADDER_HEAD = """
| step | idea | 2^24: ms | GB/s | 2^30: ms | GB/s | of peak | x step 00 | x CUB |
|---|---|---:|---:|---:|---:|---:|---:|---:|
"""


def ladder(data):
    """The steps and their peers at two sizes, under a line that says what was measured on what."""
    about = measured(data, ", `x CUB` is CUB's time over the step's")
    return about + LADDER_HEAD + "".join(
        ladder_row(data.bench, key) for key in bench_data.ladder(data.bench, "int"))


def ladder_row(bench, key):
    small, large = (bench_data.run(bench, "int", key, n) for n in (SMALL, LARGE))
    name = f"{key} {bench.names[key]}" if key.isdecimal() else key
    over_first, over_cub = (bench_data.times_over(bench, "int", LARGE, key, base)
                            for base in ("00", "cub"))
    cells = [programs.link(key, name), programs.get(key).idea, f"{small.ms:#.4g}",
             f"{small.gb_per_s:.0f}", f"{large.ms:#.4g}", f"{large.gb_per_s:.0f}",
             f"{large.share:.1f} %", f"{over_first:.0f}",
             f"{over_cub:.{2 if over_cub >= 0.01 else 4}f}"]
    return f"| {' | '.join(cells)} |\n"


# ---- the detours ----

DETOURS_HEAD = """\
| program | read it | what it shows | 2^24: ms | x step 07 |
|---|---|---|---:|---:|
"""


def detours(data):
    """All detours in the order in which to read them; `-` where nothing was measured."""
    return DETOURS_HEAD + "".join(detour_row(data, key)
                                  for key in sorted(programs.detours(), key=programs.reading_order))


def detour_row(data, key):
    ms = over = "-"
    time, type, remark = time_of(data, key)
    if time:
        ms = f"{time:#.4g}{remark}"
        over = f"{bench_data.run(data.bench, type, '07', SMALL).ms / time:.2f}"
    cells = [programs.link(key), programs.get(key).when_to_read or "-", programs.get(key).idea, ms,
             over]
    return f"| {' | '.join(cells)} |\n"


def time_of(data, key):
    """Milliseconds at 2^24, of which type, and a remark unless it was as all: ints on one GPU."""
    for bench, type, remark in ((data.bench, "int", ""), (data.bench, "float", " (float)"),
                                (data.multi_gpu, "int", " (2 GPUs)")):
        if SMALL in bench.runs.get((key, type), {}):
            return bench_data.run(bench, type, key, SMALL).ms, type, remark
    return None, "", ""


# ---- several GPUs ----

def multi_gpu(data):
    """All GPUs of a machine against one, at the sizes that both were measured at."""
    both, one = (bench_data.runs(data.multi_gpu, "int", "multi-gpu"),
                 bench_data.runs(data.bench, "int", "07"))
    rows = [f"| {power(n)} | {one[n].ms:#.4g} | {run.ms:#.4g} | {run.gb_per_s:.0f} | "
            f"{one[n].ms / run.ms:.2f} |\n" if n in one else
            f"| {power(n)} | - | {run.ms:#.4g} | {run.gb_per_s:.0f} | - |\n"
            for n, run in both.items()]
    about = f"Two GPUs measured at commit {data.multi_gpu.meta['commit']}:\n\n"
    return (about + "| n | step 07, one GPU: ms | multi-gpu, two GPUs: ms | GB/s | x step 07 |\n"
            "|---|---:|---:|---:|---:|\n" + "".join(rows))

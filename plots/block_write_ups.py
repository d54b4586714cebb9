"""The five write-ups' kernels: their place here, and their own figures beside ours.

Theirs are typed here, as the write-ups print them; ours come from the measured data."""

import collections

from tutorial import bench_data
from tutorial import programs
from plots.block_programs import power

# places: keys of programs, the nearest first. theirs: its figure and what it was measured with.
# ours: (key, n), or (key, n, base) for how many times as fast as base it is; None: no such figure.
Kernel = collections.namedtuple("Kernel", "write_up name idea places theirs ours")

RTX = "RTX 3080, 2^24 ints"
ONE_MEGA = "2^20 elements, GPU not named"
LITTLE = "512 elements, GPU not named"
FLOATS = "4,000,000 floats, GPU not named"
KERNELS = [
    Kernel(0, "`recursiveReduce`", "on the CPU: upper half onto lower half",
           ["global-sequential", "03"], "21.58 ms (CPU, 2^24 ints)", None),
    Kernel(0, "`reduceNeighbored`", "neighbouring pairs, in place in global memory",
           ["global-neighbored-pairs", "01"], f"0.5591 ms ({RTX})",
           ("global-neighbored-pairs", 2**24)),
    Kernel(0, "`reduceNeighboredLess`", "the first threads do the additions",
           ["global-strided-index", "02"], f"0.3075 ms ({RTX})", ("global-strided-index", 2**24)),
    Kernel(0, "`reduceInterleaved`", "upper half onto lower half",
           ["global-sequential", "03"], f"0.2660 ms ({RTX})", ("global-sequential", 2**24)),
    Kernel(1, "stage 1, basic", "pairs, the owner of the left one adds",
           ["global-neighbored-pairs", "01"], f"43.45 ms ({LITTLE})",
           ("global-neighbored-pairs", 2**10)),
    Kernel(1, "stage 2, minimal divergence", "working threads side by side",
           ["global-sequential", "03"], f"0.0246 ms ({LITTLE})", ("global-sequential", 2**10)),
    Kernel(1, "stage 3, shared memory", "partial sums on the chip",
           ["03"], f"0.0195 ms ({LITTLE})", ("03", 2**10)),
    Kernel(1, "stage 4, hierarchical", "a tree a block, then one atomicAdd a block",
           ["atomic-finish", "03"], f"0.0164 ms ({ONE_MEGA})", ("atomic-finish", 2**20)),
    Kernel(1, "stage 5, coarsened", "many elements a thread",
           ["06"], f"0.0113 ms ({ONE_MEGA})", ("06", 2**20)),
    Kernel(2, "solution 0", "one contiguous piece a thread",
           ["00"], f"15 ms ({ONE_MEGA})", ("00", 2**20)),
    Kernel(2, "solution 0.5", "thread t takes elements t, t + 1024, …",
           ["grid-stride", "06"], f"10 ms ({ONE_MEGA})", ("grid-stride", 2**20)),
    Kernel(2, "solution 1", "a tree in shared memory", ["01"], "", ("01", 2**20)),
    Kernel(2, "solution 2", "thread t takes the t-th pair", ["02"], "", ("02", 2**20)),
    Kernel(2, "solution 3", "first half and second half: no bank conflicts",
           ["03"], "", ("03", 2**20)),
    Kernel(2, "solution 4", "the first addition before shared memory",
           ["04"], "nearly twice as fast as 3", ("04", 2**24, "03")),
    Kernel(2, "solution 5", "the last warp without barrier", ["05"], "", ("05", 2**24, "04")),
    Kernel(2, "solution 6", "`__shfl_down_sync`", ["07"], "", ("07", 2**24, "06")),
    Kernel(3, "`vecAddKernel`", "no vector fits its blocks: the test `i < n`",
           ["01"], "", None),
    Kernel(3, "`sumReduce1`", "neighbouring pairs in shared memory",
           ["01"], f"18.6 GB/s ({FLOATS})", ("01", 2**22)),
    Kernel(3, "`sumReduce3`", "upper half onto lower half",
           ["03"], f"25.8 GB/s ({FLOATS})", ("03", 2**22)),
    Kernel(4, "`reduce0`", "a launch a level: halving",
           ["halving-launches"], "", ("halving-launches", 2**24)),
    Kernel(4, "`reduce1`", "grid-stride loop, sums in global memory, three launches",
           ["grid-stride"], "", ("grid-stride", 2**24)),
    Kernel(4, "`reduce2`", "grid-stride loop, then a tree in shared memory",
           ["grid-stride"], "", ("grid-stride", 2**24)),
    Kernel(4, "`reduce3`", "a block that is no power of two",
           ["any-block-size"], "about as fast as `reduce2`",
           ("any-block-size", 2**24)),
    Kernel(4, "`reduce4`", "the whole tree unrolled, the last warp with `__syncwarp`",
           ["unrolled-tree", "05"], "", ("unrolled-tree", 2**24)),
]


def kernels(data):
    """All kernels, in the write-ups' order."""
    head = "| write-up | kernel | its idea | here | its figure | ours |\n|---|---|---|---|---|---|\n"
    return head + "".join(kernel_row(data.bench, kernel) for kernel in KERNELS)


def kernel_row(bench, kernel):
    places = ", ".join(programs.link(key) for key in kernel.places)
    unit = "GB/s" if "GB/s" in kernel.theirs else "ms"
    ours = our_figure(bench, unit, *kernel.ours) if kernel.ours else "-"
    cells = [str(kernel.write_up), kernel.name, kernel.idea, places, kernel.theirs or "-", ours]
    return f"| {' | '.join(cells)} |\n"


def our_figure(bench, unit, key, n, base=None):
    run = bench_data.run(bench, "int", key, n)
    if base:
        return (f"{bench_data.times_over(bench, 'int', n, key, base):.2f} x "
                f"{programs.get(base).name} ({power(n)})")
    figure = f"{run.ms:#.3g} ms" if unit == "ms" else f"{run.gb_per_s:.0f} GB/s"
    return f"{figure} ({power(n)})"


# ---- write-up 0, with its own size of block and its own metrics ----

# kernel: (its ms, instructions a warp, global load throughput in GB/s, branch efficiency in %)
WRITE_UP_0 = {
    "global-neighbored-pairs": ("0.5591", "292.88", "842", "-"),
    "global-strided-index": ("0.3075", "115.38", "1550", "98.36"),
    "global-sequential": ("0.2660", "-", "467", "98.36"),
}
METRICS = ["instructions_per_warp", "global_load_throughput", "branch_efficiency_pct"]


def write_up_0(data):
    """Its three kernels on its GPU and on ours: 2^24 ints, blocks of 512."""
    gpu = data.write_up_0.meta["gpu"]
    text = f"Ours were measured at commit {data.write_up_0.meta['commit']}.\n\n"
    text += ("| kernel | GPU | ms | x the first | instructions a warp | global loads, GB/s | "
            "branch efficiency, % |\n|---|---|---:|---:|---:|---:|---:|\n")
    first_theirs, first_ours = None, None
    for key, (ms, *theirs) in WRITE_UP_0.items():
        metrics, run = data.nsight[key], bench_data.run(data.write_up_0, "int", key, 2**24)
        first_theirs, first_ours = first_theirs or float(ms), first_ours or run.ms
        ours = [f"{metrics['instructions_per_warp']:.2f}",
                f"{metrics['global_load_throughput'] / 1e9:.0f}",
                f"{metrics['branch_efficiency_pct']:.2f}"]
        for of, time, figures, first in (("RTX 3080", ms, theirs, first_theirs),
                                         (gpu, f"{run.ms:.4f}", ours, first_ours)):
            cells = [programs.link(key), of, time, f"{first / float(time):.2f}", *figures]
            text += f"| {' | '.join(cells)} |\n"
    return text

"""Generated text that teaches to read the numbers: Little's law, the launch, sums of floats, CUB."""

import math
import textwrap

from tutorial import bench_data
from plots.block_programs import LARGE, power
from tutorial.files import BadData

# ---- Little's law ----

MULTIPROCESSORS = {"NVIDIA H200": 132}
THREADS = 2048  # resident on a multiprocessor at most: CUDA C++ Programming Guide, table of limits
# of a thread, at once; nvcc does not unroll grid-stride's loop
LOADS = {"grid-stride": 1, "01": 1, "02": 1, "03": 1, "04": 2, "05": 2, "06": 16, "07": 16}


def turnaround(data):
    """The bytes under way at most, over the bandwidth: how long each of them holds its place."""
    text = ("| program | loads of a thread | MB under way at most | GB/s at 2^30 | "
            "turnaround, µs |\n|---|---:|---:|---:|---:|\n")
    for key, loads in LOADS.items():
        megabytes, gb_per_s = under_way(data, key), bandwidth(data, key)
        text += (f"| {bench_data.label(data.bench, key)} | {loads} | {megabytes:.1f} | "
                 f"{gb_per_s:.0f} | {megabytes / gb_per_s * 1e3:.1f} |\n")
    return text


def under_way(data, key):
    """Megabytes, at most."""
    gpu = data.bench.meta["gpu"]
    if gpu not in MULTIPROCESSORS:
        raise BadData(data.bench.path, None, f"is of an {gpu}, whose number of multiprocessors is "
                                             "not in plots/block_reading.py")
    return MULTIPROCESSORS[gpu] * THREADS * LOADS[key] * 4 / 1e6


def bandwidth(data, key):
    return bench_data.run(data.bench, "int", key, LARGE).gb_per_s


def trip(data):
    """How long a trip to memory takes at most, from a program that does little else."""
    trip = under_way(data, "grid-stride") / bandwidth(data, "grid-stride") * 1e3
    return wrapped(
        f"The data bound it. All threads of `grid-stride` together have {THREADS} x "
        f"{MULTIPROCESSORS[data.bench.meta['gpu']]} loads of 4 bytes under way at most, and read "
        f"{bandwidth(data, 'grid-stride'):.0f} GB/s at {power(LARGE)}: so each load takes "
        f"{trip:.2f} µs, the loop around it included. To draw the peak of {data.bench.peak:.0f} "
        f"GB/s through a trip of that length, {data.bench.peak * trip * 1e-3:.1f} MB must be under "
        f"way all the time.")


# ---- the launch ----

def small_n(data):
    """Every size: the limit and how near the fastest programs come to it, in microseconds."""
    bench = data.bench
    text = ("| n | data | limit, µs | launch's part | step 07, µs | CUB, µs | single-pass, µs | "
            "single-pass / limit |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
    for n in bench_data.common_sizes(bench, "int", bench_data.RIVALS):
        limit = bench_data.limit_ms(bench, "int", n)
        times = [bench_data.run(bench, "int", key, n).ms for key in bench_data.RIVALS]
        text += (f"| {power(n)} | {size(n * 4)} | {plain(limit * 1e3)} | "
                 f"{100 * bench.empty_ms / limit:.0f} % | "
                 f"{' | '.join(plain(ms * 1e3) for ms in times)} | {times[-1] / limit:.2f} |\n")
    return text


def second_launch(data):
    """Step 07 where its tile of 4096 is enough, and where it is not."""
    one, two = (bench_data.run(data.bench, "int", "07", n).ms for n in (2**12, 2**14))
    return wrapped(f"Step 07 takes {us(one)} at 2^12, where one launch is enough, and {us(two)} at "
                   f"2^14, where it takes two. The data are next to nothing; it is the second "
                   f"launch that costs {us(two - one)}.")


# ---- the order of a sum of floats ----

def float_order(data):
    """How many different sums of the same floats there are, by atomics and in a fixed order."""
    runs = data.float_order["atomic-finish"]
    fixed = data.float_order["deterministic-float"]
    sums = sorted({run.result for run in runs}, key=float)
    return wrapped(
        f"{len(runs)} runs of `atomic-finish` over the same {power(runs[0].n)} floats gave "
        f"{len(sums)} different sums, from {sums[0]} to {sums[-1]}. `deterministic-float` gave "
        f"{' and '.join(sorted({run.result for run in fixed}))} with blocks of "
        f"{', '.join(str(run.block) for run in fixed)}. The sum in double is {runs[0].expected}.")


# ---- against CUB ----

def cub(data):
    """CUB's time over step 07's and over single-pass's, and their geometric means."""
    sizes = bench_data.common_sizes(data.bench, "int", bench_data.RIVALS)
    lines = []
    for key, name in (("07", "Step 07"), ("single-pass", "Single-pass")):
        ratios = [bench_data.times_over(data.bench, "int", n, key, "cub") for n in sizes]
        worst = min(range(len(sizes)), key=ratios.__getitem__)
        lines.append(f"{name}: {', '.join(f'{ratio:.2f}' for ratio in ratios)}; geometric mean "
                     f"{math.prod(ratios) ** (1 / len(ratios)):.3f}, lowest {ratios[worst]:.3f} at "
                     f"{power(sizes[worst])}.")
    return (wrapped(f"CUB's time over ours at n = {', '.join(map(power, sizes))}:") + "\n" +
            "".join("- " + wrapped(line, "  ", 98) for line in lines))


def size(count):
    return f"{count >> 10} KiB" if count < 2**20 else f"{count >> 20} MiB"


def plain(number):
    return f"{number:.{2 if number < 100 else 1}f}"


def us(ms):
    return f"{ms * 1e3:.2f} µs"


def wrapped(text, indent="", width=100):
    return "\n".join(textwrap.wrap(text, width, subsequent_indent=indent)) + "\n"

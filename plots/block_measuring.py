"""Generated text on the measuring itself: may one trust it, what was expected, what was tuned."""

import math
from statistics import median

import bench_data
from block_programs import SMALL, power
from block_reading import RIVALS, plain, size, wrapped
from csv_input import BadData

# ---- may one trust a time ----

FITS = 2**22  # from this n on, two runs should agree


def hot(data):
    """A program with the input in the cache and without."""
    text = "| n | data | cold, µs | hot, µs | hot / cold |\n|---|---:|---:|---:|---:|\n"
    for key, n, cache in sorted(data.trust):
        if cache == "hot":
            cold_us, hot_us = (1e3 * median(data.trust[key, n, each]) for each in ("cold", "hot"))
            text += (f"| {power(n)} | {size(n * 4)} | {plain(cold_us)} | {plain(hot_us)} | "
                     f"{hot_us / cold_us:.2f} |\n")
    return text


def processes(data):
    """The same program at the same n in several processes: least and most, and CUB's ratios."""
    sizes = sorted({n for _, n, _ in data.trust
                    if all((key, n, "cold") in data.trust for key in RIVALS)})
    text = ("| n | step 07, µs | CUB, µs | single-pass, µs | CUB / step 07 | CUB / single-pass |\n"
            "|---|---:|---:|---:|---:|---:|\n")
    for n in sizes:
        times = [data.trust[key, n, "cold"] for key in RIVALS]
        ours, cub, single = map(median, times)
        ranges = " | ".join(f"{min(ms) * 1e3:.2f} … {max(ms) * 1e3:.2f}" for ms in times)
        text += f"| {power(n)} | {ranges} | {cub / ours:.2f} | {cub / single:.2f} |\n"
    return text


CHANGED = ["single-pass"]  # between the two runs


def agreement(data):
    """Two runs of the bench: how far their medians lie apart."""
    first, second = data.earlier, data.bench
    apart = sorted(((abs(second.runs[key, type][n].ms / run.ms - 1), n, key, type)
                    for (key, type), of_n in first.runs.items() for n, run in of_n.items()
                    if key not in CHANGED and n in second.runs.get((key, type), {})), reverse=True)
    large = [row for row in apart if row[1] >= FITS]
    if not large or len(large) == len(apart):
        raise BadData(first.path, None, f"has too few rows in common with {second.path}")
    beyond = [f"{key} at {power(n)} {100 * part:.1f} %" for part, n, key, _ in large if part > 0.03]
    return wrapped(
        f"Two runs of the bench (commits {first.meta['commit']} and {second.meta['commit']}) have "
        f"{len(large)} rows from {power(FITS)} on in common, without single-pass, which was changed "
        f"in between. In the median they lie {100 * median(row[0] for row in large):.1f} % apart; "
        f"{len(large) - len(beyond)} of them agree within 3 %. Beyond it: {', '.join(beyond)}. "
        f"Below {power(FITS)} the largest difference is {100 * max(apart)[0]:.1f} %. CUB's time "
        f"over step 07's: {' and '.join(map(against_cub, (first, second)))}. No bandwidth exceeds "
        f"the theoretical peak: the highest of both is {highest_share(first, second):.1f} % of it.")


def highest_share(*benches):
    """Of the peak, in percent."""
    return max(run.share for bench in benches for runs in bench.runs.values()
               for run in runs.values())


def against_cub(bench):
    """The ratios of one run in short."""
    sizes = bench_data.common_sizes(bench, "int", ["07", "cub"])
    ratios = [bench_data.times_over(bench, "int", n, "07", "cub") for n in sizes]
    worst = sizes[ratios.index(min(ratios))]
    return (f"{math.prod(ratios) ** (1 / len(ratios)):.3f} in the geometric mean (lowest "
            f"{min(ratios):.3f} at {power(worst)}; {ratios[-1]:.3f} at {power(sizes[-1])})")


# ---- what was expected ----

# milliseconds at 2^24, of prototypes on an H200, before a step was written
EXPECTED = {"00": 8.51, "01": 0.171, "02": 0.109, "03": 0.0851, "04": 0.0493, "05": 0.0363,
            "06": 0.0220, "07": 0.0219, "cub": 0.0217}


def expected(data):
    """Prototypes' times beside what came."""
    text = "| step | expected, ms | measured, ms | measured / expected |\n|---|---:|---:|---:|\n"
    for key, ms in EXPECTED.items():
        ours = bench_data.run(data.bench, "int", key, SMALL).ms
        text += (f"| {bench_data.label(data.bench, key)} | {ms:#.3g} | {ours:#.3g} | "
                 f"{ours / ms:.2f} |\n")
    return text


# ---- what was tuned ----

def tuning(data):
    """Each variant's time over that of the program as it is."""
    sizes = sorted(next(iter(data.tuning.values())))
    text = (f"| program | changed | {' | '.join(map(power, sizes))} |\n"
            f"|---|---|{'---:|' * len(sizes)}\n")
    for (name, changed), of_n in data.tuning.items():
        taken = data.tuning[name, "nothing"]
        cells = [f"{median(of_n[n]) * 1e3:.2f} µs" if changed == "nothing" else
                 f"x {median(of_n[n]) / median(taken[n]):.2f}" for n in sizes]
        text += f"| {name} | {changed.replace('=', ' ')} | {' | '.join(cells)} |\n"
    return text

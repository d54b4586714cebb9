"""Generated text on the measuring itself: may one trust it, what was expected, what was tuned."""

import math
from statistics import median

from tutorial import bench_data
from tutorial import side_data
from plots.block_programs import SMALL, power
from plots.block_reading import plain, size, wrapped
from tutorial.files import BadData

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
    sizes = sorted({n for _, n, _ in data.trust if n <= side_data.SMALL})
    text = ("| n | step 07, µs | CUB, µs | single-pass, µs | CUB / step 07 | CUB / single-pass |\n"
            "|---|---:|---:|---:|---:|---:|\n")
    for n in sizes:
        times = [data.trust[key, n, "cold"] for key in bench_data.RIVALS]
        ours, cub, single = map(median, times)
        ranges = " | ".join(f"{min(ms) * 1e3:.2f} … {max(ms) * 1e3:.2f}" for ms in times)
        text += f"| {power(n)} | {ranges} | {cub / ours:.2f} | {cub / single:.2f} |\n"
    return text


CHANGED = ["single-pass"]  # since the earlier runs


def agreement(data):
    """How far the medians of earlier runs of the bench lie from those of this one."""
    runs = [*data.earlier, data.bench]
    text = wrapped(
        f"Runs of the bench at commits {listed(run.meta['commit'] for run in data.earlier)} beside "
        f"that of the ladder, {data.bench.meta['commit']}, without single-pass, which was changed "
        f"since:") + "\n"
    for earlier in data.earlier:
        text += "- " + wrapped(apart_from(earlier, data.bench), "  ", 98)
    return text + "\n" + wrapped(
        f"CUB's time over step 07's: {listed(map(against_cub, runs))}. No bandwidth exceeds the "
        f"theoretical peak: the highest of all is {max(map(highest_share, runs)):.1f} % of it.")


def apart_from(first, second):
    """One earlier run beside the later one, in short."""
    apart = sorted(((abs(second.runs[key, type][n].ms / run.ms - 1), n, key, type)
                    for (key, type), of_n in first.runs.items() for n, run in of_n.items()
                    if key not in CHANGED and n in second.runs.get((key, type), {})), reverse=True)
    large = [row for row in apart if row[1] >= FITS]
    if not large or len(large) == len(apart):
        raise BadData(first.path, None, f"has too few rows in common with {second.path}")
    small = max(part for part, n, _, _ in apart if n < FITS)
    beyond = [f"{'step ' * key.isdigit()}{key} at {power(n)} {100 * part:.2f} %"
              for part, n, key, _ in large if part > 0.03]
    return (f"{first.meta['commit']}: {len(large)} rows from {power(FITS)} on in common, in the "
            f"median {100 * median(row[0] for row in large):.1f} % apart; "
            f"{len(large) - len(beyond)} within 3 %, beyond it {', '.join(beyond) or 'none'}. Below "
            f"{power(FITS)} the largest difference is {100 * small:.1f} %.")


def listed(texts):
    """a, b and c"""
    *most, last = texts
    return f"{', '.join(most)} and {last}" if most else last


def highest_share(bench):
    """Of the peak, in percent."""
    return max(run.share for runs in bench.runs.values() for run in runs.values())


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


def fence(data):
    """What `FENCE 1` takes longer than the program as it is."""
    with_fence, without = (data.tuning["single-pass", of] for of in ("FENCE=1", "nothing"))
    longer = [f"{1e3 * (median(with_fence[n]) - median(without[n])):.1f} µs at {power(n)}"
              for n in sorted(without)]
    return wrapped(f"With `FENCE 1` it takes longer, by {listed(longer)}.")

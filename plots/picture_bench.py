"""Pictures of what make bench measured: the bandwidth of the ladder against n, and of two programs
of one's choice; as bars the speedup of each step, its share of the peak, and the time of every
program, steps and detours."""

from plots import style
from plots.read import bench_data, programs
from plots.read.figures import factor, milliseconds, ratio
from plots.read.files import BadData

PLACE = {"left": 0.085, "right": 0.7, "top": 0.8, "bottom": 0.115}  # labels stand at the right
BARS_PLACE = {"left": 0.26, "right": 0.975, "top": 0.79, "bottom": 0.04}


# ---- bandwidth ----

def ladder(bench, type, _):
    picture = style.figure(bench, type, "Small arrays wait for the launch, large ones for the "
                           "memory", "median")
    draw_bandwidth(picture.subplots(gridspec_kw=PLACE), bench, type, bench_data.ladder(bench, type),
                   gap=0.052)
    return picture


def draw_bandwidth(axes, bench, type, keys, gap):
    """A line for each program, and the limit; all labelled at their right ends, gap apart."""
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ends, measured = [], set()
    for key, look in style.looks(keys).items():
        runs = bench_data.runs(bench, type, key)
        bandwidths = [run.gb_per_s for run in runs.values()]
        axes.plot([*runs], bandwidths, **look)
        ends.append((look, programs.label(key), max(runs), bandwidths[-1]))
        measured |= {*runs}
    ends.append(draw_limit(axes, bench, type))
    style.end_labels(axes, ends, gap)
    ticks = sorted(measured)[::-2]  # every second one, for their labels need room
    axes.set_xticks(ticks, map(style.power, ticks))
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    style.name(axes, "effective bandwidth, GB/s")


def draw_limit(axes, bench, type):
    """The limit, and in grey what lies beyond it; what is left of it when the trips that nobody can
    do without are counted; what end_labels needs of it."""
    axes.margins(x=0.015)
    (low, _), (left, right) = axes.get_ylim(), axes.get_xlim()
    curve = [left * (right / left) ** (i / 60) for i in range(61)]
    limit, trips = ([ratio(n * bench_data.BYTES[type] / 1e6, least(bench, type, n)) for n in curve]
                    for least in (bench_data.limit_ms, bench_data.trips_ms))
    axes.set_xlim(left, right)
    axes.set_ylim(low, 2 * limit[-1])
    axes.fill_between(curve, limit, 2 * limit[-1], color=style.SHADE, linewidth=0)
    axes.plot(curve, limit, **style.LIMIT)
    if all(trips):
        axes.plot(curve, trips, **style.TRIPS)
        axes.annotate("broken: with one trip to memory\nand one between blocks",
                      (curve[20], trips[20]), (0.02, 0.74), va="center", color=style.QUIET,
                      textcoords="axes fraction",
                      arrowprops={"arrowstyle": "-", "color": style.QUIET, "linewidth": 0.8})
    peak = f" + bytes / {bench.peak:.0f} GB/s" if bench.peak else ""
    style.write(axes, "grey, beyond the limit: an empty launch "
                f"({1000 * bench.empty_ms:.1f} µs){peak}", (0.975, 1), (0, 10),
                ("figure fraction", "axes fraction"), ha="right", color=style.QUIET)
    return style.LIMIT, "the limit", right, limit[-1]


def pair(bench, type, old, new):
    """Their bandwidth, and below it how many times as fast the second one is."""
    sizes = bench_data.common_sizes(bench, type, [old, new])
    if old == new or not sizes:
        raise BadData(bench.path, None, f"{old} and {new} cannot be compared: two programs "
                                        "measured at the same n would be right")
    ratios = [bench_data.times_over(bench, type, n, new, old) for n in sizes]
    title = (f"{programs.spoken(new)} is {factor(ratios[-1])} times as fast as "
             f"{programs.spoken(old)} at n = {style.power(sizes[-1])}")
    picture = style.figure(bench, type, title[0].upper() + title[1:], "median")
    above, below = picture.subplots(2, 1, sharex=True, height_ratios=[2.1, 1],
                                    gridspec_kw=PLACE | {"hspace": 0.3})
    draw_bandwidth(above, bench, type, [old, new], gap=0.09)
    above.set_xlabel("")
    below.plot(sizes, ratios, color=style.INK, marker="o", linewidth=2.2, markersize=7)
    below.axhline(1, color=style.QUIET, linewidth=1, linestyle=(0, (5, 3)))
    below.margins(y=0.2)
    below.locator_params(axis="y", nbins=3)
    style.name(below, f"{new} over {old}: times as fast")
    # the last one, where the launch no longer counts
    style.write(below, f"{factor(ratios[-1])}×", (sizes[-1], ratios[-1]), (22, 0), fontsize=16,
                va="center_baseline")
    return picture


# ---- bars ----

def bars(axes, keys, start, ends, texts, size=style.SMALL, least=0, **look):
    """A row a program, from the top down: a bar, and right of it, and of least, a text. It has its
    figures, so no scale is needed."""
    for row, (key, end, text) in enumerate(zip(keys, ends, texts)):
        axes.barh(row, end - start, left=start, height=0.64, **look or style.bar(key))
        style.write(axes, text, (max(start, end, least), row), (7, 0), fontsize=size,
                    va="center_baseline")
    axes.set_yticks(range(len(keys)), [programs.label(key) for key in keys])
    axes.tick_params(axis="y", length=0, pad=8, labelsize=min(size, style.SMALL))
    axes.set_ylim(len(keys) - 0.4, -0.6)
    axes.xaxis.set_visible(False)
    axes.spines["bottom"].set_visible(False)


def speedup(bench, type, _):
    steps, n = bench_data.steps(bench, type), bench_data.largest_size(bench, type)
    ms = [bench_data.run(bench, type, step, n).ms for step in steps]
    over_first = [ms[0] / this for this in ms]
    over_last = [before / this for before, this in zip(ms[:1] + ms, ms)]
    picture = style.figure(bench, type, f"{factor(over_first[-1])} times as fast in "
                           f"{len(steps) - 1} steps", f"n = {style.power(n)}")
    left, right = picture.subplots(1, 2, sharey=True, width_ratios=[3, 2],
                                   gridspec_kw=BARS_PLACE | {"wspace": 0.12})
    ratio_bars(left, f"over step {steps[0]}", 0, style.BLUE, steps, over_first)
    left.set_xlim(0, 1.25 * max(over_first))
    right.set_xscale("log")
    right.set_xlim(0.93 * min(over_last), max(over_last) ** 1.3 * 1.1)
    ratio_bars(right, "over the step before (log scale)", 1, style.VERMILLION, steps, over_last)
    return picture


def ratio_bars(axes, title, start, color, steps, ratios):
    axes.set_title(title, fontsize=16, loc="left", pad=12)
    axes.axvline(start, color=style.QUIET, linewidth=1)
    axes.spines["left"].set_visible(False)
    bars(axes, steps, start, ratios, [f"{factor(ratio)}×" * (ratio != start) for ratio in ratios],
         size=16, color=color)


def share(bench, type, _):
    n, last = bench_data.largest_size(bench, type), bench_data.steps(bench, type)[-1]
    runs = {key: run for key in bench_data.ladder(bench, type)
            if (run := bench_data.run(bench, type, key, n)).ms}
    picture = style.figure(bench, type, f"Step {last} reads at {runs[last].share:.1f} % of the "
                           "theoretical peak", f"n = {style.power(n)}")
    axes = picture.subplots(gridspec_kw=BARS_PLACE | {"right": 0.8})
    bars(axes, runs, 0, [run.share for run in runs.values()],
         [f"{run.share:.1f} % · {run.gb_per_s:.0f} GB/s" for run in runs.values()], least=100)
    axes.set_xlim(0, 100)
    axes.axvline(100, color=style.INK, linewidth=1.5, linestyle=(0, (5, 3)))
    style.write(axes, f"theoretical peak, {bench.peak:.0f} GB/s", (1, 1), (0, 6), "axes fraction",
                ha="center", color=style.QUIET)
    return picture


def detours(bench, type, _):
    """Bars from the limit, so that their lengths on the log scale are ratios."""
    n, *_ = bench_data.two_sizes(bench, type)  # where launch and memory both count
    ms = {key: bench_data.run(bench, type, key, n).ms for key in bench_data.measured(bench, type)}
    keys, limit = sorted(filter(ms.get, ms), key=ms.get), bench_data.limit_ms(bench, type, n)
    title = f"Of {len(keys)} ways {programs.label(keys[0])} comes nearest to the limit"
    picture = style.figure(bench, type, title, f"n = {style.power(n)}",
                           "steps dark, detours light, CUB hatched")
    axes = picture.subplots(gridspec_kw=BARS_PLACE)
    axes.set_xscale("log")
    axes.set_xlim(limit, limit * max(ms[keys[-1]] / limit, 2) ** 1.2)  # room for its label
    bars(axes, keys, limit, [ms[key] for key in keys],
         [f"{milliseconds(ms[key])} · {factor(ms[key] / limit)}×" for key in keys],
         size=max(12.5, min(style.SMALL, 350 / len(keys))))  # points; as large as rows allow
    axes.set_title(f"ms, and how many times the limit of {milliseconds(limit)} ms, which is "
                   "where the bars begin (log scale)", fontsize=style.SMALL, loc="left", pad=8)
    return picture

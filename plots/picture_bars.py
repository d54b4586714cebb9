"""Three pictures of bars: the speedup of each step, its share of the peak, and the time of every
program, steps and detours."""

from plots import style
from tutorial import bench_data
from tutorial.figures import digits, milliseconds, times

WORDS = "zero one two three four five six seven eight nine".split()
SIZE = 2**24  # of all programs: where launch and memory both count


def name_rows(axes, bench, keys, **font):
    axes.set_yticks(range(len(keys)), [bench_data.label(bench, key) for key in keys], **font)


def no_scale(axes):
    axes.xaxis.set_visible(False)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="y", length=0, pad=8)


# ---- speedup ----

def speedup(bench, type, _):
    steps = bench_data.steps(bench, type)
    n = bench_data.largest_size(bench, type)
    base, last = steps[0], steps[-1]
    total = bench_data.times_over(bench, type, n, last, base)
    changes = WORDS[len(steps) - 1] if len(steps) <= len(WORDS) else str(len(steps) - 1)
    picture = style.figure(f"{times(total).rstrip('×')} times as fast in {changes} steps",
                           style.subtitle(bench, type, f"n = {style.power(n)}"))
    left, right = picture.subplots(1, 2, sharey=True, gridspec_kw={"width_ratios": [3, 2]})
    picture.subplots_adjust(left=0.26, right=0.965, top=0.79, bottom=0.04, wspace=0.12)
    ratio_bars(left, f"over step {base}", style.BLUE,
               [bench_data.times_over(bench, type, n, step, base) for step in steps])
    ratio_bars(right, "over the step before", style.VERMILLION,
               [None] + [bench_data.times_over(bench, type, n, step, before)
                         for before, step in zip(steps, steps[1:])])
    name_rows(left, bench, steps)
    left.invert_yaxis()
    return picture


def ratio_bars(axes, title, color, ratios):
    """Bars from 1 on a log scale; None is left out."""
    known = [ratio for ratio in ratios if ratio]
    axes.set_xscale("log")
    axes.set_xlim(min(0.93 * min(known), 0.97), max(known) ** 1.3 * 1.1)
    axes.set_title(f"{title} (log scale)", fontsize=16, loc="left", pad=12)
    axes.axvline(1, color=style.QUIET, linewidth=1)
    for place, ratio in enumerate(ratios):
        if ratio:
            axes.barh(place, ratio - 1, left=1, color=color, height=0.62)
            style.write(axes, times(ratio), (max(ratio, 1), place), fontsize=16)
    no_scale(axes)
    axes.spines["left"].set_visible(False)


# ---- share of the peak ----

def share(bench, type, _):
    n = bench_data.largest_size(bench, type)
    keys = bench_data.measured_at(bench, type, n, bench_data.ladder(bench, type))
    last = bench_data.steps(bench, type)[-1]
    reached = bench_data.run(bench, type, last, n).share
    picture = style.figure(f"Step {last} reads at {reached:.1f} % of what the memory can do",
                           style.subtitle(bench, type, f"n = {style.power(n)}"))
    axes = picture.subplots()
    picture.subplots_adjust(left=0.26, right=0.8, top=0.79, bottom=0.04)
    for place, key in enumerate(keys):
        run = bench_data.run(bench, type, key, n)
        axes.barh(place, run.share, height=0.62, **style.bar(key))
        # a long bar's label stands right of the peak, not across it
        style.write(axes, f"{run.share:.1f} %   "
                    f"{digits(run.gb_per_s, 4 if run.gb_per_s > 1000 else 3)} GB/s",
                    (run.share if run.share < 60 else max(run.share, 100), place), offset=9)
    name_rows(axes, bench, keys)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.axvline(100, color=style.INK, linewidth=1.5, linestyle=(0, (5, 3)))
    axes.annotate(f"theoretical peak, {bench.peak:.0f} GB/s", (1, 1), (0, 6), ha="center",
                  va="bottom", color=style.QUIET, xycoords="axes fraction",
                  textcoords="offset points")
    no_scale(axes)
    return picture


# ---- every program ----

def detours(bench, type, _):
    """Bars from the limit, so that their lengths on the log scale are ratios."""
    sizes = bench_data.common_sizes(bench, type, bench_data.steps(bench, type))
    n = SIZE if SIZE in sizes else bench_data.largest_size(bench, type)
    keys = bench_data.measured_at(bench, type, n, bench_data.measured(bench, type))
    ms = {key: bench_data.run(bench, type, key, n).ms for key in keys}
    keys.sort(key=ms.get)
    limit = bench_data.limit_ms(bench, type, n)
    picture = style.figure(f"The sum of {style.power(n)} elements, {len(keys)} ways",
                           style.subtitle(bench, type, "steps dark, detours light, CUB hatched"))
    axes = picture.subplots()
    picture.subplots_adjust(left=0.26, right=0.975, top=0.8, bottom=0.03)
    size = min(style.SMALL, 330 / len(keys))  # points, so that many rows still have room
    for place, key in enumerate(keys):
        axes.barh(place, ms[key] - limit, left=limit, height=0.66, **style.bar(key))
        style.write(axes, f"{milliseconds(ms[key])}   {times(ms[key] / limit)}",
                    (max(ms[key], limit), place), fontsize=size)
    axes.set_xscale("log")
    # room for the label right of the longest bar; several GPUs may beat the limit of one
    axes.set_xlim(min(limit, *ms.values()), limit * max(max(ms.values()) / limit, 2) ** 1.2)
    axes.set_ylim(len(keys) - 0.4, -0.6)
    no_scale(axes)
    name_rows(axes, bench, keys, fontsize=size)
    axes.set_title(f"ms, and how many times the limit of {milliseconds(limit)} ms, which is "
                   "where the bars begin (log scale)", fontsize=style.SMALL, loc="left", pad=8)
    return picture

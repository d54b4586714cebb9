"""Two pictures of the ladder at its largest n: the speedup of each step, its share of the peak."""

from tutorial import bench_data
from plots import style

WORDS = "zero one two three four five six seven eight nine".split()


# ---- speedup ----

def speedup(bench, type):
    steps = bench_data.steps(bench, type)
    n = bench_data.largest_size(bench, type)
    base, last = steps[0], steps[-1]
    total = bench_data.times_over(bench, type, n, last, base)
    changes = WORDS[len(steps) - 1] if len(steps) <= len(WORDS) else str(len(steps) - 1)
    picture = style.figure(f"{style.times(total).rstrip('×')} times as fast in {changes} steps",
                           style.subtitle(bench, type, f"n = {style.power(n)}"))
    left, right = picture.subplots(1, 2, sharey=True, gridspec_kw={"width_ratios": [3, 2]})
    picture.subplots_adjust(left=0.26, right=0.965, top=0.79, bottom=0.04, wspace=0.12)
    ratio_bars(left, f"over step {base}", style.BLUE,
               [bench_data.times_over(bench, type, n, step, base) for step in steps])
    ratio_bars(right, "over the step before", style.VERMILLION,
               [None] + [bench_data.times_over(bench, type, n, step, before)
                         for before, step in zip(steps, steps[1:])])
    left.set_yticks(range(len(steps)), [bench_data.label(bench, step) for step in steps])
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
            axes.annotate(style.times(ratio), (max(ratio, 1), place), (7, 0), fontsize=16,
                          textcoords="offset points", va="center_baseline")
    axes.xaxis.set_visible(False)
    axes.spines[["bottom", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0, pad=8)


# ---- share of the peak ----

def share(bench, type):
    n = bench_data.largest_size(bench, type)
    keys = [key for key in bench_data.ladder(bench, type)
            if n in bench_data.runs(bench, type, key)]
    last = bench_data.steps(bench, type)[-1]
    reached = bench_data.run(bench, type, last, n).share
    picture = style.figure(f"Step {last} reads at {reached:.1f} % of what the memory can do",
                           style.subtitle(bench, type, f"n = {style.power(n)}"))
    axes = picture.subplots()
    picture.subplots_adjust(left=0.26, right=0.8, top=0.79, bottom=0.04)
    for place, key in enumerate(keys):
        share_bar(axes, place, key, bench_data.run(bench, type, key, n))
    axes.set_yticks(range(len(keys)), [bench_data.label(bench, key) for key in keys])
    axes.invert_yaxis()
    peak_line(axes, bench.peak)
    return picture


def share_bar(axes, place, key, run):
    axes.barh(place, run.share, height=0.62, **style.bar(key))
    digits = 4 if run.gb_per_s > 1000 else 3
    label = f"{run.share:.1f} %   {style.digits(run.gb_per_s, digits)} GB/s"
    # a long bar's label stands right of the peak, not across it
    at = run.share if run.share < 60 else max(run.share, 100)
    axes.annotate(label, (at, place), (9, 0), textcoords="offset points", va="center_baseline")


def peak_line(axes, peak):
    axes.set_xlim(0, 100)
    axes.axvline(100, color=style.INK, linewidth=1.5, linestyle=(0, (5, 3)))
    axes.annotate(f"theoretical peak, {peak:.0f} GB/s", (1, 1), (0, 6), ha="center", va="bottom",
                  color=style.QUIET, xycoords="axes fraction", textcoords="offset points")
    axes.xaxis.set_visible(False)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="y", length=0, pad=8)

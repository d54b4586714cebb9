"""Two pictures of bandwidth against n: the whole ladder, and two programs of one's choice."""

import math

from plots import style
from tutorial import bench_data
from tutorial.figures import times
from tutorial.files import BadData


def ladder(bench, type, _):
    picture = style.figure("Small arrays wait for the launch, large ones for the memory",
                           style.subtitle(bench, type, "median"))
    axes = picture.subplots()
    picture.subplots_adjust(left=0.085, right=0.7, top=0.8, bottom=0.115)
    draw_bandwidth(axes, bench, type, bench_data.ladder(bench, type), gap=0.052)
    return picture


def draw_bandwidth(axes, bench, type, keys, gap):
    """A line for each program, and the limit; all labelled at their right ends, gap apart."""
    set_scales(axes, bench, type, keys)
    ends = [draw_limit(axes, bench, type)]
    for key, look in style.looks(keys).items():
        runs = list(bench_data.runs(bench, type, key).values())
        axes.plot([run.n for run in runs], [run.gb_per_s for run in runs], **style.drawn(look))
        ends.append((look, bench_data.label(bench, key), runs[-1].n, runs[-1].gb_per_s))
    style.end_labels(axes, ends, gap, high=0.97)


def set_scales(axes, bench, type, keys):
    """Both logarithmic, from the first to the last n; labels where they have room."""
    runs = [run for key in keys for run in bench_data.runs(bench, type, key).values()]
    sizes = sorted({run.n for run in runs})
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlim(sizes[0] / 1.2, sizes[-1] * 1.2)
    axes.set_ylim(0.6 * min(run.gb_per_s for run in runs),
                  2 * bench_data.limit_gb_per_s(bench, type, sizes[-1]))
    ticks = sizes[-1:]
    for n in reversed(sizes[:-1]):
        if math.log(ticks[0] / n) >= math.log(sizes[-1] / sizes[0]) / 7:
            ticks.insert(0, n)
    axes.set_xticks(ticks, [style.power(n) for n in ticks])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    axes.grid(axis="y")
    axes.set_xlabel("n, elements")
    axes.set_title("effective bandwidth, GB/s", fontsize=style.SMALL, loc="left", pad=10)


def draw_limit(axes, bench, type):
    """The limit, and in grey what lies beyond it; what end_labels needs of it."""
    first, last = axes.get_xlim()
    curve = [first * (last / first) ** (i / 60) for i in range(61)]
    limit = [bench_data.limit_gb_per_s(bench, type, n) for n in curve]
    axes.fill_between(curve, limit, axes.get_ylim()[1], color=style.SHADE, linewidth=0)
    axes.plot(curve, limit, color=style.LIMIT.color, linewidth=1.8, linestyle=style.LIMIT.line)
    axes.annotate(f"grey, out of reach: an empty launch ({1000 * bench.empty_ms:.1f} µs) + bytes / "
                  f"{bench.peak:.0f} GB/s", (0.975, 1), (0, 10), ha="right", color=style.QUIET,
                  xycoords=("figure fraction", "axes fraction"), textcoords="offset points")
    return style.LIMIT, "the limit", curve[-1], limit[-1]


# ---- two programs ----

def pair(bench, type, old, new):
    """Their bandwidth, and below it how many times as fast the second one is."""
    sizes = bench_data.common_sizes(bench, type, [old, new])
    if old == new or not sizes:
        raise BadData(bench.path, None, f"{old} and {new} cannot be compared: two programs "
                                        "measured at the same n would be right")
    ratios = [bench_data.times_over(bench, type, n, new, old) for n in sizes]
    title = (f"{short(new)} is {times(ratios[-1])[:-1]} times as fast as {short(old)} "
             f"at n = {style.power(sizes[-1])}")
    picture = style.figure(title[0].upper() + title[1:], style.subtitle(bench, type, "median"))
    above, below = picture.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [2.1, 1]})
    picture.subplots_adjust(left=0.085, right=0.7, top=0.8, bottom=0.115, hspace=0.3)
    draw_bandwidth(above, bench, type, [old, new], gap=0.09)
    draw_ratios(below, sizes, ratios, f"{new} over {old}: times as fast")
    above.set_xlabel("")
    above.tick_params(axis="x", labelbottom=False)
    return picture


def short(key):
    """As a sentence has it: step 03, the detour's name, CUB."""
    return f"step {key}" if key.isdecimal() else "CUB" if key == "cub" else key


def draw_ratios(axes, sizes, ratios, title):
    """The last one, where the launch no longer counts, is written to the line."""
    axes.plot(sizes, ratios, color=style.INK, marker="o", linewidth=2.2, markersize=7)
    axes.axhline(1, color=style.QUIET, linewidth=1, linestyle=(0, (5, 3)))
    low, high = min(ratios + [1]), max(ratios + [1])
    space = max(0.25 * (high - low), 0.05)
    axes.set_ylim(low - space, high + space)
    axes.yaxis.set_major_locator(style.few_ticks())
    axes.set_title(title, fontsize=style.SMALL, loc="left", pad=10)
    axes.grid(axis="y")
    axes.set_xlabel("n, elements")
    style.write(axes, times(ratios[-1]), (sizes[-1], ratios[-1]), offset=22, fontsize=16,
                annotation_clip=False)

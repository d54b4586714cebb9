"""Two pictures of bandwidth against n: the whole ladder, and two programs of one's choice."""

import bench_data
import style
from csv_input import BadData

PEERS = ("cub", "single-pass")  # of the detours, those that the ladder is held against


# ---- the whole ladder ----

def ladder(bench, type):
    keys = [key for key in bench_data.programs(bench, type) if key.isdecimal() or key in PEERS]
    picture = style.figure("Small arrays wait for the launch, large ones for the memory",
                           style.subtitle(bench, type, "median"))
    axes = picture.subplots()
    picture.subplots_adjust(left=0.085, right=0.7, top=0.8, bottom=0.115)
    sizes = set_scales(axes, bench, type, keys)
    draw_limit(axes, bench, type, sizes)
    explain_limit(axes, bench)
    style.end_labels(axes, [draw_runs(axes, bench, type, key) for key in keys], low=0.02, high=0.96)
    return picture


def set_scales(axes, bench, type, keys):
    """Both logarithmic, from the first to the last n; returns all sizes."""
    measured = [run for key in keys for run in bench_data.runs(bench, type, key).values()]
    sizes = sorted({run.n for run in measured})
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlim(sizes[0] / 1.2, sizes[-1] * 1.2)
    axes.set_ylim(0.6 * min(run.gb_per_s for run in measured), 2 * bench.peak)
    ticks = sizes[::-2][::-1] if len(sizes) > 6 else sizes
    axes.set_xticks(ticks, [style.power(n) for n in ticks])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    axes.grid(axis="y")
    axes.set_xlabel("n, elements")
    axes.set_title("effective bandwidth, GB/s", fontsize=style.SMALL, loc="left", pad=10)
    return sizes


def between(first, last, count=60):
    """Sizes on a log scale, for a smooth line."""
    return [first * (last / first) ** (i / count) for i in range(count + 1)]


def draw_limit(axes, bench, type, sizes):
    """The limit, what lies beyond it in grey, and the peak."""
    curve = between(sizes[0] / 1.2, sizes[-1] * 1.2)
    limit = [bench_data.limit_gb_per_s(bench, type, n) for n in curve]
    axes.fill_between(curve, limit, axes.get_ylim()[1], color=style.SHADE, linewidth=0)
    axes.plot(curve, limit, color=style.QUIET, linewidth=1.8, linestyle=(0, (1, 1.2)))
    axes.axhline(bench.peak, color=style.INK, linewidth=1.2, linestyle=(0, (5, 3)))


def explain_limit(axes, bench):
    axes.annotate(f"theoretical peak {bench.peak:.0f} GB/s", (0, bench.peak), (10, 5),
                  xycoords=("axes fraction", "data"), textcoords="offset points", va="bottom")
    axes.text(0.025, 0.84, "out of reach: an empty launch\n"
              f"({1000 * bench.empty_ms:.1f} µs) + bytes / peak", transform=axes.transAxes,
              va="top", color=style.QUIET, linespacing=1.3)


def draw_runs(axes, bench, type, key):
    """A program's line; what end_labels needs of it."""
    measured = list(bench_data.runs(bench, type, key).values())
    axes.plot([run.n for run in measured], [run.gb_per_s for run in measured], **style.drawn(key))
    return key, bench_data.label(bench, key), measured[-1].n, measured[-1].gb_per_s


# ---- two programs ----

def pair(bench, type, old, new):
    """Their bandwidth, and below it how many times as fast the second one is."""
    check_pair(bench, type, old, new)
    sizes = bench_data.common_sizes(bench, type, [old, new])
    ratios = [bench_data.times_over(bench, type, n, new, old) for n in sizes]
    picture = style.figure(f"{short(new)} is {style.times(ratios[-1]).rstrip('×')} times as fast "
                           f"as {short(old, False)} at n = {style.power(sizes[-1])}",
                           style.subtitle(bench, type, "median"))
    above, below = picture.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [2.1, 1]})
    picture.subplots_adjust(left=0.085, right=0.7, top=0.8, bottom=0.115, hspace=0.3)
    draw_limit(above, bench, type, set_scales(above, bench, type, [old, new]))
    explain_limit(above, bench)
    style.end_labels(above, [draw_runs(above, bench, type, key) for key in (old, new)], gap=0.09)
    draw_ratios(below, sizes, ratios, f"{new} over {old}: times as fast")
    above.set_xlabel("")
    above.tick_params(axis="x", labelbottom=False)
    return picture


def short(key, first=True):
    """As a sentence has it: Step 03, the detour's name, CUB."""
    if not key.isdecimal():
        return "CUB" if key == "cub" else key.capitalize() if first else key
    return f"{'Step' if first else 'step'} {key}"


def check_pair(bench, type, old, new):
    known = bench_data.programs(bench, type)
    for key in (old, new):
        if key not in known:
            raise BadData(bench.path, None, f"holds no '{key}' ({type}); it has {', '.join(known)}")
    if old == new or not bench_data.common_sizes(bench, type, [old, new]):
        raise BadData(bench.path, None, f"{old} and {new} cannot be compared: two programs "
                                        "measured at the same n would be right")


def draw_ratios(axes, sizes, ratios, title):
    """The values that matter are written to the line: the last one and the greatest."""
    axes.plot(sizes, ratios, color=style.INK, marker="o", linewidth=2.2, markersize=7)
    axes.axhline(1, color=style.QUIET, linewidth=1, linestyle=(0, (5, 3)))
    low, high = min(ratios + [1]), max(ratios + [1])
    space = max(0.25 * (high - low), 0.05)
    axes.set_ylim(low - space, high + 2 * space)
    axes.yaxis.set_major_locator(style.few_ticks())
    axes.set_title(title, fontsize=style.SMALL, loc="left", pad=10)
    axes.grid(axis="y")
    axes.set_xlabel("n, elements")
    axes.annotate(style.times(ratios[-1]), (sizes[-1], ratios[-1]), (22, 0), va="center_baseline",
                  textcoords="offset points", fontsize=16, annotation_clip=False)

"""Two pictures of bandwidth against n: the whole ladder, and two programs of one's choice."""

from plots import style
from tutorial import bench_data, programs
from tutorial.figures import times
from tutorial.files import BadData

PLACE = {"left": 0.085, "right": 0.7, "top": 0.8, "bottom": 0.115}  # labels stand at the right


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
    """The limit, and in grey what lies beyond it; what end_labels needs of it."""
    import numpy  # here, as matplotlib is loaded late (style.pyplot)
    axes.margins(x=0.015)
    low, high = axes.get_ylim()
    curve = numpy.geomspace(*axes.get_xlim(), 61)
    limit = curve * bench_data.BYTES[type] / bench_data.limit_ms(bench, type, curve) / 1e6
    axes.set_xlim(curve[0], curve[-1])
    axes.set_ylim(low, 2 * limit[-1])
    axes.fill_between(curve, limit, 2 * limit[-1], color=style.SHADE, linewidth=0)
    axes.plot(curve, limit, **style.LIMIT)
    draw_trips(axes, bench, type, curve)
    style.write(axes, f"grey, beyond the limit: an empty launch ({1000 * bench.empty_ms:.1f} µs) + "
                f"bytes / {bench.peak:.0f} GB/s", (0.975, 1), (0, 10),
                ("figure fraction", "axes fraction"), ha="right", color=style.QUIET)
    return style.LIMIT, "the limit", curve[-1], limit[-1]


def draw_trips(axes, bench, type, curve):
    """What is left of the limit when the trips that nobody can do without are counted."""
    trips = [(n, bench_data.trips_ms(bench, type, n)) for n in curve]
    if all(ms for _, ms in trips):
        axes.plot(curve, [n * bench_data.BYTES[type] / ms / 1e6 for n, ms in trips], **style.TRIPS)
        n, ms = trips[len(trips) // 3]
        axes.annotate("broken: with one trip to memory\nand one between blocks",
                      (n, n * bench_data.BYTES[type] / ms / 1e6), (0.02, 0.74), va="center",
                      textcoords="axes fraction", color=style.QUIET,
                      arrowprops={"arrowstyle": "-", "color": style.QUIET, "linewidth": 0.8})


# ---- two programs ----

def pair(bench, type, old, new):
    """Their bandwidth, and below it how many times as fast the second one is."""
    sizes = bench_data.common_sizes(bench, type, [old, new])
    if old == new or not sizes:
        raise BadData(bench.path, None, f"{old} and {new} cannot be compared: two programs "
                                        "measured at the same n would be right")
    ratios = [bench_data.times_over(bench, type, n, new, old) for n in sizes]
    title = (f"{programs.spoken(new)} is {times(ratios[-1])[:-1]} times as fast as "
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
    style.write(below, times(ratios[-1]), (sizes[-1], ratios[-1]), (22, 0), va="center_baseline",
                fontsize=16)
    return picture

"""One picture: the time of each step, and under it what the CPU backend counted. A figure that
gets better from one step to the next stands out, in the column of the time that it explains."""

import collections

from plots import style
from tutorial import bench_data
from tutorial.counter_data import FIGURES, MAKE
from tutorial.figures import NONE, digits, milliseconds
from tutorial.files import BadData

TELLING = 1.25  # a counter that got better by less explains nothing
FEW = 5         # requests a thousand elements: below that, how full they are says nothing

# figure: of Counts; better: -1 where less is better, 1 where more is
Quantity = collections.namedtuple("Quantity", "title figure better")


def per_thousand(what):
    return lambda counts: 1000 * FIGURES[what](counts) / counts.n


def lanes_per_request(counts):
    few = per_thousand("shared requests")(counts) < FEW
    return None if few else FIGURES["lanes/request"](counts)


QUANTITIES = [
    Quantity("sectors per\nglobal load", FIGURES["sectors/request"], -1),
    Quantity("lanes per\nshared request", lanes_per_request, 1),
    Quantity("bank conflicts\nper 1000 elem.", per_thousand("bank conflicts"), -1),
    Quantity("shared wavefr.\nper 1000 elem.", per_thousand("wavefronts"), -1),
    Quantity("barriers (warps)\nper 1000 elem.", per_thousand("warps at __syncthreads"), -1),
]


def explain(bench, type, counters):
    """Of the steps that were both measured and counted."""
    steps = [step for step in bench_data.steps(bench, type) if step in counters]
    if not steps:
        raise BadData(bench.path, None, f"has no step that was counted, too: {MAKE}")
    n = bench_data.largest_size(bench, type)
    picture = style.figure("Where the time falls, a counter tells why", style.subtitle(
        bench, type, f"time at n = {style.power(n)}",
        f"counted with {style.power(counters[steps[0]].n)} ints"))
    rows = picture.subplots(len(QUANTITIES) + 1, 1, sharex=True,
                            gridspec_kw={"height_ratios": [1.7] + [1] * len(QUANTITIES)})
    picture.subplots_adjust(left=0.18, right=0.985, top=0.765, bottom=0.025, hspace=0.14)
    draw_columns(picture, rows, steps, bench.names)
    draw_times(rows[0], [bench_data.run(bench, type, step, n).ms for step in steps])
    for axes, quantity in zip(rows[1:], QUANTITIES):
        draw_quantity(axes, quantity, [quantity.figure(counters[step]) for step in steps])
    return picture


# ---- the frame ----

def in_two(name):
    """A folder's name in two lines, as even as its hyphens allow."""
    words = name.split("-")
    splits = [("-".join(words[:i]), "-".join(words[i:])) for i in range(1, len(words))]
    return "\n".join(min(splits, key=lambda lines: max(map(len, lines)), default=(name,)))


def draw_columns(picture, rows, steps, names):
    """A column a step: its name on top, every second one shaded from top to bottom."""
    for axes in rows:
        axes.set_xlim(-0.5, len(steps) - 0.5)
        axes.set_axis_off()
    top, bottom = rows[0].get_position(), rows[-1].get_position().y0
    width = top.width / len(steps)
    for place, step in enumerate(steps):
        rows[0].annotate(f"{step}\n{in_two(names[step])}", (place, 1), (0, 4), ha="center",
                         va="bottom", xycoords=("data", "axes fraction"),
                         textcoords="offset points", linespacing=1.05)
        if place % 2 == 0:
            style.ground(picture, top.x0 + place * width, bottom - 0.015, width, 0.885 - bottom)


def draw_title(axes, title):
    axes.annotate(title, (0, 0.45), (-12, 0), xycoords="axes fraction", ha="right", va="center",
                  textcoords="offset points", linespacing=1.1)


# ---- rows ----

def draw_times(axes, times):
    """Dots on stems, on a log scale: bars would lie about ratios."""
    axes.set_yscale("log")
    axes.set_ylim(min(times) / 3, max(times) * 25)
    draw_title(axes, "time, ms\n(log scale)")
    axes.vlines(range(len(times)), axes.get_ylim()[0], times, color=style.QUIET, linewidth=2)
    for place, (ms, before) in enumerate(zip(times, [None] + times)):
        better = gain(before, ms, -1)
        axes.plot(place, ms, marker="o", markersize=9, color=style.INK)
        write(axes, place, ms, milliseconds(ms), better if better and better > 1.05 else None,
              rise=7)


def draw_quantity(axes, quantity, figures):
    """Bars; those that tell are dark, and say by how much the figure got better."""
    axes.set_ylim(0, 1.75 * max(figure or 0 for figure in figures) or 1)
    draw_title(axes, quantity.title)
    axes.axhline(0, color=style.QUIET, linewidth=1)
    for place, (figure, before) in enumerate(zip(figures, [None] + figures)):
        better = gain(before, figure, quantity.better)
        tells = better is not None and better >= TELLING
        if tells:
            axes.axvspan(place - 0.47, place + 0.47, color=style.PEACH, linewidth=0)
        axes.bar(place, figure or 0, width=0.56, color=style.VERMILLION if tells else "#b5b5b5")
        text = NONE if figure is None else digits(figure, 2 if figure < 100 else 3)
        write(axes, place, figure or 0, text, better if tells else None, quantity.better)


def gain(before, now, better):
    """By what factor a figure got better; None if that cannot be said, inf if it fell to 0."""
    if before is None or now is None or before == 0:
        return None
    if now == 0:
        return float("inf")
    return now / before if better > 0 else before / now


def write(axes, place, height, text, factor, better=-1, rise=4):
    """A figure above its mark, and the factor by which it got better."""
    if factor not in (None, float("inf")):
        text += f" {'×' if better > 0 else '÷'}{digits(factor, 2)}"
    axes.annotate(text, (place, height), (0, rise), ha="center", va="bottom",
                  textcoords="offset points", fontweight="bold" if factor else "normal",
                  color=style.INK if factor else style.QUIET)

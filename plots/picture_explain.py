"""One picture: the time of each step, and under it what the CPU backend counted, how many
multiprocessors have work, and what the program says of its loads. A figure stands where it changes;
one that gets better or worse stands out, in the column of the time that it may explain."""

import functools
import math
import textwrap

from plots import style
from plots.read import bench_data, programs
from plots.read.counter_data import FIGURES, MAKE, blocks
from plots.read.figures import NONE, digits
from plots.read.files import BadData

PLACE = {"left": 0.19, "right": 0.992, "top": 0.77, "bottom": 0.02, "hspace": 0.12}
SIZE = 16  # of letters: the picture is also shown at a third of its size
TELLING = 1.25  # a figure that changed by less explains nothing
NOTEWORTHY = 1.05  # a time that changed by less is the same
BETTER = {"facecolor": style.VERMILLION}
WORSE = {"facecolor": "white", "edgecolor": style.BLUE, "hatch": "////", "linewidth": 1}
SAME = {"color": "#b5b5b5"}
FEW = 5         # requests a thousand elements: below that, how full they are says nothing


def per_thousand(what):
    return lambda counts: 1000 * FIGURES[what](counts) / counts.n


def lanes_per_request(counts):
    few = per_thousand("shared requests")(counts) < FEW
    return None if few else FIGURES["lanes/request"](counts)


# title, a figure of a step's counters, what stands before a factor: ÷ where less is better, else ×
COUNTED = [("sectors per\nglobal load", FIGURES["sectors/request"], "÷"),
           ("lanes per\nshared request", lanes_per_request, "×"),
           ("bank conflicts\nper 1000 elements", per_thousand("bank conflicts"), "÷"),
           ("warps at barriers\nper 1000 elements", per_thousand("warps at __syncthreads"), "÷")]


def explain(bench, type, counters):
    """Of the steps that were both measured and counted."""
    steps = [step for step in bench_data.steps(bench, type) if step in counters]
    if not steps:
        raise BadData(bench.path, None, f"has no step with counters: {MAKE}")
    n, most = bench_data.largest_size(bench, type), bench.multiprocessors
    times = [bench_data.run(bench, type, step, n).ms for step in steps]
    counts = [counters[step] for step in steps]
    working = [most and min(blocks(each), most) for each in counts]
    loads = [programs.get(step).loads_in_flight for step in steps]
    shown = [("multiprocessors\nwith work", working, "×"),
             ("loads in flight\nper thread", loads, "×"),
             *((title, [*map(figure, counts)], sign) for title, figure, sign in COUNTED)]
    picture = style.figure(bench, type, title(steps, times), f"time at n = {style.power(n)}",
                           f"counted with {style.power(counts[0].n)}")
    top, *rows = picture.subplots(len(shown) + 1, 1, sharex=True, gridspec_kw=PLACE,
                                  height_ratios=[2] + [1] * len(shown))
    name_columns([top, *rows], steps)
    draw_legend(top)
    # dots on stems, on a log scale: bars would lie about ratios
    top.set_yscale("log")
    top.set_ylim(min(times) / 3, max(times) * 90)
    top.vlines(range(len(times)), min(times) / 3, times, color=style.QUIET, linewidth=2)
    top.plot(times, marker="o", markersize=9, color=style.INK, linestyle="")
    draw_row(top, "time, ms\n(log scale)", times, "÷", NOTEWORTHY, "\n")
    for axes, row in zip(rows, shown):
        draw_bars(axes, *row)
    return picture


def title(steps, times):
    """It names those whose time draw_row does not call better."""
    idle = [step for step, before, ms in zip(steps[1:], times, times[1:])
            if not gain(before, ms, "÷", NOTEWORTHY)]
    return "Each step improves something" + (
        f"; no time gained in {', '.join(idle)}" if idle else ", and the time")


# ---- the frame ----

say = functools.partial(style.write, fontsize=SIZE, linespacing=1.05, va="center")


def name_columns(rows, steps):
    """A column a step: its name on top, every second one shaded from top to bottom."""
    for axes in rows:
        axes.set_xlim(-0.5, len(steps) - 0.5)
        axes.set_axis_off()
    for place, step in enumerate(steps):
        number, _, name = programs.label(step).partition(" ")
        say(rows[0], f"{number}\n{textwrap.fill(name.replace('-', ' '), 10)}", (place, 1), (0, 4),
            ("data", "axes fraction"), ha="center", va="bottom", fontsize=15)
        if place % 2 == 0:
            rows[0].axvspan(place - 0.5, place + 0.5, -5, 1.6, color="#f4f4f4", linewidth=0,
                            clip_on=False)


def draw_legend(axes):
    """Left of the columns' names."""
    for y, words, look in (40, "better", BETTER), (16, "worse", WORSE):
        say(axes, "       ", (0, 1), (-62, y), "axes fraction", ha="right",
            bbox={"linewidth": 0, "pad": 2, **look})
        say(axes, words, (0, 1), (-55, y), "axes fraction")


def draw_bars(axes, title, figures, sign):
    """Those that tell are coloured, and shaded where they are better."""
    axes.set_ylim(0, 2.3 * max(figure or 0 for figure in figures) or 1)
    axes.axhline(0, color=style.QUIET, linewidth=1)
    for place, (figure, before) in enumerate(zip(figures, [None, *figures])):
        look = WORSE if gain(figure, before, sign) else SAME
        if gain(before, figure, sign):
            look = BETTER
            axes.axvspan(place - 0.47, place + 0.47, color=style.PEACH, linewidth=0)
        axes.bar(place, figure or 0, width=0.56, **look)
    draw_row(axes, title, figures, sign)


def draw_row(axes, title, figures, sign, least=TELLING, gap=" "):
    """Its title and, where they change, its figures, and by which factor they got better."""
    said = None
    say(axes, title, (0, 0.45), (-10, 0), "axes fraction", ha="right")
    for place, (figure, before) in enumerate(zip(figures, [None, *figures])):
        text, factor = NONE if figure is None else digits(figure), gain(before, figure, sign, least)
        if text != said:
            more = f"{gap}{sign}{digits(factor, 2)}" if factor and factor < math.inf else ""
            say(axes, text + more, (place, figure or 0), (0, 6), ha="center", va="bottom",
                fontweight="bold" if factor else "normal",
                color=style.INK if factor else style.QUIET)
        said = text


def gain(before, now, sign, least=TELLING):
    """By what factor a figure got better, inf if it fell to 0; None if by less than least, or if
    that cannot be said."""
    if not before or now is None:
        return None
    factor = now / before if sign == "×" else before / now if now else math.inf
    return factor if factor >= least else None

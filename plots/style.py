"""How the pictures look: size, type, colours, and the same bytes from the same data every time.

A picture is 1280 x 720, its type 14 points or more, to be read from the last row. Programs differ
in colour (of steps Okabe and Ito's, told apart by colour-blind eyes), in marker and in line style,
so that a greyscale print loses nothing."""

import functools
import io
import itertools
import os
import signal

from plots.read import figures
from plots.read.files import write_text

SMALL, TITLE = 14, 22
INK, QUIET, RULE, SHADE = "#1a1a1a", "#595959", "#d0d0d0", "#ececec"
BLUE, VERMILLION, SKY, PEACH = "#0072B2", "#D55E00", "#56B4E9", "#fbe3d0"


@functools.cache
def pyplot():
    """matplotlib's. It takes most of a second to load, so nobody waits for it who asked for what
    cannot be drawn."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as in entry
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    plt.rcdefaults()  # not what the user has configured
    plt.rcParams.update({
        "figure.figsize": (12.8, 7.2), "figure.dpi": 100, "savefig.dpi": 100,
        "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
        "text.parse_math": False,  # a GPU's or a file's name is no formula
        "font.size": SMALL, "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": QUIET,
        "xtick.color": INK, "ytick.color": INK,
        "axes.spines.top": False, "axes.spines.right": False,
        "grid.color": RULE, "grid.linewidth": 0.8, "axes.axisbelow": True,
        "svg.fonttype": "none", "svg.hashsalt": "parallel reduction", "path.simplify": False,
    })
    return plt


# ---- of programs ----

def look(color, marker, line, filled=False):
    """Keyword arguments for a line."""
    return {"color": color, "marker": marker, "linestyle": line, "markersize": 8, "linewidth": 2.2,
            "markerfacecolor": color if filled else "white",
            "markeredgecolor": "white" if filled else color,
            "markeredgewidth": 0.7 if filled else 1.8}


# Of steps, in their order; beyond the last the first one again, in another line.
STEPS = list(zip("#7a7a7a #E69F00 #56B4E9 #009E73 #CC79A7 #0072B2 #D55E00 #000000".split(),
                 "o s ^ D v P X o".split()))
PEERS = {"best-cub": look("#7F3B08", "s", "--"), "single-pass": look("#6A3D9A", "^", "-.")}
OTHERS = [look("#8C6D31", "d", ":"), look("#393B79", "o", "-.")]
LIMIT = look("#595959", "", (0, (1, 1.2))) | {"linewidth": 1.8}
TRIPS = LIMIT | {"linewidth": 1, "linestyle": (0, (4, 2))}


def looks(keys):
    """{key: its look}; there may be two that are neither steps nor their peers."""
    others = itertools.cycle(OTHERS)
    return {key: look(*STEPS[int(key) % 8], ["-", "--", ":"][int(key) // 8 % 3], filled=True)
            if key.isdecimal() else PEERS.get(key) or next(others) for key in keys}


def bar(key):
    """Keyword arguments for a bar: steps are dark, detours light, CUB is hatched."""
    if "cub" in key.split("-"):
        return {"facecolor": "white", "edgecolor": INK, "hatch": "//", "linewidth": 1.2}
    return {"color": BLUE if key.isdecimal() else SKY}


# ---- figures ----

def power(n):
    """2^30 as 2³⁰; another number as it is."""
    base, _, exponent = figures.power(n).partition("^")
    return base + exponent.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def figure(bench, type, title, *more):
    """An empty picture under a title, what to see, and a line that says what was measured."""
    picture, meta = pyplot().figure(), bench.meta
    picture.text(0.025, 0.955, title, fontsize=TITLE, fontweight="bold", va="center")
    picture.text(0.025, 0.897, " · ".join([f"{meta['gpu']}, CUDA {meta['cuda']}, {meta['date']}",
                                           f"{type}, cold cache", *more]), color=QUIET, va="center")
    return picture


def save(picture, folder, name):
    """As SVG, with nothing in it that changes by itself; returns the path."""
    path, drawn = os.path.join(folder, f"{name}.svg"), io.StringIO()
    picture.savefig(drawn, metadata={"Date": None, "Creator": None}, format="svg")
    write_text(path, drawn.getvalue())
    pyplot().close(picture)
    return path


def write(axes, text, place, shift, where="data", **font):
    """At a place in these coordinates, shifted by so many points."""
    axes.annotate(text, place, shift, where, "offset points", annotation_clip=False, **font)


def name(axes, title, n="n, elements"):
    """What the axes show."""
    axes.set_title(title, fontsize=SMALL, loc="left", pad=10)
    axes.set_xlabel(n)
    axes.grid(axis="y")
    axes.minorticks_off()


def end_labels(axes, ends, gap):
    """Labels lines at their right ends, from the top down, gap apart at least: marker and name, and
    a thin line that leads there. ends: (look, label, x, y) in data coordinates."""
    to_axes, room = axes.transData + axes.transAxes.inverted(), 0.97
    outside = {"transform": axes.transAxes, "clip_on": False}
    for look, label, *end in sorted(ends, key=lambda end: end[-1], reverse=True):
        x, y = to_axes.transform(end)
        place = min(y, room)
        axes.plot([x, 1.03, 1.05], [y, place, place], color=look["color"], linewidth=1, **outside)
        axes.plot(1.05, place, **look | {"linestyle": ""}, **outside)
        axes.text(1.07, place, label, va="center_baseline", **outside)
        room = place - gap

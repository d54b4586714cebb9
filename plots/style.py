"""How the pictures look: size, type, colours, and the same bytes from the same data every time.

A picture is 1280 x 720, its type 14 points or more, to be read from the last row. Programs differ
in colour (Okabe and Ito's, told apart by colour-blind eyes), in marker and in line style, so
that a greyscale print loses nothing."""

import collections
import functools
import itertools
import os

import matplotlib
import matplotlib.patches
import matplotlib.ticker

from tutorial import bench_data, figures
from tutorial.files import write_whole

matplotlib.use("agg")
import matplotlib.pyplot as plt

SMALL, TITLE = 14, 22
INK, QUIET, RULE, SHADE = "#1a1a1a", "#595959", "#d0d0d0", "#ececec"
BLUE, VERMILLION, SKY, PEACH = "#0072B2", "#D55E00", "#56B4E9", "#fbe3d0"

plt.rcdefaults()  # not what the user has configured
plt.rcParams.update({
    "figure.figsize": (12.8, 7.2), "figure.dpi": 100, "savefig.dpi": 100,
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "font.size": SMALL, "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": QUIET,
    "xtick.color": INK, "ytick.color": INK, "axes.spines.top": False, "axes.spines.right": False,
    "grid.color": RULE, "grid.linewidth": 0.8, "axes.axisbelow": True,
    "svg.fonttype": "none", "svg.hashsalt": "parallel reduction", "path.simplify": False,
})

Look = collections.namedtuple("Look", "color marker line filled")
# Of steps, in their order; beyond the last the first one again, in another line.
STEPS = list(zip("#7a7a7a #E69F00 #56B4E9 #009E73 #CC79A7 #0072B2 #D55E00 #000000".split(),
                 "o s ^ D v P X o".split()))
PEERS = [Look("#000000", "s", "--", False), Look("#009E73", "^", "-.", False)]
OTHERS = [Look("#7a7a7a", "d", ":", False), Look("#D55E00", "o", "-.", False)]
LIMIT = Look("#595959", "", (0, (1, 1.2)), False)


def looks(keys):
    """{key: its Look}; there may be two that are neither steps nor their peers."""
    others = itertools.cycle(OTHERS)
    return {key: look_of_step(int(key)) if key.isdecimal() else
            PEERS[bench_data.PEERS.index(key)] if key in bench_data.PEERS else next(others)
            for key in keys}


def look_of_step(number):
    turn, place = divmod(number, len(STEPS))
    return Look(*STEPS[place], ["-", "--", ":"][turn % 3], True)


def drawn(look):
    """Keyword arguments for a line."""
    return {"color": look.color, "marker": look.marker, "linestyle": look.line, "markersize": 8,
            "linewidth": 2.2, "markerfacecolor": look.color if look.filled else "white",
            "markeredgecolor": "white" if look.filled else look.color,
            "markeredgewidth": 0.7 if look.filled else 1.8}


def bar(key):
    """Keyword arguments for a bar: steps are dark, detours light, CUB is hatched."""
    if key == "cub":
        return {"facecolor": "white", "edgecolor": INK, "hatch": "//", "linewidth": 1.2}
    return {"color": BLUE if key.isdecimal() else SKY}


# ---- figures ----

def power(n):
    """2^30 as 2³⁰; another number as it is."""
    base, _, exponent = figures.power(n).partition("^")
    return base + exponent.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def figure(title, subtitle):
    """An empty picture under a title, what to see, and a line that says what was measured."""
    picture = plt.figure()
    picture.text(0.025, 0.955, title, fontsize=TITLE, fontweight="bold", va="center")
    picture.text(0.025, 0.897, subtitle, color=QUIET, va="center")
    return picture


def subtitle(bench, type, *more):
    meta = bench.meta
    return " · ".join([f"{meta['gpu']}, CUDA {meta['cuda']}, {meta['date']}", f"{type}, cold cache",
                       *more])


def save(picture, folder, name):
    """As SVG and PNG, with nothing in them that changes by itself; returns the paths."""
    paths = []
    for suffix, metadata in ("svg", {"Date": None, "Creator": None}), ("png", {"Software": None}):
        paths.append(os.path.join(folder, f"{name}.{suffix}"))
        write_whole(paths[-1], functools.partial(picture.savefig, metadata=metadata, format=suffix))
    plt.close(picture)
    return paths


def write(axes, text, place, offset=7, **font):
    """Right of a place in data coordinates."""
    axes.annotate(text, place, (offset, 0), textcoords="offset points", va="center_baseline",
                  **font)


# ---- labels at the right end of lines ----

def spread(wanted, gap, low, high):
    """Places nearest to those wanted, in the same order, gap apart, between low and high."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    blocks = []  # runs of labels that touch: [sum of what their first places would be, count]
    for rank, i in enumerate(order):
        blocks.append([wanted[i] - rank * gap, 1])
        while len(blocks) > 1 and mean(blocks[-2]) > mean(blocks[-1]):
            total, count = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + count]
    firsts = [mean(block) for block in blocks for _ in range(block[1])]
    highest = high - (len(wanted) - 1) * gap
    places = [0.0] * len(wanted)
    for rank, i in enumerate(order):
        places[i] = min(max(firsts[rank], low), max(highest, low)) + rank * gap
    return places


def mean(block):
    return block[0] / block[1]


def end_labels(axes, ends, gap=0.052, low=0.0, high=1.0):
    """Labels lines at their right ends. ends: (look, label, x, y) in data coordinates."""
    to_axes = axes.transData + axes.transAxes.inverted()
    points = [to_axes.transform(end[2:]) for end in ends]
    places = spread([point[1] for point in points], gap, low, high)
    for (look, label, _, _), point, place in zip(ends, points, places):
        leader(axes, look, point, (1.05, place))
        axes.text(1.07, place, label, transform=axes.transAxes, va="center_baseline")


def leader(axes, look, start, end):
    """From a line's end to its label, and the line's marker there."""
    axes.plot([start[0], end[0] - 0.02, end[0]], [start[1], end[1], end[1]], color=look.color,
              linewidth=1, transform=axes.transAxes, clip_on=False)
    axes.plot(*end, **drawn(look) | {"linestyle": ""}, transform=axes.transAxes, clip_on=False)


def few_ticks():
    """For a low axis."""
    return matplotlib.ticker.MaxNLocator(3)


def ground(picture, x, y, width, height):
    """A light ground behind everything, in parts of the figure."""
    picture.add_artist(matplotlib.patches.Rectangle(
        (x, y), width, height, color="#f4f4f4", linewidth=0, zorder=-10))

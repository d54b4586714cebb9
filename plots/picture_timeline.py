"""One picture: where a warp's time goes, of a few warps of one multiprocessor, all steps to one
scale."""

import textwrap

from plots import style
from tutorial import bench_data, programs, timeline_data
from tutorial.timeline_data import PLACES, begin, blocks_of, end

PLACE = {"left": 0.185, "right": 0.975, "top": 0.745, "bottom": 0.085, "hspace": 0.42}
TITLE = "Step 03 is mostly in its tree, step 07 waits for memory"
CYCLES = 10000           # that are shown
SHOWN = 0, 4             # of the places for blocks on a multiprocessor
# In grey, too, each differs from its neighbours.
SENDS, WAITS, COMES, TREE, STANDS = "#F0E442", "#00497A", style.SKY, style.VERMILLION, style.INK
LEGEND = [(SENDS, "sends its loads"), (WAITS, "waits for the first answer"), (COMES, "for the rest"),
          (TREE, "tree"), (STANDS, "waits at a barrier"),
          ("white", "white: from block to block")]


def timeline(bench, path):
    """A row a warp, eight of a block; behind a block the next one in its place."""
    data = timeline_data.load(path)
    picture = style.figure(bench._replace(meta=data.meta), "int", TITLE,
                           f"n = {style.raised(data.meta['n'])}",
                           "one multiprocessor, two of its eight places")
    panels = picture.subplots(len(data.warps), 1, sharex=True, gridspec_kw=PLACE)
    for axes, (step, warps) in zip(panels, data.warps.items()):
        draw_step(axes, warps)
        name_step(axes, step, data.ms[step])
        draw_unmarked(axes, bench, step, data.mhz)
    panels[-1].xaxis.set_visible(True)
    panels[-1].spines["bottom"].set_visible(True)
    panels[-1].set_xticks(range(0, CYCLES + 1, 1000))
    panels[-1].set_xlabel(f"cycles ({data.mhz:.0f} are a microsecond)", labelpad=2)
    draw_legend(picture)
    return picture


# ---- which warps ----

def places(warps):
    """Of the multiprocessor with the lowest number: for each of its places the blocks that were
    there, one after the other. A block takes the place that has been free for the longest time."""
    blocks = next(iter(blocks_of(warps).values()))
    found = [[] for _ in range(PLACES)]
    for block in sorted(blocks, key=begin):
        min(found, key=lambda place: end(place[-1]) if place else -1).append(block)
    return found


# ---- one step ----

def draw_step(axes, warps):
    """From the beginning of the first place's second block on: by then the file holds every block
    of the multiprocessor."""
    found = places(warps)
    zero = begin(found[SHOWN[0]][1])
    for turn, place in enumerate(SHOWN):
        for block in found[place]:
            for warp in block:
                if warp.end > zero and warp.first_load < zero + CYCLES:
                    draw_warp(axes, 8.6 * turn + warp.warp, warp, zero)
    axes.set_xlim(0, CYCLES)
    axes.set_ylim(8.6 * len(SHOWN) - 0.9, -0.7)
    axes.set_yticks([])
    axes.xaxis.set_visible(False)
    for side in "left", "bottom":
        axes.spines[side].set_visible(False)


def draw_warp(axes, row, warp, zero):
    sent = warp.last_load or warp.first_load
    spans = [(SENDS, warp.first_load, sent), (WAITS, sent, warp.first_use),
             (COMES, warp.first_use, warp.loaded), (TREE, warp.loaded, warp.end),
             *((STANDS, arrive, opens) for arrive, opens in warp.barriers)]
    for color, start, stop in spans:
        if stop > start:
            axes.barh(row, stop - start, left=start - zero, height=0.86, color=color, linewidth=0)


def name_step(axes, step, ms):
    """And what the marks cost."""
    number, _, name = programs.label(step).partition(" ")
    without, marked = ms
    axes.annotate(textwrap.fill(f"{number} {name.replace('-', ' ')}", 15), (0, 0.5), (-150, 0),
                  va="center", xycoords="axes fraction", textcoords="offset points", fontsize=16,
                  linespacing=1.1)
    axes.annotate(f"the marks cost {100 * (marked / without - 1):.0f} %", (1, 1), (0, 5), ha="right",
                  xycoords="axes fraction", textcoords="offset points", color=style.QUIET)


def draw_unmarked(axes, bench, step, mhz):
    """How long a block takes its place in the step itself, if that is known."""
    us = bench_data.turnaround(bench, step, bench_data.largest_size(bench, "int"))
    if not us:
        return
    cycles = us * mhz
    axes.annotate("", (0, 1), (cycles, 1), xycoords=("data", "axes fraction"),
                  arrowprops={"arrowstyle": "|-|, widthA=0.25, widthB=0.25", "shrinkA": 0,
                              "shrinkB": 0, "color": style.INK, "linewidth": 1.2})
    axes.annotate(f"without marks, on average: {round(cycles, -1):.0f} cycles from block to block",
                  (0, 1), (0, 5), xycoords="axes fraction", textcoords="offset points",
                  color=style.QUIET)


def draw_legend(picture):
    """A square and what it means, in a line."""
    x = 0.025
    for color, words in LEGEND:
        if color != "white":
            picture.text(x, 0.838, "■", color=color, va="center", fontsize=18)
            x += 0.021
        written = picture.text(x, 0.838, words, va="center")
        x = written.get_window_extent().x1 / picture.bbox.width + 0.013

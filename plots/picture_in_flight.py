"""One picture: bandwidth against the bytes in flight, as Little's law has it and as it was measured,
and the steps in it."""

from plots import style
from plots.read import side_data
from plots.read.figures import digits, plural

PLACE = {"left": 0.085, "right": 0.965, "top": 0.8, "bottom": 0.115}
# Of 1, 2, 4 … loads per thread: from dark to light, so that their order is seen without a colour.
SHADES = list(zip("#440154 #3B528B #21788C #2AA37F #5EB85B #8FB82A".split(), "o s ^ D v P".split()))
STEP = {"marker": "X", "markersize": 11, "color": style.VERMILLION, "markeredgecolor": "white",
        "markeredgewidth": 0.8, "linestyle": "", "zorder": 4}


def in_flight(bench, path):
    """Lines join what was read with as many loads per thread, in more and more blocks."""
    data = side_data.load_in_flight(path)
    readers = [row for row in data.rows if row.name == "reader"]
    steps = [row for row in data.rows if row.name != "reader"]
    full = [row for row in readers if row.blocks == max(row.blocks for row in readers)]
    (one, part), *others = [(f"{row.megabytes:.0f} MB", f"{100 * row.gb_per_s / data.peak:.0f} %")
                            for row in full[:4] if row is not full[2]]
    title = f"{one} in flight reaches {part} of the peak, " + ", ".join(map(" ".join, others))
    picture = style.figure(bench._replace(meta=data.meta), "int", title,
                           f"{full[0].multiprocessors} multiprocessors", "both scales log")
    axes = picture.subplots(gridspec_kw=PLACE)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xlim(readers[0].megabytes / 1.18, 44)
    axes.set_ylim(0.85 * min(row.gb_per_s for row in data.rows), 1.25 * data.peak)
    draw_law(axes, readers[0], data.peak)
    draw_readers(axes, readers)
    draw_steps(axes, steps, readers)
    blocks = ", ".join(dict.fromkeys(str(row.blocks) for row in readers if row.loads == 1))
    for y, color, words in (
            (0.24, style.INK, f"lines: a kernel that only reads, in {blocks} blocks\nof "
             f"{readers[0].threads} threads per multiprocessor"),
            (0.1, style.VERMILLION, "crosses: steps; below a line by the time\nin which their "
             "blocks have no load in flight")):
        axes.text(0.985, y, words, color=color, transform=axes.transAxes, ha="right", va="center",
                  linespacing=1.25)
    axes.set_xticks([2.0**k for k in range(-3, 6)], [digits(2.0**k) for k in range(-3, 6)])
    axes.set_yticks([250 * 2**k for k in range(1, 5)], [f"{250 * 2**k}" for k in range(1, 5)])
    style.name(axes, "bandwidth, GB/s",
               "MB in flight at most: 4 bytes x loads per thread x threads")
    return picture


def draw_law(axes, first, peak):
    """Through the point with the fewest bytes in flight, which wait in no queue, up to the peak."""
    trip = first.megabytes / first.gb_per_s  # milliseconds, as MB / (GB/s)
    corner, end = peak * trip, axes.get_xlim()[1]
    axes.plot([axes.get_xlim()[0], corner, end], [axes.get_xlim()[0] / trip, peak, peak],
              **style.LIMIT)
    style.write(axes, f"theoretical peak, {peak:.0f} GB/s", (end, peak), (0, 6), ha="right",
                color=style.QUIET)
    style.write(axes, f"Little's law, if a trip takes {1e3 * trip:.2f} µs:\n{corner:.1f} MB are "
                "enough", (corner / 1.6, peak / 1.6), (-14, 8), ha="right", color=style.QUIET)


def draw_readers(axes, readers):
    """What only reads, and hardly adds: named where its line begins, with one block."""
    for (color, marker), loads in zip(SHADES, dict.fromkeys(row.loads for row in readers)):
        rows = [row for row in readers if row.loads == loads]
        axes.plot([row.megabytes for row in rows], [row.gb_per_s for row in rows],
                  **style.look(color, marker, "-", filled=True))
        style.write(axes, plural(loads, "load"), (rows[0].megabytes, rows[0].gb_per_s), (9, -5),
                    va="top", color=color, fontweight="bold")


def draw_steps(axes, steps, readers):
    """Each with its number; those that lie on one another share a label. A line leads up to what
    was read with as many bytes in flight, by as many loads per thread."""
    for place in dict.fromkeys(row.megabytes for row in steps):
        rows = [row for row in steps if row.megabytes == place]
        above = [row.gb_per_s for row in readers
                 if (row.megabytes, row.loads) == (place, rows[0].loads)]
        axes.plot([place, place], [min(row.gb_per_s for row in rows), *above[:1]][:2],
                  color=style.VERMILLION, linewidth=1.2, linestyle=(0, (1, 1.5)))
        for label, group in together(rows):
            axes.plot(place, group[0].gb_per_s, **STEP)
            below = -20 if above and group[0].gb_per_s > max(above) else -3  # the line
            style.write(axes, label, (place, group[0].gb_per_s), (10, below), va="top", fontsize=16,
                        color=style.VERMILLION, fontweight="bold")


def together(rows):
    """(label, rows) of those whose bandwidths differ by less than 5 %."""
    groups = []
    for row in sorted(rows, key=lambda row: row.gb_per_s):
        if groups and row.gb_per_s < 1.05 * groups[-1][0].gb_per_s:
            groups[-1].append(row)
        else:
            groups.append([row])
    return [(f"step{'s' if group[1:] else ''} " + ", ".join(sorted(row.name for row in group)), group)
            for group in groups]

"""The slides of the lab page that are not a step's: the ladder, plots, detours; and what all slides
have in common. Pure functions from what is known to HTML."""

import collections
import itertools
from html import escape

from lab.markup import cells, element, heads, image, prose, sentence, table
from tutorial.figures import NONE, factor, milliseconds, power
from tutorial.programs import measured_by

# part: the entry of the contents that it belongs to; step: a step's two digits, else "".
Slide = collections.namedtuple("Slide", "id part step label html")
# What was measured. sizes: the two n that are shown; runs: {key: {n: a run's ms, gb_per_s, share}}
# of ints; floats: the same of programs that sum floats only; lacks: what is not measured yet, and
# how to measure it, or "".
Times = collections.namedtuple("Times", "gpu peak source sizes runs floats lacks")

A_SLIDE_OF_DETOURS = 6


def figures_of(times, key, n):
    """Milliseconds, bandwidth, share of the peak, as they are shown."""
    run = times.runs.get(key, {}).get(n)
    if not run:
        return NONE, NONE, NONE
    return milliseconds(run.ms, 4), f"{run.gb_per_s:.0f}", f"{run.share:.1f} %"


def times_over(times, key, base, n):
    """How many times as fast as base, as it is shown."""
    this, other = (times.runs.get(each, {}).get(n) for each in (key, base))
    return factor(other.ms / this.ms if this and other else None)


def slide(id, part, heading, subtitle, body, classes, label, step="", view="", links=""):
    header = element("header", heading + element("p", subtitle) + links)
    return Slide(id, part, step, label, element(
        "section", "\n" + header + "\n" + body + "\n", id=id, class_="slide " + classes,
        data_part=part, data_step=step or None, data_view=view or None, aria_label=label,
        tabindex="-1"))


def contents(slides):
    """A link to each part's first slide."""
    links = []
    for part, group in itertools.groupby(slides, lambda slide: slide.part):
        first = next(group)
        links.append(element("li", element("a", first.step or part, href="#" + first.id,
                                           data_part=part,
                                           aria_label=first.label if first.step else None)))
    return element("ol", "".join(links))


# ---- the ladder ----

KEYS = ("<kbd>→</kbd> <kbd>←</kbd> next slide, slide before · <kbd>↓</kbd> <kbd>↑</kbd> the same "
        "of the next step · <kbd>0</kbd> to <kbd>{}</kbd> a step · <kbd>i</kbd> its idea, "
        "<kbd>d</kbd> diff, <kbd>c</kbd> counters, <kbd>p</kbd> picture · <kbd>z</kbd> a picture "
        "larger · <kbd>Home</kbd> this table")


def ladder(steps, peers, times):
    """The first slide. peers: programs beside the ladder to be held against it."""
    small, large = times.sizes[0], times.sizes[-1]
    head = (element("tr", '<td colspan="2"></td>' + "".join(
        element("th", "n = " + power(n), colspan=span, scope="colgroup", class_="group")
        for n, span in ((small, 2), (large, 4)))) +
        element("tr", heads(["step", "idea"]) + heads(["ms", "GB/s"] * 2, class_="figure") +
                heads(["of peak"], class_="wide") + heads(["x before"], class_="figure wide")))
    rungs = [(step.program, step.before) for step in steps] + [(peer, None) for peer in peers]
    source = f"{times.source} Peak: {times.peak:.0f} GB/s." + (
        f" {NONE} where {times.lacks}." if times.lacks else "")
    rows = "\n".join(rung(*each, times, small, large) for each in rungs)
    body = (table("ladder", head, rows, style=f"--rows: {len(rungs)}") +
            element("p", escape(source), class_="note") +
            element("p", KEYS.format(min(len(steps) - 1, 9)), class_="note"))
    return slide("ladder", "ladder", element("h1", "Parallel reduction, step by step"),
                 "one sum, from a naive kernel to the speed of memory", body, "first",
                 "Parallel reduction, step by step")


def rung(program, before, times, small, large):
    name = escape(program.folder)
    if program.is_step:
        name = element("a", name.replace("-", " ", 1), href=f"#step-{program.key}")
    run = times.runs.get(program.key, {}).get(large)
    share = run.share if run else 0
    bar = element("div", "", style=f"width: {min(share, 100):.1f}%",
                  class_=None if program.is_step else "peer")
    figures = [figures_of(times, program.key, n)[:2] for n in (small, large)]
    gain = times_over(times, program.key, before.key, large) if before else ""
    return element("tr", element("th", name, scope="row") + element("td", prose(program.idea)) +
                   cells(itertools.chain(*figures), class_="figure") +
                   element("td", bar, class_="bar wide", title=f"{share:.1f} % of the peak") +
                   cells([gain], class_="figure wide"))


# ---- plots, detours ----

def plot(name, svg):
    title = name.replace("-", " ").capitalize()
    return slide(f"plot-{name}", "plots", element("h2", escape(title)), "",
                 image(svg, "Plot: " + title), "picture", "Plot: " + title)


def detours(programs, times):
    """The programs beside the ladder, each with when to read it and its idea: a few a slide, with
    its time and what to expect of it."""
    slides = -(-len(programs) // A_SLIDE_OF_DETOURS)
    each = -(-len(programs) // slides) if slides else 1
    result = []
    for number, first in enumerate(range(0, len(programs), each), 1):
        body = element("div", "".join(detour(one, times) for one in programs[first:first + each]),
                       class_="body")
        part = f"{number} of {slides}" if slides > 1 else ""
        result.append(slide(f"detours-{number}", "detours", element("h2", "Detours"),
                            "what lies beside the ladder" + (f" ({part})" if part else ""), body,
                            "detours", "Detours" + (", " + part if part else "")))
    return result


def detour(program, times):
    n, key = times.sizes[0], program.key
    floats = times.floats.get(key, {}).get(n)
    ms = milliseconds(floats.ms, 4) if floats else figures_of(times, key, n)[0]
    time = f"{ms} ms at n = {power(n)}" + (" floats" if floats else "")
    if ms == NONE and measured_by(key) != "make bench":
        time = None  # it is in other data
    said = [program.idea + ".", program.parts.get("Expect")]
    return element("article", element("h3", escape(program.folder) + element(
        "span", escape(" · ".join(filter(None, [program.when_to_read, time]))))) +
        "".join(element("p", sentence(text)) for text in said if text))

"""The slides of the lab page that are not a step's: the ladder, plots, detours; and what all slides
have in common. Pure functions from what is known to HTML."""

import collections
import itertools
from html import escape

from tutorial import sources
from lab.markup import cells, described, element, factor, image, power, prose, sentence

# part: the entry of the contents that it belongs to; step: a step's two digits, else "".
Slide = collections.namedtuple("Slide", "id part step label html")
# What was measured. sizes: the two n that are shown; runs: {key: {n: a run's ms, gb_per_s, share}}
# of ints; floats: the same of programs that sum floats only.
Times = collections.namedtuple("Times", "gpu peak source sizes runs floats")

A_SLIDE_OF_DETOURS = 6


def measured(times, key, n):
    return times.runs.get(key, {}).get(n)


def times_over(times, key, base, n):
    """How many times as fast as base; None where one of them was not measured."""
    this, other = measured(times, key, n), measured(times, base, n)
    return other.ms / this.ms if this and other else None


def slide(id, part, heading, subtitle, body, classes, label, step="", view="", links=""):
    header = element("header", heading + element("p", subtitle) + links)
    return Slide(id, part, step, label, element(
        "section", "\n" + header + "\n" + body + "\n", id=id, class_="slide " + classes,
        data_part=part, data_step=step or None, data_view=view or None, aria_label=label,
        tabindex="-1"))


# ---- the ladder, plots, detours ----

KEYS = ("<kbd>→</kbd> <kbd>←</kbd> next slide, slide before · <kbd>↓</kbd> <kbd>↑</kbd> the same "
        "of the next step · <kbd>0</kbd> to <kbd>7</kbd> a step · <kbd>i</kbd> its idea, "
        "<kbd>d</kbd> diff, <kbd>c</kbd> counters, <kbd>p</kbd> picture · <kbd>z</kbd> a picture "
        "larger · <kbd>Home</kbd> this table")


def ladder(steps, peers, times):
    """The first slide. peers: programs beside the ladder to be held against it."""
    small, large = times.sizes[0], times.sizes[-1]
    head = (element("tr", '<td colspan="2"></td>' + "".join(
        element("th", "n = " + power(n), colspan=span, scope="colgroup", class_="group")
        for n, span in ((small, 2), (large, 4)))) +
        element("tr", cells(["step", "idea"], "th", scope="col") +
                cells(["ms", "GB/s", "ms", "GB/s"], "th", scope="col", class_="figure") +
                element("th", "of peak", scope="col", class_="wide") +
                cells(["x before"], "th", scope="col", class_="figure wide")))
    rungs = [(step.program, step.before) for step in steps] + [(peer, None) for peer in peers]
    rows = "\n".join(ladder_row(*rung, times, small, large) for rung in rungs)
    source = f"{escape(times.source)} Peak: {times.peak:.0f} GB/s."
    body = (element("table", element("thead", head) + element("tbody", rows), class_="ladder") +
            element("p", source, class_="note") + element("p", KEYS, class_="note"))
    return slide("ladder", "ladder", element("h1", "Parallel reduction, step by step"),
                 "one sum, from a naive kernel to the speed of memory", body, "first",
                 "Parallel reduction, step by step")


def ladder_row(program, before, times, small, large):
    is_step = program.key.isdecimal()
    runs = [measured(times, program.key, n) for n in (small, large)]
    name = escape(program.folder.replace("-", " ", 1) if is_step else program.folder)
    if is_step:
        name = element("a", name, href=f"#step-{program.key}")
    numbers = [text for run in runs
               for text in ((f"{run.ms:#.4g}", f"{run.gb_per_s:.0f}") if run else ("–", "–"))]
    share = runs[1].share if runs[1] else 0
    bar = element("div", "", style=f"width: {min(share, 100):.1f}%",
                  class_=None if is_step else "peer")
    gain = factor(times_over(times, program.key, before.key, large)) if before else ""
    return element("tr", element("th", name, scope="row") +
                   element("td", prose(sources.title(program))) +
                   cells(numbers, class_="figure") +
                   element("td", bar, class_="bar wide", title=f"{share:.1f} % of the peak") +
                   cells([gain], class_="figure wide"))


def plot(name, svg):
    title = name.replace("-", " ").capitalize()
    return slide(f"plot-{name}", "plots", element("h2", escape(title)), "",
                 image(svg, described(svg, "Plot: " + title)), "picture", "Plot: " + title)


def detours(programs, times):
    """The programs beside the ladder, each with when to read it and its idea: a few a slide, with
    its time and what to expect of it."""
    slides = -(-len(programs) // A_SLIDE_OF_DETOURS)
    each = -(-len(programs) // slides)
    groups = [programs[i:i + each] for i in range(0, len(programs), each)]
    result = []
    for number, group in enumerate(groups, 1):
        body = element("div", "".join(detour(*one, times) for one in group), class_="body")
        part = f"{number} of {len(groups)}" if len(groups) > 1 else ""
        result.append(slide(f"detours-{number}", "detours", element("h2", "Detours"),
                            "what lies beside the ladder" + (f" ({part})" if part else ""), body,
                            "detours", "Detours" + (", " + part if part else "")))
    return result


def detour(program, when, idea, times):
    n = times.sizes[0]
    run, floats = measured(times, program.key, n), times.floats.get(program.key, {}).get(n)
    facts = [when, f"{run.ms:#.4g} ms at n = {power(n)}" if run else
             f"{floats.ms:#.4g} ms at n = {power(n)} floats" if floats else None]
    said = [idea + ".", sources.parts(program).get("Expect")]
    return element("article", element("h3", escape(program.folder) + element(
        "span", escape(" · ".join(filter(None, facts))))) +
        "".join(element("p", prose(sentence(text))) for text in filter(None, said)))


# ---- the whole ----

def contents(slides):
    """A link to each part's first slide."""
    links = []
    for part, group in itertools.groupby(slides, lambda slide: slide.part):
        first = next(group)
        text = first.step or part
        links.append(element("li", element("a", text, href="#" + first.id, data_part=part,
                                           aria_label=first.label if first.step else None)))
    return element("ol", "".join(links))

"""The slides of a step: its idea, what changes from the step before, what one should guess, what
came, what each line costs, who touches what, a block that plays, questions. From what is known of a
step to HTML."""

import collections
import os
from html import escape

from lab import code_slides
from lab.markup import LATER, cells, heads, image, markdown, scroll, sentence
from lab.slides import figures_of, sizes, slide
from tutorial import bench_data, counter_data, notes
from tutorial.figures import count, factor, power
from tutorial.programs import spoken

LOADS = "loads in flight per thread"  # as a header says; no counter shows it
WORKING = "multiprocessors with work"

# What there is to show of a step. before: the Step before it, or None; counts: what the CPU backend
# counted; said: what NOTES.md says, in Markdown by label; picture: path of an SVG, which may be
# missing; play: subtitle and body of the slide that plays it, or None.
Step = collections.namedtuple("Step", "program before counts said picture play")


def all_of(step, bench, elsewhere):
    """Its slides for the class, in order: one is asked before one sees. elsewhere: the address of
    the page with its costs and picture."""
    program, before = step.program, step.before
    code = code_slides.diff(before.program, program) if before else code_slides.kernels(program)
    views = {"idea": ("", idea(program)),
             "diff": (f"from {spoken(before.program.key)}" if before else "the kernel", scroll(code)),
             "guess": ("what will come of it?", guess(step, bench))}
    if "Now" in step.said:
        views["now"] = "what came of it", paragraphs(step.said["Now"])
    if step.play:
        views["step"] = step.play
    if "Question" in step.said or "Try it" in step.said:
        views["question"] = "think, try", question(step.said)
    return in_order(program, views, dict.fromkeys(["counters", "picture"], elsewhere))


def costs_of(step, elsewhere):
    """Its slides for whoever wants to know more. elsewhere: the address of the lesson."""
    views = {"counters": ("what each line costs", counted(step))}
    if os.path.exists(step.picture):
        views["picture"] = "who touches what", image(step.picture, f"Step {step.program.key}")
    return in_order(step.program, views, {"idea": elsewhere})


def in_order(program, views, others):
    """views: subtitle and body by view; others: the addresses of the pages that have these."""
    key = program.key
    ids = {view: f"step-{key}" + (f"-{view}" if view != "idea" else "")
           for view in [*views, *others]}
    heading = f'<h2><span class="number">{key}</span> {escape(program.folder.partition("-")[2])}</h2>'
    for view, (subtitle, body) in views.items():
        links = "".join(f'<li><a href="{others.get(other, "")}#{id}" data-view="{other}" '
                        f'aria-current="{str(other == view).lower()}">{other}</a></li>'
                        for other, id in ids.items())
        yield slide(ids[view], key, view, f"Step {key}, {view}", heading, subtitle, body,
                    f'<ul class="views" aria-label="Views of step {key}">{links}</ul>')


# ---- its idea, and what is asked ----

def idea(program):
    terms = "".join(f"<dt>{label}</dt><dd>{sentence(program.parts[label])}</dd>"
                    for label in ("Before", "Idea") if label in program.parts)
    return f"""\
<div class="body"><p class="lead">{sentence(program.idea + ".")}</p><dl>{terms}</dl></div>"""


def paragraphs(said):
    return "".join(f"<p>{markdown(text)}</p>" for text in said)


def guess(step, bench):
    """What the step before counted and took; the figures of this one when somebody asks."""
    return f"""\
<div class="body">
<div class="facts"><div class="asked">{paragraphs(step.said.get("Predict", []))}</div>
{time_table(step, bench)}</div>
<div class="facts">{counter_table(step, bench)}</div>
</div>"""


def question(said):
    """Each beside its answer, which is folded at first."""
    pairs = [(label, " ".join(said[label]), answer, " ".join(said.get(answer, [])))
             for label, answer in notes.ANSWERS.items() if label in said]
    return '<div class="body">' + "".join(
        f'<div class="asked"><strong>{label}.</strong> {markdown(asked)}</div>'
        f'<details class="later"><summary>{answer}</summary><p>{markdown(answered)}</p></details>'
        for label, asked, answer, answered in pairs) + "</div>"


def facts(class_, caption, head, rows):
    """A table; rows: HTML of the figures of each, by what they are."""
    body = "".join(f'<tr><th scope="row">{what}</th>{row}</tr>\n' for what, row in rows.items())
    return f"""\
<table class="{class_}"><caption>{caption}</caption>
<thead><tr><th></th>{heads(head)}</tr></thead>
<tbody>
{body}</tbody></table>"""


def time_table(step, bench):
    """The time of the step before; later those of this one."""
    key, before, shown = step.program.key, step.before and step.before.program.key, sizes(bench)
    rows = {f"ms, {spoken(before)}": cells(figures_of(bench, before, n)[0] for n in shown)
            } if before else {}
    figures = zip(*(figures_of(bench, key, n) for n in shown))
    rows |= {what: cells(row, LATER)
             for what, row in zip((f"ms, {spoken(key)}", "GB/s", "of peak"), figures)}
    for base, name in (before, before and spoken(before)), (bench_data.BEST_CUB, "CUB"):
        if base:
            rows[f"x {name}"] = cells((factor(bench_data.times_over(bench, "int", n, key, base))
                                       for n in shown), LATER)
    return facts("times", "Time on " + escape(bench.meta["gpu"]),
                 [f"n = {power(n)}" for n in shown], rows)


def differs(old, new):
    """By a quarter or more."""
    return old != new and not (old and new and 0.8 < new / old < 1.25)


def counter_table(step, bench):
    """The counters of the step before and, later, of this one, with the loads in flight and the
    multiprocessors that have a block; highlighted is what has changed."""
    steps, most = [each for each in (step.before, step) if each], bench.multiprocessors
    figures = [{WORKING: most and min(counter_data.blocks(each.counts), most),
                LOADS: each.program.loads_in_flight} | counter_data.figures(each.counts)
               for each in steps]
    rows = {}
    for what, new in figures[-1].items():
        old = figures[0][what]
        if old or new:
            rows[what] = (cells([count(old)]) if step.before else "") + cells(
                [count(new)], (" warn" if differs(old, new) else "") + LATER)
    return facts("counts", f"Counters at n = {power(step.counts.n)}",
                 [spoken(each.program.key) for each in steps], rows)


# ---- what each line costs ----

MARKED = ("Marked: more than 4 sectors, 1 wavefront, fewer than 16 lanes, under 75 % alike, where a "
          "line has more than n / 100 requests and branches. Alike: branches that all active lanes of "
          "a warp take the same way.")
WORSE = {"sectors each": lambda x: x > 4, "wavefronts each": lambda x: x > 1,
         "lanes each": lambda x: x < 16, "alike %": lambda x: x < 75}
SHOWN = [what for what in counter_data.LINE_FIGURES if what != "branches"]


def counted(step):
    """The table of the kernel's source with the counters of each line."""
    of_line = {number: counter_data.figures(counts, counter_data.LINE_FIGURES)
               for number, counts in counter_data.by_line(step.counts).items()}

    def figures(number):
        line = {what: figure for what, figure in of_line.get(number, {}).items()
                if figure is not None}
        often = sum(line.get(what, 0) for what in ("global requests", "shared requests", "branches"))
        worse = {what for what in WORSE.keys() & line.keys()
                 if often > step.counts.n / 100 and WORSE[what](line[what])}
        return "".join(cells([count(line[what]) if what in line else ""],
                             " warn" if what in worse else "") for what in SHOWN)

    head = (f'<thead><tr><th scope="col" class="no">line</th><th scope="col">source</th>'
            f'{heads(what.replace(" ", "<br/>") for what in SHOWN)}</tr></thead>\n')
    return scroll(code_slides.one_side(
        step.program.kernels, code_slides.kinds_of(step.program), figures, head
    )) + f'\n<p class="note">n = {power(step.counts.n)}. {MARKED}</p>'

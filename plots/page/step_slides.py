"""The slides of a step: its idea, what one should guess, what changes from the step before, what
came, a block that plays, questions. From what is known of a step to HTML."""

import collections
import json
import re
from html import escape

from plots.page import markup
from plots.page.markup import markdown, paragraphs, scroll, sentence
from plots.page.slides import slide
from plots.read import counter_data, notes, step_facts
from plots.read.figures import power
from plots.read.programs import spoken

# A step as it is shown. before: the Step before it, or None; counts: what the CPU backend counted, or
# None; said: what NOTES.md says, in Markdown by label; play: subtitle and body of the slide that plays
# it, or None.
Step = collections.namedtuple("Step", "program before counts said play")


def all_of(step, bench):
    """Its slides in order: one is asked before one sees."""
    program, before = step.program, step.before
    code = (("the kernel", markup.one_side(program.kernels)) if not before else
            (f"from {spoken(before.program.key)}", markup.diff(before.program, program)))
    views = {"idea": ("", idea(program)), "guess": ("what will come of it?", guess(step, bench)),
             "diff": (code[0], scroll(code[1])), "now": ("what came of it", came(step, bench))}
    if step.play:
        views["step"] = step.play
    if "Question" in step.said or "Try it" in step.said:
        views["question"] = "think, try", question(step.said)
    return in_order(program, views)


def in_order(program, views):
    """views: subtitle and body by view."""
    key = program.key
    ids = {view: f"step-{key}" + (f"-{view}" if view != "idea" else "") for view in views}
    heading = f'<h2><span class="number">{key}</span> {escape(program.folder.partition("-")[2])}</h2>'
    for view, (subtitle, body) in views.items():
        links = "".join(f'<li><a href="#{id}" data-view="{other}" '
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


def guess(step, bench):
    """What the step before counted and took, and room for what one guesses of this one. Before the first
    one, the rows that no slide before explains."""
    rows = [] if step.before else notes.defining(notes.section(notes.load(), "How to read"))[4:7]
    return f"""\
<div class="body"><div class="asked">{paragraphs(step.said.get("Predict", []))}\
<div class="rows">{paragraphs(rows)}</div></div>
{fact_table(step, bench, guessed=True)}</div>"""


def came(step, bench):
    """The figures that the guess is held against, and what they say."""
    return f"""\
<div class="body">{fact_table(step, bench)}
{scroll(paragraphs(step.said.get("Now", [])))}</div>"""


def question(said):
    """Each beside its answer, which is folded at first."""
    return '<div class="body">' + "".join(
        f'<div class="asked"><strong>{label}.</strong> {markdown(" ".join(said[label]))}</div>'
        f'<details class="later"><summary>{answer}</summary>{paragraphs(said.get(answer, []))}'
        "</details>" for label, answer in notes.ANSWERS.items() if label in said) + "</div>"


def differs(old, new):
    """By a tenth or more."""
    return old != new and not (old and new and 0.9 < new / old < 1.1)


def fact_table(step, bench, guessed=False):
    """The figures of the step before and of this one; highlighted is what has changed. With guesses
    in their place the cells of this one are empty."""
    steps, rows = [each for each in (step.before, step) if each], ""
    counters = {each.program.key: each.counts for each in steps}
    for what, numbers, texts in step_facts.compared(bench, counters, *counters):
        new = " warn" * differs(numbers[0], numbers[-1])
        if guessed:
            texts, new = [*texts[:len(steps) - 1], ""], " guessed"
        cells = map(markup.figure, texts, ["", new, ""] if step.before else [new])
        rows += f'<tr><th scope="row">{what}</th>{"".join(cells)}</tr>\n'
    columns = [*map(spoken, counters), *["change"][:len(steps) - 1]]
    if guessed:
        columns = [*columns[:len(steps) - 1], f"your guess:<br/>{spoken(step.program.key)}"]
    heads = "".join(f'<th scope="col" class="figure">{column}</th>' for column in columns)
    counted = f"counted at n = {power(step.counts.n)}" if step.counts else f"not counted: {counter_data.MAKE}"
    return f"""\
<table class="facts">
<thead><tr><th>{counted},<br/>timed on {escape(bench.meta["gpu"])}</th>\
{heads}</tr></thead>
<tbody>
{rows}</tbody></table>"""


def played(data, program, source):
    """Subtitle and body. data: of frames.of_block, for player.js; source: of what was run, which
    may have other constants than the program."""
    old, new = (dict(re.findall(r"^#define (\w+) +(\w+)", text, re.MULTILINE))
                for text in ("\n".join(program.code), source))
    other = [f"; {name} {new[name]}, not {old[name]}" for name in old if old[name] != new.get(name)]
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")
    counts = "".join(f"<tr><th>{what}</th>{markup.figure('')}</tr>" for what in data["counts"])
    n = len(next(iter(data["arrays"].values()))["values"])
    size = f"n = {n}, {data['threads']} threads" + "".join(other)
    return size, f"""\
<div class="stage"><p class="note">The player needs scripts.</p></div>
<div class="controls"><p class="say" role="status"></p><span class="round"></span>
<button class="play" type="button">▶ Enter plays it, → skips it</button></div>
<div class="below">
{markup.one_side(program.kernels)}
<table class="counts"><tbody>{counts}</tbody></table>
</div>
<script type="application/json">{text}</script>"""

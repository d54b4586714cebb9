"""The slides of a step: its idea with times and counters, what changes from the step before, what
each line costs, who touches what. Pure functions from what is known of a step to HTML."""

import collections
from html import escape

from lab.markup import (cells, code, element, headed, heads, image, kinds_of, markdown, sentence,
                        table)
from lab.slides import figures_of, slide, times_over
from tutorial import compare, counter_data
from tutorial.figures import count, power

MOST_ROWS = 38  # of code on a slide: more would be too small to be read from the last row
MOST_COLUMNS = 80  # of a line of code; longer ones are wrapped
HIDDEN = "wavefronts"  # of the figures: requests and bank conflicts say the same

# What there is to show of a step. before: the program of the step before it, or None; counts: what
# the CPU backend counted; figures, figures_before: of it, {} for no step before; question: Markdown
# or None; picture: SVG or None.
Step = collections.namedtuple(
    "Step", "program before counts figures figures_before question picture")


def name_of(program):
    return program.folder.partition("-")[2]


def step_slides(step, view, bodies, subtitle):
    """A slide for each of the bodies."""
    program, key = step.program, step.program.key
    ids = {"idea": f"step-{key}"}
    ids |= {"diff": f"step-{key}-diff"} if step.before else {}
    ids |= {"counters": f"step-{key}-counters"}
    ids |= {"picture": f"step-{key}-picture"} if step.picture else {}
    links = element("ul", "".join(element("li", element(
        "a", other, href="#" + id, aria_current="true" if other == view else None))
        for other, id in ids.items()), class_="views", aria_label=f"Views of step {key}")
    heading = element("h2", element("span", key, class_="number") + " " + escape(name_of(program)))
    for number, body in enumerate(bodies, 1):
        part = f" ({number} of {len(bodies)})" if len(bodies) > 1 else ""
        yield slide(ids[view] + (f"-{number}" if number > 1 else ""), f"step-{key}", heading,
                    subtitle + part, body, view, f"Step {key}, {view}{part}", key, view, links)


def all_of(step, times):
    """Its slides, in order."""
    yield from step_slides(step, "idea", [idea(step, times)], "")
    if step.before:
        yield from step_slides(step, "diff", diff(step),
                               f"what changes from step {step.before.key}, "
                               f"{escape(name_of(step.before))}")
    yield from step_slides(step, "counters", counted(step),
                           "what each line costs, n = " + power(step.counts.n))
    if step.picture:
        alt = f"Which thread of step {step.program.key} touches which element in which round"
        yield from step_slides(step, "picture", [image(step.picture, alt)],
                               "who touches what, round by round")


# ---- its idea ----

def idea(step, times):
    program = step.program
    terms = "".join(element("dt", label) + element("dd", sentence(program.parts[label]))
                    for label in ("Before", "Idea", "Look at") if label in program.parts)
    question = element("p", "<strong>Question.</strong> " + markdown(step.question),
                       class_="question") if step.question else ""
    facts = element("div", time_table(step, times) + counter_table(step), class_="facts")
    lead = element("p", sentence(program.idea + "."), class_="lead")
    return element("div", element("div", lead + element("dl", terms) + question) + facts,
                   class_="body")


def time_table(step, times):
    key, before = step.program.key, step.before and step.before.key
    figures = zip(*(figures_of(times, key, n) for n in times.sizes))
    rows = [headed(*row) for row in zip(("ms", "GB/s", "of peak"), figures)]
    rows += [headed(label, [times_over(times, key, base, n) for n in times.sizes])
             for label, base in ((f"x step {before}", before), ("x CUB", "cub")) if base]
    head = cells([""], "th") + heads([f"n = {power(n)}" for n in times.sizes], class_="figure")
    return table("times", element("tr", head), "".join(rows), "Time on " + times.gpu)


def differs(old, new):
    """By a quarter or more."""
    if old is None or new is None:
        return old is not new
    return old != new and not 0.8 < (new / old if old else 0) < 1.25


def counter_table(step):
    keys = [program.key for program in (step.before, step.program) if program]
    head = cells([""], "th") + heads(["step " + key for key in keys], class_="figure")
    body = ""
    for what, value in step.figures.items():
        values = [step.figures_before[what]] if step.before else []
        if what != HIDDEN and any([value, *values]):
            changed = " changed" if any(differs(old, value) for old in values) else ""
            body += element("tr", cells([what], "th", scope="row") +
                            cells(map(count, values), class_="figure") +
                            cells([count(value)], class_="figure" + changed))
    return table("counts", element("tr", head), body, "Counters at n = " + power(step.counts.n))


# ---- what changes ----

def chunks(rows, is_blank):
    """Rows in as few slides as can be, of about the same length, cut at a blank row near by."""
    result = []
    for left in range(-(-len(rows) // MOST_ROWS), 0, -1):
        even = -(-len(rows) // left)
        near = [i for i in range(max(even - 6, 1), min(even + 1, len(rows)))
                if left > 1 and is_blank(rows[i])]
        cut = near[-1] if near else even
        result.append(rows[:cut])
        rows = rows[cut:]
    return result


def texts(row):
    """The lines of a row of a comparison, as text; none for a fold."""
    return [] if isinstance(row, compare.Fold) else [line.text for line in row[:2] if line]


def height(rows):
    """How many rows they are on the slide, where long lines are wrapped."""
    return sum(1 + max((max(len(text) - 1, 0) // MOST_COLUMNS for text in texts(row)), default=0)
               for row in rows)


def diff(step):
    """The tables of the difference to the step before."""
    old, new = step.before, step.program
    rows = compare.compare_programs(old, new)
    rows = next((folded for folded in (compare.fold(rows, context) for context in range(12, 1, -1))
                 if height(folded) <= MOST_ROWS), compare.fold(rows, 2))
    longest = max((len(text) for row in rows for text in texts(row)), default=0)
    columns = 2 * (min(longest, MOST_COLUMNS) + 6)
    parts = chunks(rows, lambda row: not any(texts(row)))
    style = f"--rows: {max(map(height, parts))}; --columns: {columns}"
    kinds = kinds_of(old), kinds_of(new)
    layout = '<colgroup><col class="no" /><col /><col class="no" /><col /></colgroup>\n'
    return [element("table", layout + element("tbody", "\n" + "".join(
        diff_row(row, *kinds) + "\n" for row in part)), class_="code", style=style)
        for part in parts]


def diff_row(row, old_kinds, new_kinds):
    if isinstance(row, compare.Fold):
        return element("tr", element("td", f"⋯ {row.count} lines the same", colspan="4"),
                       class_="fold")
    return element("tr", diff_side(row.old, "old", "−", "del", old_kinds, row.changed) +
                   diff_side(row.new, "new", "+", "ins", new_kinds, row.changed),
                   class_="changed" if row.changed else None)


def diff_side(line, side, sign, tag, kinds, changed):
    if line is None:
        return '<td class="none"></td>' * 2
    return (element("td", f"{line.number} {sign if changed else ' '}", class_=side + " no") +
            element("td", code(line.text, kinds[line.number], line, tag), class_=side + " text"))


# ---- what each line costs ----

MARKED = ("marked: more than 4 sectors or 1 wavefront a request, fewer than 16 lanes, under 75 % "
          "of branches alike, on lines with at least 1 % of the requests")


def suspect(line, few):
    """Which figures of a line cost more than they should; none if it is executed less than few
    times."""
    memory = (line["global requests"] or 0) + (line["shared requests"] or 0)
    cases = (("sectors each", line["global requests"], lambda x: x > 4),
             ("wavefronts each", line["shared requests"], lambda x: x > 1),
             ("lanes each", memory, lambda x: x < 16),
             ("alike %", line["branches"], lambda x: x < 75))
    return {what for what, often, is_bad in cases if often and often >= few and is_bad(line[what])}


def kernel_lines(program, last_counted):
    """(number, text) of the kernel: from its first line to the brace after the last count."""
    lines = list(enumerate(program.header + program.code, 1))
    first = next((i for i, text in lines if text.startswith("__global__")), 1)
    last = next((i for i, text in lines if i >= last_counted and text == "}"), len(lines))
    return lines[first - 1:last]


def counted(step):
    """The tables of the kernel's source with the counters of each line."""
    of_line = {number: counter_data.figures(counts, counter_data.LINE_FIGURES)
               for number, counts in counter_data.by_line(step.counts).items()}
    lines = kernel_lines(step.program, max(of_line))
    kinds = kinds_of(step.program)
    few = sum(row["requests"] for row in step.counts.rows) / 100
    columns = max(len(text) for _, text in lines) + 4 + 8 * 10.5
    parts = chunks(lines, lambda line: not line[1])
    style = f"--rows: {max(map(len, parts)) + 4}; --columns: {columns}"
    headings = (what.replace(" ", "<br/>") if " " in what else what + "<br/>&#160;"
                for what in counter_data.LINE_FIGURES)
    head = element("tr", heads(["line"], class_="no") + heads(["source"]) + "".join(
        element("th", heading, class_="figure", scope="col") for heading in headings))
    return [table("code", head, "\n" + "".join(
        element("tr", element("td", str(i), class_="no") +
                element("td", code(text, kinds[i]), class_="text") +
                line_cells(of_line.get(i), few)) + "\n" for i, text in part), style=style) +
        element("p", MARKED, class_="note") for part in parts]


def line_cells(line, few):
    if line is None:
        return '<td class="figure"></td>' * len(counter_data.LINE_FIGURES)
    warned = suspect(line, few)
    return "".join(element("td", "" if value is None else count(value),
                           class_="figure" + (" warn" if what in warned else ""))
                   for what, value in line.items())

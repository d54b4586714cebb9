"""The slides of a step: its idea with times and counters, what changes from the step before, what
each line costs, who touches what. Pure functions from what is known of a step to HTML."""

import collections
from html import escape

from tutorial import compare
from lab import counters
from lab import notes
from tutorial import sources
from lab.markup import (cells, code, described, element, factor, figure, image, kinds_of, power, prose,
                    sentence)
from lab.slides import measured, slide, times_over

COUNTED = 2**20  # elements, when the CPU backend counts
MOST_ROWS = 38  # of code on a slide: more would be too small to be read from the last row
MOST_COLUMNS = 80  # of a line of code; longer ones are wrapped

# What there is to show of a step. before: the program of the step before it, or None; rows: what
# the CPU backend counted; counts, counts_before: the figures of it, {} for no step before;
# question: Markdown or None; picture: SVG or None.
Step = collections.namedtuple("Step", "program before rows counts counts_before question picture")

VIEWS = "idea diff counters picture".split()


def name_of(program):
    return program.folder.partition("-")[2]


def id_of(program, view):
    return f"step-{program.key}" + ("" if view == "idea" else "-" + view)


def step_slide(step, view, body, subtitle, number=1, of=1):
    program = step.program
    views = [view for view in VIEWS if not (view == "diff" and not step.before
                                            or view == "picture" and not step.picture)]
    links = element("ul", "".join(element("li", element(
        "a", other, href="#" + id_of(program, other),
        aria_current="true" if other == view else None)) for other in views),
        class_="views", aria_label=f"Views of step {program.key}")
    heading = element("h2", element("span", program.key, class_="number") + " " +
                      escape(name_of(program)))
    part = f" ({number} of {of})" if of > 1 else ""
    return slide(id_of(program, view) + (f"-{number}" if number > 1 else ""), f"step-{program.key}",
                 heading, subtitle + part, body, view, f"Step {program.key}, {view}{part}",
                 program.key, view, links)


def idea(step, times):
    program = step.program
    said = sources.parts(program)
    terms = "".join(element("dt", label) + element("dd", prose(sentence(said[label])))
                    for label in ("Before", "Idea", "Look at") if label in said)
    question = element("p", "<strong>Question.</strong> " + notes.inline(step.question),
                       class_="question") if step.question else ""
    facts = element("div", time_table(step, times) + counter_table(step), class_="facts")
    lead = element("p", prose(sentence(sources.title(program) + ".")), class_="lead")
    body = element("div", element("div", lead + element("dl", terms) + question) + facts,
                   class_="body")
    return step_slide(step, "idea", body, "")


def time_table(step, times):
    key, before = step.program.key, step.before and step.before.key
    runs = [measured(times, key, n) for n in times.sizes]
    rows = [("ms", [f"{run.ms:#.4g}" if run else "–" for run in runs]),
            ("GB/s", [f"{run.gb_per_s:.0f}" if run else "–" for run in runs]),
            ("of peak", [f"{run.share:.1f} %" if run else "–" for run in runs])]
    for label, base in (("x step " + (before or ""), before), ("x CUB", "cub")):
        if base:
            rows.append((label, [factor(times_over(times, key, base, n)) for n in times.sizes]))
    head = element("tr", cells([""], "th") + cells([f"n = {power(n)}" for n in times.sizes], "th",
                                                   class_="figure", scope="col"))
    body = "".join(element("tr", cells([label], "th", scope="row") + cells(values, class_="figure"))
                   for label, values in rows)
    return element("table", element("caption", "Time on " + escape(times.gpu)) +
                   element("thead", head) + element("tbody", body), class_="times")


def differs(old, new):
    """By a quarter or more."""
    if old is None or new is None:
        return old is not new
    return old != new and not 0.8 < (new / old if old else 0) < 1.25


def counter_table(step):
    before = [step.before.key] if step.before else []
    head = element("tr", cells([""], "th") + cells(
        ["step " + key for key in before + [step.program.key]], "th", class_="figure", scope="col"))
    body = ""
    for what, value in step.counts.items():
        changed = before and differs(step.counts_before[what], value)
        values = [step.counts_before[what]] if before else []
        if not value and not any(values):
            continue
        body += element("tr", cells([what], "th", scope="row") +
                        cells(map(figure, values), class_="figure") +
                        cells([figure(value)], class_="figure" + (" changed" if changed else "")))
    return element("table", element("caption", "Counters at n = " + power(COUNTED)) +
                   element("thead", head) + element("tbody", body), class_="counts")


# ---- its code ----

def chunks(rows, is_blank):
    """Rows in as few slides as can be, of about the same length, cut at a blank row near by."""
    count = -(-len(rows) // MOST_ROWS)
    result = []
    for left in range(count, 0, -1):
        even = -(-len(rows) // left)
        near = [i for i in range(max(even - 6, 1), min(even + 1, len(rows)))
                if left > 1 and is_blank(rows[i])]
        cut = near[-1] if near else even
        result.append(rows[:cut])
        rows = rows[cut:]
    return result


def lines_of(row):
    """The lines of a row of a comparison; none for a fold."""
    return [] if isinstance(row, compare.Fold) else [line for line in row[:2] if line]


def height(rows):
    """How many rows they are on the slide, where long lines are wrapped."""
    return sum(1 + max((len(line.text) - 1) // MOST_COLUMNS if line.text else 0
                       for line in lines_of(row) or [compare.Line(0, "", [])]) for row in rows)


def diff(step):
    """The slides of the difference to the step before; none for the first step."""
    if not step.before:
        return []
    old, new = step.before, step.program
    rows = compare.compare(old.code, new.code, len(old.header) + 1, len(new.header) + 1)
    rows = next((folded for folded in (compare.fold(rows, context) for context in range(12, 1, -1))
                 if height(folded) <= MOST_ROWS), compare.fold(rows, 2))
    longest = max(len(line.text) for row in rows for line in lines_of(row))
    columns = 2 * (min(longest, MOST_COLUMNS) + 6)
    subtitle = f"what changes from step {old.key}, {escape(name_of(old))}"
    parts = chunks(rows, lambda row: not any(line.text for line in lines_of(row)))
    largest = max(map(height, parts))
    tables = [diff_table(part, kinds_of(old), kinds_of(new), columns, largest) for part in parts]
    return [step_slide(step, "diff", table, subtitle, number, len(tables))
            for number, table in enumerate(tables, 1)]


def diff_table(rows, old_kinds, new_kinds, columns, most_rows):
    def side(line, name, kinds, changed):
        if line is None:
            return '<td class="none"></td>' * 2
        sign, tag = {"old": ("−", "del"), "new": ("+", "ins")}[name]
        text = code(line.text, kinds[line.number], line, tag)
        return (element("td", f"{line.number} {sign if changed else ' '}", class_=name + " no") +
                element("td", text, class_=name + " text"))

    body = ""
    for row in rows:
        if isinstance(row, compare.Fold):
            body += element("tr", element("td", f"⋯ {row.count} lines the same", colspan="4"),
                            class_="fold") + "\n"
        else:
            body += element("tr", side(row.old, "old", old_kinds, row.changed) +
                            side(row.new, "new", new_kinds, row.changed),
                            class_="changed" if row.changed else None) + "\n"
    layout = '<colgroup><col class="no" /><col /><col class="no" /><col /></colgroup>\n'
    return element("table", layout + element("tbody", "\n" + body), class_="code",
                   style=f"--rows: {most_rows}; --columns: {columns}")


HEADINGS = ("global<br/>requests", "sectors<br/>each", "shared<br/>requests", "wavefronts<br/>each",
            "lanes<br/>each", "barriers,<br/>shuffles", "branches<br/>&#160;", "alike<br/>%")
MARKED = ("marked: more than 4 sectors or 1 wavefront a request, fewer than 16 lanes, under 75 % "
          "of branches alike, on lines with at least 1 % of the requests")


def suspect(line, few):
    """The fields of a counters.Line that cost more than they should; none if it is executed less
    than few times."""
    memory = (line.global_requests or 0) + (line.shared_requests or 0)
    cases = (("sectors", line.global_requests, lambda x: x > 4),
             ("wavefronts", line.shared_requests, lambda x: x > 1),
             ("lanes", memory, lambda x: x < 16),
             ("alike", line.branches, lambda x: x < 75))
    return {field for field, often, is_bad in cases
            if often and often >= few and is_bad(getattr(line, field))}


def kernel_lines(program, counted):
    """(number, text) of the kernel: from its first line to the brace after the last count."""
    lines = list(enumerate(program.header + program.code, 1))
    first = next(i for i, text in lines if text.startswith("__global__"))
    last = next((i for i, text in lines if i >= max(counted) and text == "}"), len(lines))
    return lines[first - 1:last]


def counted(step):
    """The slides of the kernel's source with the counters of each line."""
    program, of_line = step.program, counters.of_lines(step.rows)
    lines = kernel_lines(program, of_line)
    kinds = kinds_of(program)
    few = sum(int(row["requests"]) for row in step.rows) / 100
    columns = max(len(text) for _, text in lines) + 4 + 8 * 10.5
    parts = chunks(lines, lambda line: not line[1])
    most_rows = max(map(len, parts)) + 4
    head = element("thead", element("tr", '<th class="no" scope="col">line</th>'
                                    '<th scope="col">source</th>' +
                                    "".join(element("th", heading, class_="figure", scope="col")
                                            for heading in HEADINGS)))
    result = []
    for number, part in enumerate(parts, 1):
        body = ""
        for i, text in part:
            body += element("tr", element("td", str(i), class_="no") +
                            element("td", code(text, kinds[i]), class_="text") +
                            line_cells(of_line.get(i), few)) + "\n"
        table = element("table", head + element("tbody", "\n" + body), class_="code",
                        style=f"--rows: {most_rows}; --columns: {columns}")
        result.append(step_slide(
            step, "counters", table + element("p", MARKED, class_="note"),
            "what each line costs, n = " + power(COUNTED), number, len(parts)))
    return result


def line_cells(line, few):
    if line is None:
        return '<td class="figure"></td>' * len(HEADINGS)
    warned = suspect(line, few)
    return "".join(element("td", "" if value is None else figure(value),
                           class_="figure" + (" warn" if field in warned else ""))
                   for field, value in line._asdict().items())


def picture(step):
    if not step.picture:
        return []
    alt = described(step.picture, f"Which thread of step {step.program.key} touches which element "
                                  "in which round")
    return [step_slide(step, "picture", image(step.picture, alt),
                       "who touches what, round by round")]

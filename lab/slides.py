"""The slides of the lab page: pure functions from what is known about the programs to HTML that is
XML as well."""

import base64
import collections
import html
import itertools
import re
import xml.etree.ElementTree as ElementTree

import compare
import counters
import notes
import sources
import syntax

COUNTED = 2**20  # elements, when the CPU backend counts
MOST_ROWS = 38  # of code on a slide: more would be too small to be read from the last row
MOST_COLUMNS = 80  # of a line of code; longer ones are wrapped

# part: the entry of the contents that it belongs to; step, view: of a step's slides, else "".
Slide = collections.namedtuple("Slide", "id part step view label html")
# What there is to show of a step. before: the program of the step before it, or None; rows: what
# the CPU backend counted; counts, counts_before: the figures of it, {} for no step before;
# question: Markdown or None; picture: SVG or None.
Step = collections.namedtuple("Step", "program before rows counts counts_before question picture")
# What was measured. sizes: the two n that are shown; runs: {key: {n: a run's ms, gb_per_s, share}}.
Times = collections.namedtuple("Times", "gpu peak source sizes runs")

escape = html.escape


# ---- numbers ----

def power(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}"


def factor(x):
    if x is None:
        return "–"
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}" if x >= 0.1 else f"{x:.2g}"


def figure(x):
    """A count in at most seven characters, or a ratio with one decimal; – for none."""
    if x is None:
        return "–"
    if isinstance(x, float):
        return f"{x:.1f}"
    return f"{x}" if x < 10**6 else f"{x / 10**6:.2f}M"


def measured(times, key, n):
    return times.runs.get(key, {}).get(n)


def times_over(times, key, base, n):
    """How many times as fast as base; None where one of them was not measured."""
    this, other = measured(times, key, n), measured(times, base, n)
    return other.ms / this.ms if this and other else None


# ---- pieces ----

def element(name, content, **attributes):
    """class_ and so on: an underscore at the end is dropped, one within is a dash; None is left
    out. content is HTML."""
    text = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
                   for key, value in attributes.items() if value is not None)
    return f"<{name}{text}>{content}</{name}>"


def cells(values, tag="td", **attributes):
    return "".join(element(tag, escape(str(value)), **attributes) for value in values)


def prose(text):
    """Plain text of a header comment; what can only be code is set as such."""
    return re.sub(r"\b(__\w+(?:\(\))?)", r"<code>\1</code>", escape(text, quote=False))


def slide(id, part, heading, subtitle, body, classes, label, step="", view="", links=""):
    header = element("header", heading + element("p", subtitle) + links)
    return Slide(id, part, step, view, label, element(
        "section", "\n" + header + "\n" + body + "\n", id=id, class_="slide " + classes,
        data_part=part, data_step=step or None, data_view=view or None, aria_label=label,
        tabindex="-1"))


def code(text, kinds, line=None, tag=None):
    """A line of code with a span a kind of word; where line is marked, in a tag of its own."""
    def marked(i):
        return line is not None and any(start <= i < end for start, end in line.marks)

    result = ""
    for mark, group in itertools.groupby(range(len(text)), marked):
        part = ""
        for kind, run in itertools.groupby(group, lambda i: kinds[i]):
            piece = escape("".join(text[i] for i in run), quote=False)
            part += element("span", piece, class_=kind) if kind else piece
        result += element(tag, part) if mark else part
    return result


def kinds_of(program):
    """{line number: a kind for each of its characters}"""
    return dict(enumerate(syntax.kinds(program.header + program.code), 1))


def image(svg, alt):
    """As an image of its own: its ids and styles meet no other picture's."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{data}" />'


def described(svg, default):
    """What an SVG says of itself in its title and its description."""
    root = ElementTree.fromstring(svg)
    found = [root.find("{http://www.w3.org/2000/svg}" + name) for name in ("title", "desc")]
    return ". ".join("".join(node.itertext()).strip() for node in found if node is not None) or default


def chunks(rows, is_blank):
    """Rows in as few slides as can be, of about the same length, cut at a blank row if one is near."""
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


# ---- a step ----

VIEWS = {"idea": "idea", "diff": "diff", "counters": "counters", "picture": "picture"}


def name_of(program):
    return program.folder.partition("-")[2] if program.key.isdecimal() else program.folder


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
    terms = "".join(element("dt", label) + element("dd", prose(said[label][0].upper() + said[label][1:]))
                    for label in ("Before", "Idea", "Look at") if label in said)
    question = element("p", "<strong>Question.</strong> " + notes.inline(step.question),
                       class_="question") if step.question else ""
    facts = element("div", time_table(step, times) + counter_table(step), class_="facts")
    title = sources.title(program)
    lead = element("p", prose(title[:1].upper() + title[1:]) + ".", class_="lead")
    body = element("div", element("div", lead + element("dl", terms) + question) + facts,
                   class_="body")
    return step_slide(step, "idea", body, "")


def time_table(step, times):
    key, before = step.program.key, step.before and step.before.key
    runs = [measured(times, key, n) for n in times.sizes]
    rows = [("ms", [f"{run.ms:.4g}" if run else "–" for run in runs]),
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
    return not 0.8 < (new + 1e-9) / (old + 1e-9) < 1.25


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
    return element("table", element("caption", "Counters at n = " + power(COUNTED)) + element("thead", head) +
                   element("tbody", body), class_="counts")


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
    return [step_slide(step, "diff", diff_table(part, kinds_of(old), kinds_of(new), columns, largest),
                       subtitle, number, len(parts)) for number, part in enumerate(parts, 1)]


def diff_table(rows, old_kinds, new_kinds, columns, most_rows):
    def side(line, name, kinds, changed):
        if line is None:
            return '<td class="none"></td>' * 2
        sign = {"old": " −", "new": " +"}[name] if changed else "  "
        tag = {"old": "del", "new": "ins"}[name]
        return (element("td", f"{line.number}{sign}", class_=f"{name} no") +
                element("td", code(line.text, kinds[line.number], line, tag), class_=f"{name} text"))

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
MARKED = ("marked: more than 4 sectors or 1 wavefront a request, fewer than 16 lanes, under 75 % of "
          "branches alike, on lines with at least 1 % of the requests")


def suspect(line, few):
    """The fields of a counters.Line that cost more than they should; none if it is executed less
    than few times."""
    often = {"sectors": line.global_requests, "wavefronts": line.shared_requests,
             "lanes": (line.global_requests or 0) + (line.shared_requests or 0),
             "alike": line.branches}
    bad = {"sectors": (line.sectors or 0) > 4, "wavefronts": (line.wavefronts or 0) > 1,
           "lanes": (line.lanes or 32) < 16, "alike": (line.alike or 100) < 75}
    return {field for field in bad if bad[field] and often[field] >= few}


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


# ---- the others ----

KEYS = ("<kbd>→</kbd> <kbd>←</kbd> next slide, slide before · <kbd>↓</kbd> <kbd>↑</kbd> the same of "
        "the next step · <kbd>0</kbd> to <kbd>7</kbd> a step · <kbd>i</kbd> its idea, <kbd>d</kbd> "
        "diff, <kbd>c</kbd> counters, <kbd>p</kbd> picture · <kbd>z</kbd> a picture larger · "
        "<kbd>Home</kbd> this table")


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
    body = "".join(ladder_row(program, before, times, small, large) for program, before in
                   [(step.program, step.before) for step in steps] + [(peer, None) for peer in peers])
    table = element("table", element("thead", head) + element("tbody", "\n" + body), class_="ladder")
    body = (table + element("p", f"{escape(times.source)} Peak: {times.peak:.0f} GB/s.", class_="note") +
            element("p", KEYS, class_="note"))
    return slide("ladder", "ladder", element("h1", "Parallel reduction, step by step"),
                 "one sum, from a naive kernel to the speed of memory", body, "first",
                 "Parallel reduction, step by step")


def ladder_row(program, before, times, small, large):
    runs = [measured(times, program.key, n) for n in (small, large)]
    name = escape(program.folder.replace("-", " ", 1) if program.key.isdecimal() else program.folder)
    if program.key.isdecimal():
        name = element("a", name, href=f"#step-{program.key}")
    title = sources.title(program)
    numbers = [text for run in runs
               for text in ((f"{run.ms:.4g}", f"{run.gb_per_s:.0f}") if run else ("–", "–"))]
    share = runs[1].share if runs[1] else 0
    bar = element("div", "", style=f"width: {min(share, 100):.1f}%",
                  class_=None if program.key.isdecimal() else "peer")
    gain = factor(times_over(times, program.key, before.key, large)) if before else ""
    return element("tr", element("th", name, scope="row") + element("td", prose(title)) +
                   cells(numbers, class_="figure") +
                   element("td", bar, class_="bar wide", title=f"{share:.1f} % of the peak") +
                   cells([gain], class_="figure wide")) + "\n"


def plot(name, svg):
    title = name.replace("-", " ").capitalize()
    return slide(f"plot-{name}", "plots", element("h2", escape(title)), "",
                 image(svg, described(svg, "Plot: " + title)), "picture", "Plot: " + title)


A_SLIDE_OF_DETOURS = 6


def detours(programs, times):
    """The programs beside the ladder, a few a slide: what each is, and its time."""
    groups = [programs[i:i + A_SLIDE_OF_DETOURS]
              for i in range(0, len(programs), A_SLIDE_OF_DETOURS)]
    result = []
    for number, group in enumerate(groups, 1):
        body = element("div", "".join(detour(program, times) for program in group), class_="body")
        part = f"{number} of {len(groups)}" if len(groups) > 1 else ""
        result.append(slide(f"detours-{number}", "detours", element("h2", "Detours"),
                            "what lies beside the ladder" + (f" ({part})" if part else ""), body,
                            "detours", "Detours" + (", " + part if part else "")))
    return result


def detour(program, times):
    n = times.sizes[0]
    run = measured(times, program.key, n)
    time = element("span", f"{run.ms:.4g} ms at n = {power(n)}") if run else ""
    first = next(iter(sources.paragraphs(program.header)), "")
    return element("article", element("h3", escape(program.folder) + time) +
                   element("p", prose(first)))


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

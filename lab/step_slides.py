"""The slides of a step: its idea with times and counters, what changes from the step before, what
each line costs, who touches what. From what is known of a step to HTML."""

import collections
from html import escape

from lab import syntax
from lab.markup import cells, code, heads, image, markdown, sentence
from lab.slides import figures_of, sizes, slides, times_over
from tutorial import compare, counter_data
from tutorial.figures import count, power
from tutorial.programs import spoken

MOST_ROWS = 38  # of code on a slide: more would be too small to be read from the last row
MOST_COLUMNS = 80  # of a line of code in a diff; longer ones are wrapped
LOADS = "loads in flight per thread"  # as a header says; no counter shows it
HIDDEN = "wavefronts"  # of the figures: requests and bank conflicts say the same

# What there is to show of a step. before: the Step before it, or None; counts: what the CPU backend
# counted; question: Markdown or None; picture: path of an SVG or None.
Step = collections.namedtuple("Step", "program before counts question picture")


def name_of(program):
    return program.folder.partition("-")[2]


def kinds_of(program):
    """For each line of its file, a kind of word for each character."""
    return syntax.kinds(program.header + program.code)


def all_of(step, bench):
    """Its slides, in order."""
    key, before, n = step.program.key, step.before, power(step.counts.n)
    views = {"idea": ("", [idea(step, bench)])}
    if before:
        views["diff"] = (f"what changes from step {before.program.key}, "
                         f"{escape(name_of(before.program))}", diff(step))
    views["counters"] = f"what each line costs, n = {n}", counted(step)
    if step.picture:
        views["picture"] = ("who touches what, round by round",
                            [image(step.picture, f"Step {key}, picture")])
    ids = {view: f"step-{key}" + (f"-{view}" if view != "idea" else "") for view in views}
    heading = f'<h2><span class="number">{key}</span> {escape(name_of(step.program))}</h2>'
    for view, (subtitle, bodies) in views.items():
        links = "".join(f'<li><a href="#{id}" aria-current="{str(other == view).lower()}">{other}'
                        "</a></li>" for other, id in ids.items())
        yield from slides(ids[view], key, view, f"Step {key}, {view}", heading, subtitle, bodies,
                          f'<ul class="views" aria-label="Views of step {key}">{links}</ul>')


# ---- its idea ----

def idea(step, bench):
    program = step.program
    terms = "".join(f"<dt>{label}</dt><dd>{sentence(program.parts[label])}</dd>"
                    for label in ("Before", "Idea", "Look at") if label in program.parts)
    question = (f'<p class="question"><strong>Question.</strong> {markdown(step.question)}</p>'
                if step.question else "")
    return f"""\
<div class="body">
<div><p class="lead">{sentence(program.idea + ".")}</p><dl>{terms}</dl>{question}</div>
<div class="facts">{time_table(step, bench)}{counter_table(step)}</div>
</div>"""


def facts(class_, caption, head, rows):
    """A table; rows: HTML of the figures of each, by what they are."""
    body = "".join(f'<tr><th scope="row">{what}</th>{row}</tr>\n' for what, row in rows.items())
    return f"""\
<table class="{class_}"><caption>{caption}</caption>
<thead><tr><th></th>{heads(head)}</tr></thead>
<tbody>
{body}</tbody></table>"""


def time_table(step, bench):
    key, shown = step.program.key, sizes(bench)
    figures = zip(*(figures_of(bench, key, n) for n in shown))
    rows = {what: cells(row) for what, row in zip(("ms", "GB/s", "of peak"), figures)}
    bases = {"x " + spoken(each.program.key): each.program.key for each in [step.before] if each}
    rows |= {what: cells(times_over(bench, key, base, n) for n in shown)
             for what, base in (bases | {"x CUB": "cub"}).items()}
    return facts("times", "Time on " + escape(bench.meta["gpu"]),
                 [f"n = {power(n)}" for n in shown], rows)


def differs(old, new):
    """By a quarter or more."""
    return old != new and not (old and new and 0.8 < new / old < 1.25)


def counter_table(step):
    """The counters of the step before and of this one, and their loads in flight; highlighted is
    what has changed."""
    steps = [each for each in (step.before, step) if each]
    figures = [{LOADS: each.program.loads_in_flight} | counter_data.figures(each.counts)
               for each in steps]
    rows = {}
    for what in figures[-1]:
        old, new = figures[0][what], figures[-1][what]
        if what != HIDDEN and (old or new):
            warned = " warn" if differs(old, new) else ""
            rows[what] = (cells([count(old)]) if step.before else "") + \
                f'<td class="figure{warned}">{count(new)}</td>'
    return facts("counts", f"Counters at n = {power(step.counts.n)}",
                 [spoken(each.program.key) for each in steps], rows)


# ---- what changes ----

def slidefuls(rows, is_blank):
    """Rows in parts of about the same length, none too long for a slide; cut at a blank row if one
    is near."""
    if len(rows) <= MOST_ROWS:
        return [rows]
    even = len(rows) // -(-len(rows) // MOST_ROWS)
    cut = next((i for i in range(even, even - 6, -1) if is_blank(rows[i])), even)
    return [rows[:cut], *slidefuls(rows[cut:], is_blank)]


def texts(row):
    """The lines of a row of a comparison, as text; none for a fold."""
    return [] if isinstance(row, compare.Fold) else [line.text for line in row[:2] if line]


def height(row):
    """How many lines it takes on the slide, where long ones are wrapped."""
    return 1 + max((max(len(text) - 1, 0) // MOST_COLUMNS for text in texts(row)), default=0)


def diff(step):
    """The tables of the difference to the step before, with as much around it as a slide holds."""
    old, new = step.before.program, step.program
    rows = compare.compare_programs(old, new)
    for context in range(12, 1, -1):
        folded = compare.fold(rows, context)
        if sum(map(height, folded)) <= MOST_ROWS:
            break
    parts = slidefuls(folded, lambda row: not any(texts(row)))
    most = max(sum(map(height, part)) for part in parts)
    kinds = kinds_of(old), kinds_of(new)
    return [f"""\
<table class="code" style="--rows: {most}; --columns: {2 * (MOST_COLUMNS + 6)}">
<colgroup><col class="no" /><col /><col class="no" /><col /></colgroup>
<tbody>
{"".join(diff_row(row, *kinds) for row in part)}</tbody></table>""" for part in parts]


def diff_row(row, old_kinds, new_kinds):
    if isinstance(row, compare.Fold):
        return f'<tr class="fold"><td colspan="4">⋯ {row.count} lines the same</td></tr>\n'
    return (f'<tr class="{"changed" if row.changed else "same"}">' +
            diff_side(row.old, "old", "−" if row.changed else " ", "del", old_kinds) +
            diff_side(row.new, "new", "+" if row.changed else " ", "ins", new_kinds) + "</tr>\n")


def diff_side(line, side, sign, tag, kinds):
    if line is None:
        return '<td class="none"></td>' * 2
    return (f'<td class="{side} no">{line.number} {sign}</td><td class="{side} text">' +
            code(line.text, kinds[line.number - 1], line.marks, tag) + "</td>")


# ---- what each line costs ----

MARKED = ("marked: more than 4 sectors or 1 wavefront per request, fewer than 16 lanes, under 75 % "
          "of branches alike, on lines that cost a tenth of reading the array or more")
BYTES_OF_SECTOR = 32


def least_cost(n):
    """The sectors, wavefronts or branches from which on a line is worth a mark, of n ints."""
    return n * 4 / BYTES_OF_SECTOR / 10


def suspect(line, least):
    """Which figures of a line are worse than they should be; none if all of it costs less than
    least."""
    sectors = (line["global requests"] or 0) * (line["sectors each"] or 0)
    wavefronts = (line["shared requests"] or 0) * (line["wavefronts each"] or 0)
    cases = (("sectors each", sectors, lambda x: x > 4),
             ("wavefronts each", wavefronts, lambda x: x > 1),
             ("lanes each", sectors + wavefronts, lambda x: x < 16),
             ("alike %", line["branches"] or 0, lambda x: x < 75))
    return {what for what, cost, is_bad in cases if cost and cost >= least and is_bad(line[what])}


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
    least = least_cost(step.counts.n)
    columns = max(len(text) for _, text in lines) + 4 + 8 * 10.5
    parts = slidefuls(lines, lambda line: not line[1])
    return [f"""\
<table class="code" style="--rows: {max(map(len, parts)) + 4}; --columns: {columns}">
<thead><tr><th scope="col" class="no">line</th><th scope="col">source</th>\
{heads(what.replace(" ", "<br/>") for what in counter_data.LINE_FIGURES)}</tr></thead>
<tbody>
{"".join(counted_row(i, text, kinds[i - 1], of_line.get(i), least) for i, text in part)}</tbody>
</table>
<p class="note">{MARKED}</p>""" for part in parts]


def counted_row(number, text, kinds, line, least):
    warned = suspect(line, least) if line else ()
    figures = line or dict.fromkeys(counter_data.LINE_FIGURES)
    return (f'<tr><td class="no">{number}</td><td class="text">{code(text, kinds)}</td>' + "".join(
        f'<td class="figure{" warn" if what in warned else ""}">'
        f'{"" if value is None else count(value)}</td>' for what, value in figures.items()) +
        "</tr>\n")

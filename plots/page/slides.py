"""The slides of the lab page that are not a step's: the ladder, what comes before it, plots; and what
all slides have in common. From what is known to HTML."""

import collections
import os
from html import escape

from plots.page import markup
from plots.page.markup import image, paragraphs, scroll, sentence
from plots.read import notes, programs
from plots.read.files import ROOT

# part: the entry of the contents that it belongs to, of a step its two digits; html: all of it.
Slide = collections.namedtuple("Slide", "id part html")


def slide(id, part, view, label, heading, subtitle, body, links=""):
    """view: what it shows, for the style and the keys; label: its title in a word or two."""
    return Slide(id, part, f"""\
<section id="{id}" class="slide {view}" data-part="{part}" data-view="{view}" \
aria-label="{escape(label)}" tabindex="-1">
<header>{heading}<p>{subtitle}</p>{links}</header>
{body}
</section>""")


def contents(deck):
    """A link to each part's first slide."""
    first = {slide.part: slide for slide in reversed(deck)}
    return "".join(f'<li><a href="#{slide.id}" data-part="{part}">{part}</a></li>'
                   for part, slide in reversed(first.items()))


# ---- the ladder ----

TITLE = "Parallel reduction, step by step"
KEYS = ("<kbd>→</kbd> scrolls, opens answers, turns; <kbd>←</kbd> back · <kbd>Enter</kbd>, <kbd>b</kbd> "
        "or <kbd>.</kbd> plays a step: each <kbd>→</kbd> is an event, <kbd>Esc</kbd> leaves · "
        "<kbd>0</kbd> to <kbd>{}</kbd> a step · of a step <kbd>i</kbd>dea, <kbd>g</kbd>uess, "
        "<kbd>d</kbd>iff, <kbd>n</kbd>ow, <kbd>s</kbd>tep, <kbd>q</kbd>uestion · <kbd>Home</kbd> "
        "<kbd>End</kbd>")


def ladder(steps):
    """The first slide: the steps and their ideas, and the keys; no figure."""
    rungs = "".join(f'<tr><th scope="row"><a href="#step-{step.program.key}">'
                    f"{escape(programs.label(step.program.key))}</a></th>"
                    f"<td>{sentence(step.program.idea)}</td></tr>\n" for step in steps)
    body = f"""\
<table class="ladder"><tbody>
{rungs}</tbody></table>
<p class="note">{KEYS.format(min(len(steps) - 1, 9))}</p>"""
    return slide("ladder", "ladder", "first", TITLE, f"<h1>{TITLE}</h1>",
                 "one sum, from a naive kernel to the speed of memory", body)


# ---- before step 00 ----

def drawn(name, said):
    """A slide's body: a drawing, of a file beside this one, and below it paragraphs, in Markdown."""
    picture = image(os.path.join(ROOT, f"plots/page/{name}.svg"), name)
    return f'<div class="body drawn">{picture}<div class="said">{paragraphs(said)}</div></div>'


def before(text):
    """The code of what NOTES.md, the text, has for a beginner, and the words, drawn."""
    bodies = [(title, scroll(markup.one_side(list(enumerate(lines, 1))) + paragraphs(said)))
              for title, lines, said in notes.code(text, "Before step 00")]
    words = {word: sentence for word, _, sentence in notes.words(text)}
    bodies[1:1] = [(title, drawn(name, map(words.get, terms.split(", ")))) for title, name, terms in (
        ("Threads and their memories", "threads",
         "blocks, multiprocessors, warps, diverges, registers, shared memory, in flight"),
        ("What an access costs", "requests",
         "request, coalesced, sector, bank, wavefront, bank conflict"))]
    # its last launch leaves one sum for all blocks
    bodies.insert(-1, ("A tree", drawn("tree", map(words.get, ("reduction", "steps", "barrier")))))
    for number, (title, body) in enumerate(bodies, 1):
        yield slide(f"before-{number}", "before", "before", title, f"<h2>{escape(title)}</h2>",
                    "before step 00", body)


def interlude(title, said):
    """said: its paragraphs, in Markdown."""
    return slide("interlude", "interlude", "before", title, f"<h2>{escape(title)}</h2>",
                 "an interlude", drawn("loads", said))


# ---- plots ----

def plots(paths, text):
    """A slide for each picture, which has its own heading. text: of NOTES.md, for captions."""
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        title = notes.caption(text, f"{name}.svg") or name.replace("-", " ").capitalize()
        yield slide(f"plot-{name}", "plots", "picture", f"Plot: {title}",
                    f"<h2>{escape(title)}</h2>", "", image(path, f"Plot: {title}"))

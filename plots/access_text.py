"""What the pictures of accesses say in words: titles, captions, and who works at what cost in a
round. Pure, but for the source lines, which are read from the program's file."""

import os
import re

from plots import access_rounds
from tutorial import trace_data

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# What to see, below the title. A program without one does without.
CAPTIONS = {
    "00-naive": "Neighbouring lanes read words that lie a whole piece apart: each in a sector of "
                "its own.",
    "01-neighbored-pairs": "All warps stay busy nearly to the end, with ever fewer of their lanes "
                           "at work.",
    "02-strided-index": "Working threads are packed into whole warps; now their words share banks.",
    "03-sequential-addressing": "Neighbouring threads touch neighbouring words, one a bank; every "
                                "round still stops all warps.",
    "04-add-on-load": "All threads add once on the way in: twice the elements for the same tree.",
    "05-unroll-last-warp": "The last warp puts its own rounds in order; the others wait for none "
                           "of them.",
    "06-thread-coarsening": "Each thread walks down the tile and adds in a register; then one "
                            "tree for all of it.",
    "07-warp-shuffle": "Lanes hand their registers down; only one word a warp goes through shared "
                       "memory.",
}


# ---- beside a round ----

def plural(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")


def source_line(file, line):
    """Its text, cut to the room that there is; its number if the file is not here."""
    for path in file, os.path.join(ROOT, file):
        try:
            with open(path, encoding="utf-8") as source:
                text = source.read().splitlines()[line - 1].strip()
            return text if len(text) <= 50 else text[:49] + "…"
        except (OSError, UnicodeDecodeError, IndexError):
            continue
    return f"line {line}"


def work_text(block, this):
    active, lanes = access_rounds.lanes_at_work(block, this)
    return f"{plural(len(this.warps), 'warp')} busy, {active} of {lanes} lanes"


def figure_texts(block, this):
    """[(text, is it bad?)]"""
    good, bad = cost_texts(this)
    work = work_text(block, this) + (f"; {', '.join(good)} a request" if good else "")
    return [(work, False), *((words, True) for words in bad)]


def cost_texts(this):
    """([text], [text of what is bad]): the dearest request to each space."""
    good, bad = [], []
    requests = [request for requests in this.warps.values() for request in requests]
    for space, noun, fewest, is_bad in (
            ("global", "sector", trace_data.fewest_sectors, trace_data.is_uncoalesced),
            ("shared", "wavefront", trace_data.fewest_wavefronts, trace_data.has_conflict)):
        found = [request for request in requests if request.space == space]
        if not found:
            continue
        worst = max(found, key=lambda request: (is_bad(request), getattr(request, noun + "s")))
        count, least = getattr(worst, noun + "s"), fewest(worst)
        if not is_bad(worst):
            good.append(plural(count, noun))
        elif space == "shared" and least == 1:
            bad.append(f"{count}-way bank conflict: {count} wavefronts a request")
        elif space == "shared":
            bad.append(f"bank conflicts: {count} wavefronts a request, not {least}")
        else:
            bad.append(f"uncoalesced: {count} sectors a request, not {least}")
    return good, bad


# ---- above the picture ----

def title_of(name):
    return re.sub(r"^(\d\d) ", r"Step \1 · ", name.replace("-", " "))


def scope_text(block, warps):
    """What of the launch is shown."""
    text = f"block {block.number} of {block.blocks}, {plural(block.threads, 'thread')}"
    if len(warps) < len(block.warps):
        text += f"; {'warps' if len(warps) > 1 else 'warp'} {' and '.join(map(str, warps))} of "
        text += f"{len(block.warps)} drawn, figures of all"
    return text

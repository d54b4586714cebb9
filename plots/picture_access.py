"""The picture of a block's accesses, from top to bottom as its time goes.

A strip of words is an array, a strip of threads the block. Lines lead from the words that a thread
reads to the thread, and from there to the word that it writes; what reaches no word is faint. All
of it, the marks included, comes from the trace."""

import collections
import functools
import os
import re

from plots import access_rounds, svg
from plots.access_canvas import (
    BARRIER_GAP, BARRIERS, CELL, COLUMNS, FAINT, IDLE, LEFT, MARK, MOST_THREADS, MOST_WORDS, QUIET,
    READ_GAP, RIGHT, RULE, STRIP, TEXT, WIDTH, WRITE_GAP, Picture, Point, draw_lines,
    draw_strip, draw_threads, fill, ink, mark_costs, move, now_in_registers, strip_for)
from plots.access_rounds import Omitted, figure_texts
from tutorial import notes, programs, trace_data
from tutorial.figures import plural
from tutorial.files import ROOT, BadData, read_text

READS, WRITES = ("load",), ("store", "atomic")


# ---- rounds ----

def by_array(touches):
    arrays = collections.defaultdict(list)
    for touch in touches:
        arrays[touch.access.array].append(touch)
    return list(arrays.values())


def shown_touches(picture, this, ops):
    return [touch for touch in access_rounds.touches(this, ops)
            if touch.thread // 32 in picture.warps]


def draw_memory(picture, this, following):
    """following: the round after this one, which may read what this one writes."""
    reads, writes = (shown_touches(picture, this, ops) for ops in (READS, WRITES))
    if reads and can_read(picture.written, reads):
        for touch in reads:
            picture.ends[touch.thread].append(
                Point(picture.written.middle(touch.access), picture.written.y + STRIP))
        mark_costs(picture, picture.written, reads, picture.written.y + STRIP)
    else:
        for touches in by_array(reads):
            draw_source(picture, touches)
    picture.written = None
    if writes:
        picture.y += READ_GAP
        active = active_threads(picture, this)
        draw_threads(picture, active, this.warps)
        now_in_registers(picture, active)
        for touches in by_array(writes):
            draw_result(picture, touches, following)


def can_read(strip, reads):
    return strip and all(touch.access.array == strip.array
                         and strip.middle(touch.access) is not None for touch in reads)


def active_threads(picture, this):
    return sorted({32 * warp + lane for warp, requests in this.warps.items()
                   if warp in picture.warps for request in requests for lane in request.lanes})


def draw_source(picture, touches):
    """A strip of words that are read. A thread that reads word after word walks through them."""
    picture.y += READ_GAP - 5
    strip = strip_for(picture, touches)
    ends = collections.defaultdict(list)
    for touch in touches:
        x = strip.middle(touch.access)
        if touch.thread not in ends:
            move(picture, touch.thread, Point(x, strip.y))
        ends[touch.thread].append(Point(x, strip.y + STRIP))
    draw_strip(picture, strip, touches, strip.y + STRIP)
    picture.ends.update(ends)


def draw_result(picture, touches, following):
    """A strip of words that are written, from the strip of threads above it."""
    picture.y += WRITE_GAP
    nearby = shown_touches(picture, following, READS) if following else []
    array = touches[0].access.array
    strip = strip_for(picture, touches + [touch for touch in nearby
                                          if touch.access.array == array])
    for touch in touches:
        end = Point(strip.middle(touch.access), strip.y)
        move(picture, touch.thread, end)
        picture.used.add(end)
    draw_strip(picture, strip, touches, strip.y)
    for touch in touches:
        picture.ends.pop(touch.thread, None)
    picture.written = strip


def draw_shuffle(picture, this):
    """From the lanes that give to those that get."""
    if not picture.registers:
        picture.y += READ_GAP
        everybody = [thread for warp in picture.warps if warp in this.warps
                     for thread in range(32 * warp, 32 * warp + picture.lanes(warp))]
        draw_threads(picture, [thread for thread in everybody if picture.ends[thread]], this.warps)
        now_in_registers(picture, everybody)
    picture.y += READ_GAP
    active = active_threads(picture, this)
    giving = {thread: list(ends) for thread, ends in picture.ends.items()}
    for warp in (warp for warp in picture.warps if warp in this.warps):
        for lane, source in this.warps[warp][0].lanes.items():
            if source is None:  # a vote or __reduce_*_sync: every lane's value counts
                picture.used.update(giving.get(32 * warp + lane, []))
            elif source != lane:
                picture.ends[32 * warp + lane] += giving.get(32 * warp + source, [])
        if this.warps[warp][0].op != "shuffle":
            x, y = picture.thread_x(32 * warp), picture.y - READ_GAP / 2
            picture.add(svg.lines([(x, y, x + picture.lanes(warp) * CELL, y)], stroke=fill(warp),
                                  stroke_width=4, class_="access-combine"))
    draw_threads(picture, active, this.warps)
    now_in_registers(picture, active)
    picture.written = None


def draw_barrier(picture, this):
    """A line: across everything for the block, across its lanes for a warp."""
    warps = [warp for warp in picture.warps if warp in this.warps]
    picture.y = max(picture.y + BARRIER_GAP, picture.text_y + TEXT - 2)
    spans = [(picture.thread_x(32 * warp), picture.thread_x(32 * warp + picture.lanes(warp)) - 4)
             for warp in warps]
    if this.kind == "syncthreads":
        picture.ends.clear()
        spans = [(12, RIGHT - 10)]
    picture.marks.add(this.kind)
    picture.add(svg.lines([(start, picture.y, end, picture.y) for start, end in spans],
                          class_=f"access-{this.kind}", **BARRIERS[this.kind]))
    count = plural(len(this.warps), "warp")
    who = f"of {count} together" if this.kind == "syncthreads" else f"within {count}"
    picture.say(picture.y + 4, lambda x, y: svg.code(x, y, f"__{this.kind}()") + svg.text(
        x + 150, y, who, fill=QUIET))


def draw_omission(picture, omitted):
    """Values go on in what is left out."""
    for ends in picture.ends.values():
        picture.used.update(ends)
    picture.ends.clear()
    picture.written, picture.registers = None, False
    picture.y = max(picture.y, picture.text_y - STRIP) + 24
    words = f"{omitted.rounds} more rounds like these" if omitted.alike else \
        f"{omitted.rounds} rounds are left out here"
    picture.add(svg.text(LEFT + COLUMNS / 2, picture.y, f"⋮   {words}   ⋮", 17,
                         text_anchor="middle", fill=QUIET, class_="access-omitted"))
    picture.y += 2


# ---- what the source says ----

def name_of(file):
    """Of the folder of the source file, such as 02-strided-index, or of the file main.cu is not."""
    stem = os.path.splitext(os.path.basename(file))[0]
    folder = os.path.basename(os.path.dirname(file))
    return re.sub(r"[^\w.-]", "-", folder if stem == "main" and folder else stem)


@functools.lru_cache(maxsize=None)
def source(file):
    """The program of a source file, which was compiled here or at the root; or None."""
    for path in file, os.path.join(ROOT, file):
        try:
            return programs.parsed(name_of(file), "", path, read_text(path))
        except BadData:
            continue
    return None


def caption_of(name, file):
    """As NOTES.md has it, else what the program's header comment says first."""
    try:
        text = notes.caption(notes.load(), f"access-{name}.svg") or source(file).idea
        return text[0].upper() + text[1:] + "."
    except (AttributeError, BadData):
        return "Which thread touches which word in which round."


def source_line(file, line):
    """Its text, cut to the room that there is; its number if the file is not here."""
    program = source(file)
    lines = program.header + program.code if program else []
    if line > len(lines):
        return f"line {line}"
    text = lines[line - 1].strip()
    return text if len(text) <= 50 else text[:49] + "…"


# ---- beside and around the rounds ----

def describe(picture, y, this, previous, after_barrier):
    """The source line, who works, and what a request costs. What the round before has said
    already is not said again, but for the figures behind a barrier."""
    figures = figure_texts(picture.block, this)
    again = previous and (previous.file, previous.line) == (this.file, this.line)
    if again and not after_barrier and figures == figure_texts(picture.block, previous):
        return
    lines = [] if again else [
        lambda x, y: svg.code(x, y, source_line(this.file, this.line))]
    for words, bad in figures:
        look = {"font_weight": "bold", "fill": MARK} if bad else {"fill": QUIET}
        lines.append(lambda x, y, words=words, look=look: svg.text(x, y, words, **look))
    picture.say(y, *lines)


def heading(picture, title, caption):
    block, warps = picture.block, picture.warps
    scope = f"block {block.number} of {block.blocks}, {plural(block.threads, 'thread')}"
    if len(warps) < len(block.warps):
        scope += (f"; {'warps' if len(warps) > 1 else 'warp'} {' and '.join(map(str, warps))} of "
                  f"{len(block.warps)} drawn, figures of all")
    picture.add(svg.text(16, 38, title, 27, font_weight="bold"),
                svg.text(WIDTH - 16, 38, scope, 16, text_anchor="end", fill=QUIET),
                svg.text(16, 65, caption, 20))
    for warp in picture.warps:
        lanes, x = picture.lanes(warp), picture.thread_x(32 * warp)
        picture.add(svg.boxes([(x, 82, lanes * CELL - 2, 22)], fill=fill(warp)),
                    svg.text(x + lanes * CELL / 2, 99,
                             f"warp {warp}: threads {32 * warp} to {32 * warp + lanes - 1}", 16,
                             text_anchor="middle", fill=ink(warp), font_weight="bold"))
    picture.y, picture.text_y = 104, 84


def legend(picture):
    """What the marks mean that occur."""
    x, y = LEFT, max(picture.y, picture.text_y) + 34
    first = fill(picture.warps[0])
    entries = [("box", first, "at work, or touched"), ("box", IDLE, "idle lane of a busy warp"),
               ("box", "#fff", "no work, or untouched")]
    entries += [(mark, None, words) for mark, words in (
        ("conflict", "bank conflict: words 32 apart share a bank"),
        ("sector", "sector (8 words), uncoalesced"),
        ("faint", "value that nobody uses"), ("syncthreads", "barrier of the block"),
        ("syncwarp", "barrier of one warp"))
        if mark in picture.marks]
    for kind, color, words in entries:
        if x + 28 + 8.7 * len(words) > WIDTH - 8:
            x, y = LEFT, y + 24
        picture.add(sample(kind, color, x, y), svg.text(x + 28, y + 13, words, 16))
        x += 46 + 8.5 * len(words)
    picture.y = y + 32


def sample(kind, color, x, y):
    if kind == "box":
        return svg.boxes([(x, y, 20, STRIP)], fill=color, stroke=RULE, stroke_width=0.8)
    if kind == "conflict":
        return svg.diamonds([(x + 10, y + 7.5)], 5, fill=MARK)
    if kind == "sector":
        return svg.boxes([(x, y, 20, STRIP)], fill="none", stroke=MARK, stroke_width=1.4)
    look = BARRIERS.get(kind, {"stroke": fill(0), "stroke_width": 0.8, "stroke_opacity": 2 * FAINT})
    return svg.lines([(x, y + 7.5, x + 22, y + 7.5)], **look)


def warps_shown(block, rounds):
    """The first ones, as many as fit: their threads, and the sectors that they touch in a round."""
    first = min(block.warps)
    warps = [warp for warp in range(first, first + MOST_THREADS // 32) if warp in block.warps]
    while len(warps) > 1 and any(
            8 * len({word // 8 for touch in touches if touch.thread // 32 in warps
                     for word in trace_data.words(touch.access)}) > MOST_WORDS
            for this in rounds for touches in by_array(access_rounds.touches(this))):
        warps.pop()
    return warps


def draw(block):
    """Its name, that of the program's folder, and the SVG."""
    rounds = access_rounds.of_block(block)
    picture = Picture(block, warps_shown(block, rounds))
    rounds = access_rounds.shortened(
        [this for this in rounds if any(warp in this.warps for warp in picture.warps)])
    file = next(iter(block.warps.values()))[0].file
    name = name_of(file)
    caption = caption_of(name, file)
    title = re.sub(r"^(\d\d) ", r"Step \1 · ", name.replace("-", " "))
    heading(picture, title, caption)
    previous, after_barrier = None, False
    for place, this in enumerate(rounds):
        if isinstance(this, Omitted):
            draw_omission(picture, this)
        elif this.kind in BARRIERS:
            draw_barrier(picture, this)
            after_barrier = True
        else:
            top = picture.y
            if this.kind == "shuffle":
                draw_shuffle(picture, this)
            else:
                draw_memory(picture, this, next_memory(rounds[place + 1:]))
            describe(picture, top + READ_GAP + 8, this, previous, after_barrier)
            previous, after_barrier = this, False
    draw_lines(picture)
    legend(picture)
    return name, svg.document(WIDTH, picture.y, title, caption, picture.parts)


def next_memory(rounds):
    """The first of the rounds, barriers aside, if it touches memory."""
    for later in rounds:
        if isinstance(later, Omitted) or later.kind == "shuffle":
            return None
        if later.kind == "memory":
            return later
    return None

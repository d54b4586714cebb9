"""The picture of a block's accesses, from top to bottom as its time goes.

A strip of words is an array, a strip of threads the block. Lines lead from the words that a thread
reads to the thread, and from there to the word that it writes; what reaches no word is faint. All
of it, the marks included, comes from the trace."""

import collections
import os
import re

from plots import access_rounds, svg
from plots.access_canvas import COLUMNS, HEIGHT, LEFT, QUIET, RIGHT, STRIP, Picture
from tutorial import notes, programs, rounds, trace_data
from tutorial.files import BadData, read_text

READ_GAP, WRITE_GAP, BARRIER_GAP = 16, 8, 6
WIDE = 16  # sectors of a request; of wider ones only one warp's fit into a strip


# ---- rounds ----

def by_array(touches):
    arrays = collections.defaultdict(list)
    for touch in touches:
        arrays[touch.access.array].append(touch)
    return arrays.items()


def dear(touch):
    return trace_data.is_dear(touch.request)


def draw_memory(picture, this):
    """Words that are read, then the threads that write, and their words. What reading costs is
    marked on a strip of this round: on what it writes, if that costs more than it must, too."""
    reads = rounds.touches(this, ["load"])
    writes = rounds.touches(this, ["store", "atomic"])
    for array, touches in by_array(reads):
        untold = any(map(dear, reads)) and not any(map(dear, writes))
        draw_reads(picture, None if untold else picture.written.get(array), touches)
    picture.written = {}
    if writes:
        picture.y += READ_GAP
        picture.block(sorted({touch.thread for touch in reads + writes}), this.warps)
    for array, touches in by_array(writes):
        picture.y += WRITE_GAP
        strip = picture.written[array] = picture.words(touches)
        for touch in touches:
            end = strip.middle(touch.access.words)
            picture.lead(touch.thread, end)
            picture.used.add(end)
        picture.costs(strip, touches)
    for touch in writes:
        picture.ends.pop(touch.thread, None)


def draw_reads(picture, written, touches):
    """From the strip just written, if it has these words; else from one of their own, and a thread
    that reads word after word walks through them."""
    strip, ends = written, collections.defaultdict(list)
    words = {word for touch in touches for word in touch.access.words}
    if not written or not words <= written.boxes.keys():
        picture.y += READ_GAP - 5
        strip = picture.words(touches)
    for touch in touches:
        ends[touch.thread].append(strip.middle(touch.access.words))
    for thread, new in ends.items():
        if strip != written:
            for end in new:
                picture.lead(thread, end)
            picture.ends[thread] = []
        picture.ends[thread] += new
    if strip != written:
        picture.costs(strip, touches)


def draw_shuffle(picture, this):
    """From the lanes that give to those that get."""
    gets = {32 * warp + lane: source if source is None else 32 * warp + source
            for warp, (request, *_) in this.warps.items()
            for lane, source in request.lanes.items()}
    if not picture.registers:
        picture.y += READ_GAP
        picture.block([thread for thread in gets if picture.ends[thread]], this.warps)
    before = picture.registers
    for thread, source in gets.items():
        own = before.middle([thread])
        picture.ends[thread] = [own]
        if source is None:  # a vote or __reduce_*_sync: every lane's value counts
            picture.used.add(own)
        elif source != thread and source in before.boxes:
            picture.ends[thread].append(before.middle([source]))
    y = picture.y + READ_GAP / 2
    spans = [picture.span(warp) for warp, (request, *_) in this.warps.items()
             if request.op != "shuffle"]
    picture.mark("combine", [(left, y, right, y) for left, right in spans])
    picture.y += READ_GAP
    picture.block(list(gets), this.warps)


def draw_barrier(picture, this):
    """A line: across everything for the block, across its lanes for a warp."""
    y = picture.y = max(picture.y + BARRIER_GAP, picture.text_y)
    spans = map(picture.span, this.warps)
    if this.request.op == "syncthreads":
        picture.ends.clear()
        spans = [(12, RIGHT - 8)]
    picture.mark(this.request.op, [(left, y, right, y) for left, right in spans])


def draw_omission(picture, omitted):
    """Values go on in what is left out."""
    picture.used.update(*picture.ends.values())
    picture.ends.clear()
    picture.written, picture.registers = {}, None
    picture.y = max(picture.y, picture.text_y - STRIP) + 22
    picture.parts.append(svg.text(LEFT + COLUMNS / 2, picture.y - 3, f"⋮   {omitted.words}   ⋮",
                                  text_anchor="middle", fill=QUIET, class_="access-omitted"))


# ---- what the source says ----

def name_of(file):
    """Of the folder of the source file, such as 02-strided-index, or of the file main.cu is not."""
    stem = os.path.splitext(os.path.basename(file))[0]
    folder = os.path.basename(os.path.dirname(file))
    return re.sub(r"[^\w.-]", "-", folder if stem == "main" and folder else stem)


def caption_of(name):
    """As NOTES.md has it, else what a detour's header comment says first."""
    text = notes.caption(notes.load(), f"access-{name}.svg") or (
        programs.get(name).idea if name in programs.detours() else
        "which thread touches which word in which round")
    return text[0].upper() + text[1:] + "."


def in_flight(name):
    """Loads that a thread of the program has in flight; None if it is none of ours, or says not."""
    key = name[:2] if name[:2].isdecimal() else name
    return programs.get(key).loads_in_flight if key in programs.load() else None


def source_line(request):
    """Its text, cut to the room that there is; its number if the file is not here."""
    try:
        text = read_text(request.file).splitlines()[request.line - 1].strip()
    except (BadData, IndexError):
        return f"line {request.line}"
    return text if len(text) <= 50 else text[:49] + "…"


# ---- the whole ----

def draw(block):
    """Its name, that of the program's folder, and the SVG, with as many rounds as find room."""
    dearest = max(request.cost for requests in block.warps.values() for request in requests)
    warps = sorted(block.warps)[:1 if dearest > WIDE else 2]
    name = name_of(block.warps[warps[0]][0].file)
    title = re.sub(r"^(\d\d) ", r"Step \1 · ", name.replace("-", " "))
    caption = caption_of(name)
    all_rounds = rounds.of_block(block, warps)
    for most in range(access_rounds.MOST, 2, -1):
        picture = Picture({warp: rounds.threads_of(block, warp) for warp in warps})
        picture.heading(title, caption)
        draw_rounds(picture, access_rounds.shortened(all_rounds, most, in_flight(name)))
        drawn = picture.document(title, caption, block)
        if picture.y <= HEIGHT:
            break
    return name, drawn


def draw_rounds(picture, shown):
    """Each with what it does and costs, but for what the one before has said already. A barrier's
    line says it all."""
    said = [None]
    for this in shown:
        if isinstance(this, access_rounds.Omitted):
            draw_omission(picture, this)
        elif this.request.op in rounds.BARRIERS:
            draw_barrier(picture, this)
        else:
            top, lines = picture.y, [(source_line(this.request), "code"), *this.figures]
            draw = draw_shuffle if this.request.space == "sync" else draw_memory
            draw(picture, this)
            if lines != said:
                picture.say(top + READ_GAP + 10, lines[1:] if lines[0] == said[0] else lines)
            said = lines

"""Draws which thread touches which word in which round, from traces of the CPU backend: one SVG a
program, of a block's accesses, from top to bottom as its time goes.

A strip of words is an array, a strip of threads the block. Lines lead from the words that a thread
reads to the thread, and from there to the word that it writes. All of it, the marks included, comes
from the trace."""

from plots.read import entry  # before all else

import collections
import itertools
import os
import re

from plots.access_canvas import HEIGHT, RIGHT, Picture
from plots.read import notes, programs, trace_data
from plots.read.files import ROOT, read_text, write_text

READ_GAP, WRITE_GAP, BARRIER_GAP = 16, 8, 6
WIDE = 16           # sectors of a request; of wider ones only one warp's fit into a strip
MOST = 29           # rounds and barriers in a picture
MARKED = "02", "03"  # steps of whose pictures there is one to be marked by students


# ---- which rounds are shown ----

def shortened(all_rounds, most, in_flight):
    """Of long runs of rounds that are alike only the first and last; of what is still more than
    most, the middle is left out; there stands, as a text, what is. in_flight: how many loads a
    thread sends before it needs an answer: a run of loads looks like a sequence, so of those that
    are sent together it is said."""
    short = []
    for _, run in itertools.groupby(all_rounds, shape):
        run = list(run)
        words = "more turns like these"
        if len(run) == in_flight and run[0].request.op == "load":
            words = f"more: all {in_flight} loads are sent before the first is answered"
        short += run if len(run) < 4 else [run[0], f"{len(run) - 2} {words}", run[-1]]
    if len(short) > most + 1:
        short[2 * most // 3:-(most // 3)] = ["some rounds are left out here"]
    return short


def shape(this):
    """What two rounds have in common that look alike, wherever in memory they are."""
    lanes = this.request.lanes if this.request.op == "shuffle" else None
    return this.request.line, this.request.op, this.figures, lanes


# ---- rounds ----

def draw_memory(picture, this):
    """Words that are read, then the threads that write, and their words. If all words that
    are read were just written, they are read there; a thread that reads word after word walks through
    them. The cost of reading is marked on a strip of this round: on the written words, if these cost
    more than they must, too."""
    reads, writes = trace_data.touches(this, "load"), trace_data.touches(this, "store")
    untold = any(trace_data.costly(reads)) and not any(trace_data.costly(writes))
    for array, touches in by_array(reads):
        strip = {} if untold else picture.written.get(array, {})
        if not {touch.access.word for touch in touches} <= strip.keys():
            picture.y += READ_GAP - 5
            strip = picture.words(touches)
        for touch in touches:
            picture.ends[touch.thread].append(strip[touch.access.word])
    picture.written = {}
    if writes:
        picture.y += READ_GAP
        picture.block(sorted({touch.thread for touch in reads + writes}), this.warps)
    for array, touches in by_array(writes):
        picture.y += WRITE_GAP
        picture.written[array] = picture.words(touches)


def by_array(touches):
    arrays = collections.defaultdict(list)
    for touch in touches:
        arrays[touch.access.array].append(touch)
    return arrays.items()


def draw_shuffle(picture, this):
    """From the lanes that give to those that get."""
    gets = trace_data.gets(this)
    if not picture.registers:
        picture.y += READ_GAP
        picture.block([thread for thread in gets if picture.ends[thread]], this.warps)
    before = picture.registers
    for thread, source in gets.items():
        others = [source] if source != thread and source in before else []
        picture.ends[thread] = [before[each] for each in [thread, *others]]
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


# ---- the whole ----

def draw(block, blank=False):
    """The name of the program's folder, and the SVG, with as many rounds as find room. Of several warps
    whose words lie in the same banks only one is drawn. Blank: without what it costs."""
    all_requests = [*itertools.chain(*block.warps.values())]
    alone = blank or any(request.cost > (1 if request.space == "shared" else WIDE)
                         for request in all_requests)
    warps = sorted(block.warps)[:1 if alone else 2]
    name = os.path.basename(os.path.dirname(block.warps[warps[0]][0].file))
    program = programs.load().get(name[:2])
    title = re.sub(r"^(\d\d) ", r"Step \1 · ", name.replace("-", " "))
    caption = notes.caption(notes.load(), f"access-{name}.svg") or "which thread touches which word"
    caption = caption[0].upper() + caption[1:] + "."
    all_rounds = trace_data.rounds_of(block, warps)
    for most in range(8 if blank else MOST, 2, -1):
        picture = Picture({warp: trace_data.threads_of(block, warp) for warp in warps}, blank)
        picture.heading(title, caption)
        draw_rounds(picture, shortened(all_rounds, most, program and program.loads_in_flight))
        drawn = picture.document(title, caption, block)
        if picture.y <= HEIGHT:
            break
    return name, drawn


def draw_rounds(picture, shown):
    """Each with what it does and costs, but for what the one before has said already. A barrier's
    line says it all."""
    said = [None]
    for this in shown:
        if isinstance(this, str):
            picture.omission(this)
        elif this.request.op in trace_data.BARRIERS:
            draw_barrier(picture, this)
        else:
            source = read_text(this.request.file).splitlines()[this.request.line - 1].strip()
            source = source if len(source) <= 50 else source[:49] + "…"
            top, lines = picture.y, [(source, "code"), *this.figures]
            if picture.blank:
                lines[1:] = [("wavefronts per request: ______", "name")]
            (draw_shuffle if this.request.space == "sync" else draw_memory)(picture, this)
            if lines != said or picture.blank:
                picture.say(top + READ_GAP + 10, lines[1:] if lines[0] == said[0] else lines)
            said = lines


def main(*built, out=os.path.join(ROOT, "plots")):
    """Writes access-NAME.svg into a folder, NAME being the folder of the program's source. built: for
    the CPU backend."""
    for i, path in enumerate(built, 1):
        entry.progress("tracing the steps", i, len(built))
        block = trace_data.of_program(path, 2**13)
        name, picture = draw(block)
        pictures = {name: picture}
        if name[:2] in MARKED:
            pictures[f"{name[:2]}-blank"] = draw(block, blank=True)[1]
        for name, picture in pictures.items():
            target = os.path.join(out, f"access-{name}.svg")
            write_text(target, picture)
            print(os.path.relpath(target))


if __name__ == "__main__":
    entry.run("make access", entry.typed(main))

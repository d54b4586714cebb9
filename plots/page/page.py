"""Writes the lab page for a projector.

Gathers what there is: sources, counters, measured times, pictures of plots/, what NOTES.md asks and
answers, and traces of small copies of the steps for the CPU backend, to be played."""

from plots.read import entry  # before all else

import os
import string
import sys

from plots.page import frames, slides, step_slides
from plots.read import bench_data, counter_data, notes, programs, trace_data
from plots.read.files import ROOT, read_text, write_text

PLOTS = os.path.join(ROOT, "plots")


def play(folder, program):
    """Subtitle and body of the slide that plays its small copy in this folder: one block, whose
    threads add what they load at once, or four elements. None if there is no copy, or if it cannot
    be followed, which is told."""
    copy, n = os.path.join(folder, f"step{program.key}"), 64 * min(program.loads_in_flight or 4, 4)
    if not os.path.exists(copy):
        return None
    try:
        data = frames.of_block(trace_data.of_program(copy, n, "--small"), program)
    except frames.Lost as why:
        print(f"make lab: step {program.key} is not played: {why}", file=sys.stderr)
        return None
    source = read_text(os.path.join(folder, "source", program.folder, "main.cu"))
    return step_slides.played(data, program, source)


def gather_steps(counters, played, text):
    """A Step each; played: the folder with small copies of them; text: of NOTES.md."""
    step, keys = None, programs.steps()
    for i, key in enumerate(keys, 1):
        entry.progress("playing the steps", i, len(keys))
        program = programs.get(key)
        step = step_slides.Step(program, step, counters.get(key), notes.parts(text, key),
                                play(played, program))
        yield step


def slides_of(steps, bench, text):
    place, title, said = notes.interlude(text) or (None, "", [])
    yield from (slides.ladder(steps), *slides.before(text))
    for step in steps:
        if step.program.key == place:
            yield slides.interlude(title, said)
        yield from step_slides.all_of(step, bench)
    yield from slides.plots([f"{PLOTS}/{name}.svg" for name in ("explain", "share", "stalls")], text)


def page(deck):
    """All of its HTML."""
    style, script, play, frame = (read_text(os.path.join(ROOT, "plots/page", name)) for name in (
        "page.css", "page.js", "player.js", "page.html"))
    return string.Template(frame).substitute(
        style=style, script=script + play, contents=slides.contents(deck), title=slides.TITLE,
        slides="\n".join(slide.html for slide in deck))


def main(data=f"{PLOTS}/data/h200.csv", counters=f"{PLOTS}/data/counters.csv", played="build/play",
         out="build/lab.html"):
    """data: what make bench wrote; played: the folder with small copies of the steps, and the source
    of each."""
    bench, text = bench_data.load(data), notes.load()
    deck = [*slides_of([*gather_steps(counter_data.load(counters), played, text)], bench, text)]
    write_text(out, page(deck))
    if lacking := bench_data.lacking(bench, programs.steps()):
        print(f"make lab: shown as –, since {lacking}", file=sys.stderr)
    print(f"{out}: {len(deck)} slides; open it in a browser; the arrow keys turn them\n"
          "To print: Ctrl+P in the browser, or save as PDF; the print has no answers")


if __name__ == "__main__":
    entry.run("make lab", entry.typed(main))

"""Writes the lab page for a projector, and one with all the rest: page.py STEP'S PROGRAM … (CPU
backend).

Gathers what there is: sources, counters, measured times, pictures of plots/, what NOTES.md asks and
answers, and traces of small copies of the steps, to be played.
Exit status: 0 written; 1 a program failed; 2 bad data, told in one line."""

from plots.read import entry  # before all else

import glob
import os
import string
import subprocess
import sys
import tempfile

from plots.page import frames, slides, step_slides
from plots.read import bench_data, counter_data, notes, programs, trace_data
from plots.read.files import ROOT, read_text, write_text

PLOTS = os.path.join(ROOT, "plots")
COUNTED = 2**20  # elements, when the CPU backend counts


def output_of(program, n, *options):
    done = subprocess.run([program, "-n", str(n), *options], capture_output=True, text=True)
    if done.returncode:
        why = (done.stderr.splitlines() or ["it says nothing"])[-1]
        sys.exit(f"make lab: {os.path.basename(program)} failed with status {done.returncode}: {why}")
    return done.stdout


def play(folder, program):
    """Subtitle and body of the slide that plays its small copy in this folder: one block, whose
    threads add what they load at once, or four elements. None if there is no copy, or if it cannot
    be followed, which is told."""
    copy, n = os.path.join(folder, f"step{program.key}"), 64 * min(program.loads_in_flight or 4, 4)
    if not os.path.exists(copy):
        return None
    with tempfile.NamedTemporaryFile() as trace:
        output_of(copy, n, "--small", "--csv", "--trace", trace.name)  # fails if its sum is wrong
        block = trace_data.load(trace.name)
    try:
        data = frames.of_block(block, program)
    except frames.Lost as why:
        print(f"make lab: step {program.key} is not played: {why}", file=sys.stderr)
        return None
    source = read_text(os.path.join(folder, "source", program.folder, "main.cu"))
    return step_slides.played(data, program, source)


def gather_steps(built, played, text):
    """A Step of each program that was built; played: the folder with small copies of them; text: of
    NOTES.md."""
    step = None
    for i, path in enumerate(built, 1):
        entry.progress("running the steps", i, len(built))
        key, counts = counter_data.parse(output_of(path, COUNTED, "--counters=csv"),
                                         os.path.basename(path), COUNTED)
        program = programs.get(key)
        step = step_slides.Step(program, step, counts, output_of(path, COUNTED, "--annotate"),
                                notes.parts(text, key), f"{PLOTS}/access-{program.folder}.svg",
                                play(played, program))
        yield step


def for_class(steps, bench, text, more):
    """The slides of a lesson; more: the address of the page with all the rest."""
    place, title, said = notes.interlude(text) or (None, "", [])
    deck = [slides.ladder(steps), *slides.before(text)]
    for step in steps:
        if step.program.key == place:
            deck.append(slides.interlude(title, said))
        deck += step_slides.all_of(step, bench, more)
    link = f'<p><a href="{more}">All pictures, and the cost of each line</a></p>'
    return [*deck, *slides.plots([f"{PLOTS}/{name}.svg" for name in ("explain", "share", "stalls")], text,
                                 link)]


def for_engineers(steps, text, lesson):
    """What each line costs, who touches what, all pictures."""
    deck = [slide for step in steps for slide in step_slides.costs_of(step, lesson)]
    plots = set(glob.glob(f"{PLOTS}/*.svg")) - set(glob.glob(f"{PLOTS}/access-*.svg"))
    return [*deck, *slides.plots(plots, text)]


def page(deck, title):
    """All of its HTML."""
    style, script, play, frame = (read_text(os.path.join(ROOT, "plots/page", name)) for name in (
        "page.css", "page.js", "player.js", "page.html"))
    return string.Template(frame).substitute(
        style=style, script=script + play, contents=slides.contents(deck), title=title,
        slides="\n".join(slide.html for slide in deck))


def main(*built, data=f"{PLOTS}/data/h200.csv", played="build/play", out="build/lab.html"):
    """built: step00, step01 … for the CPU backend; data: what make bench wrote; played: the folder
    with small copies of the programs, and the source of each."""
    bench, text = bench_data.load(data), notes.load()
    steps = [*gather_steps(built, played, text)]
    other = f"{os.path.splitext(out)[0]}-more.html"
    deck = for_class(steps, bench, text, os.path.basename(other))
    rest = for_engineers(steps, text, os.path.basename(out))
    write_text(out, page(deck, slides.TITLE))
    write_text(other, page(rest, f"{slides.TITLE}: more"))
    if lacking := bench_data.lacking(bench, {step.program.key for step in steps}):
        print(f"make lab: shown as –, since {lacking}", file=sys.stderr)
    print(f"{out}: {len(deck)} slides; open it in a browser; the arrow keys turn them\n"
          f"{other}: {len(rest)} more, to which the last one leads\n"
          "To print: Ctrl+P in the browser, or save as PDF; the print has no answers")


if __name__ == "__main__":
    entry.run("make lab", entry.typed(main))

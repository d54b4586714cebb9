#!/usr/bin/env python3
"""Writes the lab page, one HTML file for a projector: page.py STEP'S PROGRAM … (CPU backend).

Gathers what there is: sources, counters, measured times, pictures of plots/, what NOTES.md asks and
answers.
Exit status: 0 written; 1 a program failed; 2 bad data, told in one line."""

import argparse
import glob
import os
import string
import subprocess
import sys

from lab import slides, step_slides
from tutorial import bench_data, counter_data, notes, programs
from tutorial.files import ROOT, BadData, read_text, write_text

HERE = os.path.dirname(os.path.abspath(__file__))
PLOTS = os.path.join(ROOT, "plots")
COUNTED = 2**20  # elements, when the CPU backend counts


class Failed(Exception):
    """A program that did not do what it should, in one line."""


def count(program):
    """(key, Counts) of a program."""
    name = os.path.basename(program)
    done = subprocess.run([program, "-n", str(COUNTED), "--counters=csv"], capture_output=True,
                          text=True)
    if done.returncode:
        why = (done.stderr.splitlines() or ["it says nothing"])[-1]
        raise Failed(f"{name} failed with status {done.returncode}: {why}")
    return counter_data.parse(done.stdout, name, COUNTED)


def gather_steps(built):
    """A Step of each program that was built."""
    text, result = notes.load(), [None]
    for key, counts in map(count, built):
        program = programs.get(key)
        picture = os.path.join(PLOTS, f"access-{program.folder}.svg")
        result.append(step_slides.Step(program, result[-1], counts, notes.parts(text, key),
                                       picture if os.path.exists(picture) else None))
    return result[1:]


def all_slides(steps, bench):
    deck = [*slides.ladder(steps, bench)]
    for step in steps:
        deck += step_slides.all_of(step, bench)
    plots = set(glob.glob(f"{PLOTS}/*.svg")) - set(glob.glob(f"{PLOTS}/access-*.svg"))
    return [*deck, *slides.plots(plots, notes.load()), *slides.detours(bench)]


def page(deck):
    """All of its HTML."""
    style, script, frame = (read_text(os.path.join(HERE, "page." + kind))
                            for kind in ("css", "js", "html"))
    return string.Template(frame).substitute(
        style=style, script=script, contents=slides.contents(deck),
        slides="\n".join(slide.html for slide in deck))


def main():
    parser = argparse.ArgumentParser(description="Writes the lab page, one HTML file.")
    parser.add_argument("programs", nargs="+", metavar="PROGRAM", help="step00, step01 …, built "
                        "for the CPU backend")
    parser.add_argument("--data", metavar="FILE", default=os.path.join(PLOTS, "data", "h200.csv"),
                        help="what make bench wrote (default: plots/data/h200.csv)")
    parser.add_argument("--out", metavar="FILE", default="build/lab.html")
    options = parser.parse_args()
    try:
        bench = bench_data.load(options.data)
        deck = all_slides(gather_steps(options.programs), bench)
        write_text(options.out, page(deck))
    except (BadData, Failed, OSError) as error:
        print(f"make lab: {error}", file=sys.stderr)
        return 2 if isinstance(error, BadData) else 1
    if slides.lacks(bench):
        print(f"make lab: shown as –, since {slides.lacks(bench)}", file=sys.stderr)
    print(f"{options.out}: {len(deck)} slides; open it in a browser, the arrow keys turn them")
    return 0


if __name__ == "__main__":
    sys.exit(main())

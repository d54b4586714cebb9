#!/usr/bin/env python3
"""Writes the lab page, one HTML file for a projector: page.py STEP'S PROGRAM … (CPU backend).

Gathers what there is: sources, counters, measured times, questions of NOTES.md, pictures of plots/.
Exit status: 0 written; 1 a program failed; 2 bad data, told in one line."""

import argparse
import glob
import os
import string
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

from lab import slides, step_slides
from tutorial import bench_data, counter_data, notes, programs
from tutorial.files import ROOT, BadData, read_text, write_text

HERE = os.path.dirname(os.path.abspath(__file__))
PLOTS = os.path.join(ROOT, "plots")
ORDER = "bandwidth speedup share explain".split()  # of the plots; others follow by name
COUNTED = 2**20  # elements, when the CPU backend counts


class Failed(Exception):
    """A program that did not do what it should, in one line."""


# ---- gathering ----

def count(program):
    """(key, Counts) of a program."""
    name = os.path.basename(program)
    try:
        done = subprocess.run([program, "-n", str(COUNTED), "--counters=csv"],
                              capture_output=True, text=True)
    except OSError as error:
        raise Failed(f"{program}: {error.strerror}") from None
    if done.returncode:
        why = (done.stderr.splitlines() or ["it says nothing"])[-1]
        raise Failed(f"{name} failed with status {done.returncode}: {why}")
    try:
        return counter_data.parse(done.stdout, name, COUNTED)
    except BadData as error:
        raise Failed(f"{name} printed no counters: {error}") from None


def load_times(path):
    """What `make bench` measured of ints: at 2^24, and at the largest n that all steps have. What
    is not measured yet is left open."""
    bench = bench_data.load(path)
    runs = {key: of_n for (key, type), of_n in bench.runs.items() if type == "int"}
    floats = {key: of_n for (key, type), of_n in bench.runs.items()
              if type == "float" and key not in runs}
    largest, meta = bench_data.largest_size(bench, "int"), bench.meta
    common = bench_data.common_sizes(bench, "int", bench_data.steps(bench, "int"))
    source = (f"Measured on an {meta['gpu']} (CUDA {meta['cuda']}, driver {meta['driver']}, "
              f"{meta['date']}, commit {meta['commit']}): ints, cold cache, median.")
    missing = bench_data.unmeasured(bench)
    return slides.Times(meta["gpu"], bench.peak, source, sorted({2**24, largest} & {*common}), runs,
                        floats, bench_data.lacks(bench, missing) if missing else "")


def read_svg(path):
    text = read_text(path)
    try:
        ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise BadData(path, error.position[0], f"is no SVG: {error}") from None
    return text


def picture_of(program):
    """plots/access-FOLDER.svg, where it exists."""
    path = os.path.join(PLOTS, f"access-{program.folder}.svg")
    return read_svg(path) if os.path.exists(path) else None


def plots():
    """{name: SVG} of the other pictures."""
    names = [os.path.basename(path)[:-4] for path in glob.glob(os.path.join(PLOTS, "*.svg"))]
    names = [name for name in names if not name.startswith("access-")]
    names.sort(key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))
    return {name: read_svg(os.path.join(PLOTS, name + ".svg")) for name in names}


def gather_steps(counts):
    """counts: {key: Counts}, for each step."""
    text, before, figures, result = notes.load(), None, {}, []
    for key in counts:
        program, figures_before = programs.get(key), figures
        figures = counter_data.figures(counts[key])
        result.append(step_slides.Step(program, before, counts[key], figures, figures_before,
                                       notes.question(text, key), picture_of(program)))
        before = program
    return result


# ---- the page ----

def all_slides(steps, times):
    peers = [programs.get(key) for key in bench_data.PEERS if key in programs.load()]
    result = [slides.ladder(steps, peers, times)]
    for step in steps:
        result += step_slides.all_of(step, times)
    result += [slides.plot(name, svg) for name, svg in plots().items()]
    detours = sorted(programs.detours(), key=programs.reading_order)
    return result + slides.detours([programs.get(key) for key in detours], times)


def page(deck):
    def of(name):
        return read_text(os.path.join(HERE, name))
    return string.Template(of("page.html")).substitute(
        style=of("page.css"), script=of("page.js"), contents=slides.contents(deck),
        slides="\n".join(slide.html for slide in deck))


def arguments():
    parser = argparse.ArgumentParser(description="Writes the lab page, one HTML file.")
    parser.add_argument("programs", nargs="+", metavar="PROGRAM", help="step00, step01 …, built "
                        "for the CPU backend")
    parser.add_argument("--data", metavar="FILE", default=os.path.join(PLOTS, "data", "h200.csv"),
                        help="what make bench wrote (default: plots/data/h200.csv)")
    parser.add_argument("--out", metavar="FILE", default="build/lab.html")
    return parser.parse_args()


def main():
    options = arguments()
    try:
        times = load_times(options.data)
        deck = all_slides(gather_steps(dict(map(count, options.programs))), times)
        write_text(options.out, page(deck))
    except BadData as error:
        print(f"make lab: {error}", file=sys.stderr)
        return 2
    except (Failed, OSError) as error:
        print(f"make lab: {error}", file=sys.stderr)
        return 1
    if times.lacks:
        print(f"make lab: shown as –, since {times.lacks}", file=sys.stderr)
    print(f"{options.out}: {len(deck)} slides; open it in a browser, the arrow keys turn them")
    return 0


if __name__ == "__main__":
    sys.exit(main())

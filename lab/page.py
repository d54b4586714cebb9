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

from lab import counters
from lab import notes
from lab import slides
from tutorial import sources
from lab import step_slides

from tutorial import bench_data
from tutorial import csv_input
from tutorial.program import idea, reading_order, when_to_read

HERE = os.path.dirname(os.path.abspath(__file__))
PLOTS = os.path.join(sources.ROOT, "plots")
ORDER = "bandwidth speedup share explain".split()  # of the plots; others follow by name


class Failed(Exception):
    """A program that did not do what it should, in one line."""


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


# ---- gathering ----

def count(program):
    """The rows of a program's --counters=csv."""
    name = os.path.basename(program)
    try:
        done = subprocess.run([program, "-n", str(step_slides.COUNTED), "--counters=csv"],
                              capture_output=True, text=True)
    except OSError as error:
        raise Failed(f"{program}: {error.strerror}") from None
    if done.returncode:
        why = (done.stderr.splitlines() or ["it says nothing"])[-1]
        raise Failed(f"{name} failed with status {done.returncode}: {why}")
    try:
        return counters.read(done.stdout)
    except ValueError as error:
        raise Failed(f"{name} {error}") from None


def load_times(path, keys):
    """What `make bench` measured of ints: at 2^24, and at the largest n that all steps have."""
    bench = bench_data.load(path)
    runs = {key: of_n for (key, type), of_n in bench.runs.items() if type == "int"}
    floats = {key: of_n for (key, type), of_n in bench.runs.items()
              if type == "float" and key not in runs}
    common = set.intersection(*(set(runs.get(key, {})) for key in keys))
    if not common:
        raise csv_input.BadData(path, None, "has no n at which every step was measured (int)")
    meta = bench.meta
    source = (f"Measured on an {meta['gpu']} (CUDA {meta['cuda']}, driver {meta['driver']}, "
              f"{meta['date']}, commit {meta['commit']}): ints, cold cache, median.")
    sizes = sorted({2**24, max(common)} & common)
    return slides.Times(meta["gpu"], bench.peak, source, sizes, runs, floats)


def read_svg(path):
    text = read(path)
    try:
        ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise csv_input.BadData(path, error.position[0], f"is no SVG: {error}") from None
    return text


def picture_of(program):
    """plots/access-FOLDER.svg, where it exists."""
    path = os.path.join(PLOTS, f"access-{program.folder}.svg")
    return read_svg(path) if os.path.exists(path) else None


def plots():
    """{name: SVG} of the other pictures."""
    paths = glob.glob(os.path.join(PLOTS, "*.svg"))
    names = [os.path.splitext(os.path.basename(path))[0] for path in paths]
    names = [name for name in names if not name.startswith("access-")]
    names.sort(key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))
    return {name: read_svg(os.path.join(PLOTS, name + ".svg")) for name in names}


def gather_steps(found, rows):
    """rows: {key: what was counted}, for each step."""
    text, before, result = read(sources.ROOT, "NOTES.md"), None, []
    counts = {key: counters.of_step(of_key) for key, of_key in rows.items()}
    for key in rows:
        result.append(step_slides.Step(found[key], before and found[before], rows[key], counts[key],
                                  counts.get(before, {}), notes.question(text, key),
                                  picture_of(found[key])))
        before = key
    return result


# ---- the page ----

def all_slides(found, steps, times):
    peers = [found[key] for key in ("cub", "single-pass") if key in found]
    result = [slides.ladder(steps, peers, times)]
    for step in steps:
        result += [step_slides.idea(step, times), *step_slides.diff(step),
                   *step_slides.counted(step), *step_slides.picture(step)]
    result += [slides.plot(name, svg) for name, svg in plots().items()]
    detours = sorted((key for key in found if not key.isdecimal()), key=reading_order)
    return result + slides.detours(
        [(found[key], when_to_read(key), idea(key)) for key in detours], times)


def page(deck):
    return string.Template(read(HERE, "page.html")).substitute(
        style=read(HERE, "page.css"), script=read(HERE, "page.js"),
        slides="\n".join(slide.html for slide in deck), contents=slides.contents(deck))


def write(path, text):
    """All of it or nothing."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    try:
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".new", path)
    except OSError:
        if os.path.exists(path + ".new"):
            os.remove(path + ".new")
        raise


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
        found = sources.programs()
        keys = [key for key in found if key.isdecimal()]
        times = load_times(options.data, keys)
        counted = [count(program) for program in options.programs]
        rows = {of_step[0]["step"]: of_step for of_step in counted}
        deck = all_slides(found, gather_steps(found, rows), times)
        write(options.out, page(deck))
    except csv_input.BadData as error:
        print(f"make lab: {error}", file=sys.stderr)
        return 2
    except (Failed, OSError) as error:
        print(f"make lab: {error}", file=sys.stderr)
        return 1
    print(f"{options.out}: {len(deck)} slides; open it in a browser, the arrow keys turn them")
    return 0


if __name__ == "__main__":
    sys.exit(main())

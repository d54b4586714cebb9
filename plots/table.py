#!/usr/bin/env python3
"""Rewrites what README.md, NOTES.md and the READMEs of bench, detours and simt show of the measured data
and of the code: blocks between two lines `<!-- generated: NAME -->` and `<!-- /generated -->`. It
is what `make table` does. With --check it writes nothing, and exits 1 naming the blocks that are
stale. Errors are one line, status 2."""

from tutorial import entry  # before all else

import argparse
import collections
import os
import re
import sys
from functools import partial

from plots import tables_course as course
from plots import tables_engineer as engineer
from tutorial import bench_data, counter_data, programs, side_data
from tutorial.files import ROOT, BadData, read_text, shown, write_text

FILES = ["README.md", "NOTES.md", "bench/README.md", "detours/README.md", "simt/README.md",
         "simt/VERDICTS.md"]
BEGIN, END = "<!-- generated: ", "<!-- /generated -->\n"
MARK = re.compile(rf"^({BEGIN}.* -->\n|{END})", re.MULTILINE)

# What blocks are made from: field of Data -> (what reads it, its file). The bench's may be another.
SOURCES = {
    "bench": (bench_data.load, "plots/data/h200.csv"),
    "second": (bench_data.load, "plots/data/h100.csv"),
    "counters": (counter_data.load, "plots/data/counters.csv"),
    "multi_gpu": (bench_data.load, "plots/data/2x-h200.csv"),
    "write_up_0": (bench_data.load, "plots/data/write-up-0-h200.csv"),
    "nsight": (side_data.load_nsight, "plots/data/write-up-0-nsight-h200.csv"),
    "trust": (side_data.load_trust, "plots/data/trust-h200.csv"),
    "tuning": (side_data.load_tuning, "plots/data/tuning-h200.csv"),
    "errors": (side_data.load_errors, "plots/data/float-order-h200.csv"),
    "ideas": (side_data.load_ideas, "plots/data/ideas-h200.csv"),
    "in_flight": (side_data.load_in_flight, "plots/data/in-flight-h200.csv"),
    "cases": (side_data.load_cases, "simt/tests/sanitizer.sh"),
    "verdicts": (side_data.load_verdicts, "simt/tests/data/verdicts_h200.csv"),
    "roots": (side_data.load_roots, "tests/data/roots.csv")}
DATA = SOURCES["bench"][1]
# old: what the block holds until now.
Data = collections.namedtuple("Data", [*SOURCES, "old"], defaults=[""])


# ---- blocks ----

def blocks():
    """{name of a block: the function of Data that makes it}"""
    found = {function.__name__.replace("_", "-"): function for function in (
        course.measured, course.ladder, course.small_n, engineer.cub, engineer.shapes,
        engineer.leasts, engineer.second_gpu, engineer.in_flight, engineer.processes,
        engineer.tuning, engineer.detours, engineer.errors, engineer.multi_gpu, engineer.kernels,
        engineer.write_up_0, engineer.planted, engineer.roots)}
    found |= {"ideas corners": course.ideas_corners, "ideas banks": engineer.ideas_banks}
    steps = programs.steps()
    for before, step in zip([None, *steps], steps):
        found[f"kernel {step}"] = partial(course.kernel, step=step)
        found[f"step {step}"] = partial(course.step, before=before, step=step)
        if before:
            found[f"diff {before} {step}"] = partial(course.diff, before=before, step=step)
    return found


def generate(path, text, data):
    """The text with every block made anew, and the names of those blocks that were stale."""
    parts, known, stale = MARK.split(text), blocks(), []  # text, begin, block, end, text, …
    made = parts.copy()
    for i in range(1, len(parts), 4):
        line = "".join(parts[:i]).count("\n") + 1
        name = parts[i].removeprefix(BEGIN).removesuffix(" -->\n")
        if parts[i] == END or parts[i + 2:i + 3] != [END]:
            raise BadData(path, line, f"a block stands between two lines, {BEGIN}NAME --> and "
                                      f"{END.strip()}")
        if name not in known:
            raise BadData(path, line, f"no block is called '{name}'; there is {', '.join(known)}")
        made[i + 1] = known[name](data._replace(old=parts[i + 1]))
        stale += [name] * (made[i + 1] != parts[i + 1])
    return "".join(made), stale


# ---- files ----

def load(bench):
    """All data, of which the file of the bench may be another than the committed one."""
    return Data(bench_data.load(bench), *(
        read(os.path.join(ROOT, path)) for field, (read, path) in SOURCES.items()
        if field != "bench"))


def rewrite(paths, data, check):
    """The exit status. All blocks are made before the first file is written."""
    made = {path: generate(path, read_text(path), data) for path in paths}
    for path, (text, stale) in made.items():
        if stale and not check:
            write_text(path, text)
        for name in stale:
            print(f"{shown(path)}: block '{name}' " +
                  ("is stale: make table" if check else "rewritten"),
                  file=sys.stderr if check else sys.stdout)
    if any(stale for _, stale in made.values()):
        return 1 if check else 0
    if not check:
        print("nothing to rewrite:", ", ".join(map(shown, paths)), "show the data as they are")
    return 0


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a block is stale")
    parser.add_argument("--data", metavar="FILE", default=os.path.join(ROOT, DATA),
                        help=f"a file of make bench (default: {DATA})")
    parser.add_argument("files", metavar="FILE", nargs="*",
                        default=[os.path.join(ROOT, name) for name in FILES],
                        help=f"the files to rewrite (default: {', '.join(FILES)})")
    options = parser.parse_args(words)
    try:
        return rewrite(options.files, load(options.data), options.check)
    except BadData as error:
        print(f"make table: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    entry.run("make table", main)

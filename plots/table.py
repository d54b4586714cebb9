#!/usr/bin/env python3
"""Rewrites what README.md, NOTES.md and the READMEs of bench and detours show of the measured data
and of the code: blocks between two lines `<!-- generated: NAME -->` and `<!-- /generated -->`. It
is what `make table` does. With --check it writes nothing, and exits 1 naming the blocks that are
stale. Errors are one line, status 2."""

import argparse
import collections
import inspect
import os
import re
import sys

from plots import tables_course as course
from plots import tables_engineer as engineer
from tutorial import bench_data, counter_data, side_data
from tutorial.files import ROOT, BadData, read_text, shown, write_text
from tutorial.programs import detours, steps

DATA = "plots/data/h200.csv"
FILES = ["README.md", "NOTES.md", "bench/README.md", "detours/README.md"]
MARK = re.compile(r"^<!-- (?:generated: (?P<name>.*?)|/generated) -->\n", re.MULTILINE)

# What blocks are made from. old: what the block holds until now.
Data = collections.namedtuple(
    "Data", "bench counters multi_gpu write_up_0 nsight trust tuning old", defaults=[""])

# A block is called by its function's name, and by a program for each further argument.
BLOCKS = {function.__name__.replace("_", "-"): function for function in (
    course.measured, course.ladder, course.kernel, course.diff, course.step, course.turnaround,
    course.small_n, course.cub, engineer.hot, engineer.processes, engineer.expected,
    engineer.tuning, engineer.detours, engineer.multi_gpu, engineer.kernels,
    engineer.write_up_0)}


# ---- blocks ----

def block(path, line, name, data):
    """The Markdown of the block that a line names."""
    word, *words = name.split() or [""]
    if word not in BLOCKS:
        raise BadData(path, line, f"no block is called '{word}'; there is {', '.join(BLOCKS)}")
    _, *wanted = inspect.signature(BLOCKS[word]).parameters
    known = steps() + (detours() if wanted != ["step"] else [])
    if len(words) != len(wanted) or not set(words) <= set(known):
        right = f"'{' '.join([word, *map(str.upper, wanted)])}'"
        raise BadData(path, line, f"the block '{name}' would rightly be {right}" +
                      (f", of {', '.join(known)}" if wanted else ""))
    return BLOCKS[word](data, *words)


def generate(path, text, data):
    """The text with every block made anew, and the names of those blocks that were stale."""
    marks = list(MARK.finditer(text))
    done, stale, end = "", [], 0
    while marks:
        begin = marks.pop(0)
        line = text.count("\n", 0, begin.start()) + 1
        if begin["name"] is None:
            raise BadData(path, line, "<!-- /generated --> closes nothing")
        if not marks or marks[0]["name"] is not None:
            raise BadData(path, line, f"the block '{begin['name']}' is not closed; a line "
                                      "<!-- /generated --> would close it")
        close = marks.pop(0)
        old = text[begin.end():close.start()]
        new = block(path, line, begin["name"], data._replace(old=old))
        stale += [begin["name"]] * (new != old)
        done += text[end:begin.end()] + new
        end = close.start()
    return done + text[end:], stale


# ---- files ----

def load(bench):
    """All data, of which the file of the bench may be another than the committed one."""
    def path(name):
        return os.path.join(ROOT, "plots/data", name)
    return Data(bench_data.load(bench), counter_data.load(path("counters.csv")),
                bench_data.load(path("2x-h200.csv")), bench_data.load(path("write-up-0-h200.csv")),
                side_data.load_nsight(path("write-up-0-nsight-h200.csv"), engineer.WRITE_UP_0,
                                 engineer.METRICS), side_data.load_trust(path("trust-h200.csv")),
                side_data.load_tuning(path("tuning-h200.csv")))


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
    return 1 if check and any(stale for _, stale in made.values()) else 0


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a block is stale")
    parser.add_argument("--data", metavar="FILE", default=os.path.join(ROOT, DATA),
                        help=f"what make bench wrote (default: {DATA})")
    parser.add_argument("files", metavar="FILE", nargs="*",
                        default=[os.path.join(ROOT, name) for name in FILES],
                        help=f"what to rewrite (default: {', '.join(FILES)})")
    options = parser.parse_args(words)
    try:
        return rewrite(options.files, load(options.data), options.check)
    except BadData as error:
        print(f"make table: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())

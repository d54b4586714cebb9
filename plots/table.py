#!/usr/bin/env python3
"""Rewrites what README.md and NOTES.md say of the measured data and of the code, in blocks between
two lines `<!-- generated: NAME -->` and `<!-- /generated -->`: what `make table` does. With --check
it writes nothing, and exits 1 naming the blocks that are stale. Errors are one line, status 2."""

import argparse
import collections
import os
import re
import sys

from tutorial import bench_data
from plots import block_measuring
from plots import block_programs
from plots import block_reading
from plots import block_step
from plots import block_write_ups
from tutorial import counter_data
from tutorial import side_data
from tutorial.files import ROOT, BadData, read_text, shown
from tutorial.programs import detours, steps

DATA = "plots/data/h200.csv"
FILES = ["README.md", "NOTES.md"]
OPENING = re.compile(r"<!-- generated: (.*?) -->")
CLOSING = "<!-- /generated -->"


# ---- blocks ----

EARLIER = ["d4265d8", "89bf3c2", "2d0acc5"]  # commits whose bench was kept
# What blocks are made from. earlier: older runs of the bench, to be compared with it.
Data = collections.namedtuple(
    "Data", "bench earlier counters write_up_0 nsight multi_gpu float_order trust tuning")

# First word of a NAME -> (function of Data and the words that follow, which returns markdown; what
# these words are: programs).
BLOCKS = {
    "measured": (block_programs.measured, ""),
    "ladder": (block_programs.ladder, ""),
    "detours": (block_programs.detours, ""),
    "multi-gpu": (block_programs.multi_gpu, ""),
    "kernel": (block_step.kernel, "PROGRAM"),
    "diff": (block_step.diff, "BEFORE PROGRAM"),
    "step": (block_step.step, "STEP"),
    "turnaround": (block_reading.turnaround, ""),
    "trip": (block_reading.trip, ""),
    "small-n": (block_reading.small_n, ""),
    "second-launch": (block_reading.second_launch, ""),
    "float-order": (block_reading.float_order, ""),
    "cub": (block_reading.cub, ""),
    "hot": (block_measuring.hot, ""),
    "processes": (block_measuring.processes, ""),
    "agreement": (block_measuring.agreement, ""),
    "expected": (block_measuring.expected, ""),
    "tuning": (block_measuring.tuning, ""),
    "fence": (block_measuring.fence, ""),
    "kernels": (block_write_ups.kernels, ""),
    "write-up-0": (block_write_ups.write_up_0, ""),
}


def block(path, number, name, data):
    """The markdown of the block that a line names."""
    word, *words = name.split()
    if word not in BLOCKS:
        raise BadData(path, number, f"no block is called '{word}'; there is {', '.join(BLOCKS)}")
    function, wanted = BLOCKS[word]
    known = steps() + detours()
    if len(words) != len(wanted.split()) or not set(words) <= set(known):
        right = f"'{' '.join([word, *wanted.split()])}'"
        raise BadData(path, number, f"the block '{name}' would rightly be {right}" +
                      (f", of {', '.join(known)}" if wanted else ""))
    return function(data, *words)


def generate(path, text, data):
    """The text with every block made anew, and the names of those blocks that were stale."""
    done, stale, name = [], [], None
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        opening = OPENING.fullmatch(line.strip())
        closing = line.strip() == CLOSING
        if name is None and closing:
            raise BadData(path, number, f"{CLOSING} closes nothing")
        if name is not None and opening:
            raise unclosed(path, opened_at, name)
        if opening:
            name, opened_at, old = opening[1], number, []
            new = block(path, number, name, data)
        elif closing:
            if new != "".join(old):
                stale.append(name)
            done.append(new)
            name = None
        elif name is not None:
            old.append(line)
            continue
        done.append(line)
    if name is not None:
        raise unclosed(path, opened_at, name)
    return "".join(done), stale


def unclosed(path, line, name):
    return BadData(path, line, f"the block '{name}' is not closed; a line {CLOSING} would close it")


# ---- files ----

def load(bench):
    """All data, of which the file of the bench may be another than the committed one."""
    def path(name):
        return os.path.join(ROOT, "plots/data", name)
    return Data(bench_data.load(bench),
                [bench_data.load(path(f"h200-{commit}.csv")) for commit in EARLIER],
                counter_data.load(path("counters.csv")),
                bench_data.load(path("write-up-0-h200.csv")),
                side_data.load_nsight(path("write-up-0-nsight-h200.csv"), block_write_ups.WRITE_UP_0,
                                 block_write_ups.METRICS),
                bench_data.load(path("2x-h200.csv")),
                side_data.load_float_order(path("float-order-h200.csv")),
                side_data.load_trust(path("trust-h200.csv")), side_data.load_tuning(path("tuning-h200.csv")))


def rewrite(paths, data, check):
    """The exit status. All blocks are made before the first file is written."""
    texts = {path: read_text(path) for path in paths}
    made = {path: generate(path, text, data) for path, text in texts.items()}
    for path, (text, stale) in made.items():
        if stale and not check:
            write(path, text)
        for name in stale:
            print(f"{shown(path)}: block '{name}' " +
                  ("is stale: make table" if check else "rewritten"),
                  file=sys.stderr if check else sys.stdout)
    return 1 if check and any(stale for _, stale in made.values()) else 0


def write(path, text):
    """To another file first, so that there is never half of it."""
    new = f"{path}.{os.getpid()}.new"
    with open(new, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(new, path)


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
    except OSError as error:
        print(f"make table: cannot write {error.filename}: {error.strerror}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())

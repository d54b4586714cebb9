#!/usr/bin/env python3
"""Rewrites what README.md and NOTES.md say of the measured data, in blocks between two lines
`<!-- generated: NAME -->` and `<!-- /generated -->`: what `make table` does. With --check it writes
nothing, and exits 1 naming the blocks that are stale. Errors are one line, exit status 2."""

import argparse
import glob
import os
import re
import sys
import textwrap

import bench_data
from csv_input import BadData, read_text, shown

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = "plots/data/h200.csv"
FILES = ["README.md", "NOTES.md"]
OPENING = re.compile(r"<!-- generated: (.*?) -->")
CLOSING = "<!-- /generated -->"


# ---- the ladder ----

SMALL, LARGE = 2**24, 2**30
HEAD = """\
| step | idea | 2^24: ms | GB/s | 2^30: ms | GB/s | of peak | x step 00 | x CUB |
|---|---|---:|---:|---:|---:|---:|---:|---:|
"""


def ladder(bench):
    """The steps and their peers at two sizes, under a line that says what was measured on what."""
    meta = bench.meta
    about = (f"Measured by `make bench` on an {meta['gpu']} (CUDA {meta['cuda']}, driver "
             f"{meta['driver']}, {meta['date']}, commit {meta['commit']}): ints, blocks of 256, "
             f"cold cache, median of up to 100 runs; all sizes are in `{DATA}`. Peak is the memory's "
             f"theoretical {bench.peak:.0f} GB/s, `x CUB` is CUB's time over the step's.")
    return "\n".join(textwrap.wrap(about, 100)) + "\n\n" + HEAD + "".join(
        ladder_row(bench, key) for key in bench_data.ladder(bench, "int"))


def ladder_row(bench, key):
    small, large = (bench_data.run(bench, "int", key, n) for n in (SMALL, LARGE))
    source = source_of(key)
    name = f"{key} {bench.names[key]}" if key.isdecimal() else key
    over_first, over_cub = (bench_data.times_over(bench, "int", LARGE, key, base)
                            for base in ("00", "cub"))
    cells = [f"[{name}]({source})", idea(source), f"{small.ms:#.4g}", f"{small.gb_per_s:.0f}",
             f"{large.ms:#.4g}", f"{large.gb_per_s:.0f}", f"{large.share:.1f} %",
             f"{over_first:.0f}", f"{over_cub:.{2 if over_cub >= 0.01 else 4}f}"]
    return f"| {' | '.join(cells)} |\n"


def source_of(key):
    """The main.cu of a program, from the root."""
    folder = f"steps/{key}-*" if key.isdecimal() else f"detours/{key}"
    found = glob.glob(f"{folder}/main.cu", root_dir=ROOT)
    if len(found) != 1:
        raise BadData(os.path.join(ROOT, DATA), None,
                      f"has {key}, but there is no {folder}/main.cu")
    return found[0]


def idea(source):
    """What a program says of itself: the first sentence of its first comment, without the name."""
    path = os.path.join(ROOT, source)
    match = re.match(r"/\* [^:]*: (.*?)\.\s", read_text(path), re.S)
    if not match:
        raise BadData(path, 1, "does not begin with '/* NAME: what it does.'")
    return " ".join(match[1].replace("\n *", "").split())


# ---- blocks ----

BLOCKS = {"ladder": ladder}  # NAME -> function of the measured data, which returns markdown


def generate(path, text, bench):
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
            if name not in BLOCKS:
                raise BadData(path, number, f"no block is called '{name}'; there is "
                                            f"{', '.join(sorted(BLOCKS))}")
        elif closing:
            new = BLOCKS[name](bench)
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

def rewrite(paths, bench, check):
    """The exit status. All blocks are made before the first file is written."""
    texts = {path: read_text(path) for path in paths}
    made = {path: generate(path, text, bench) for path, text in texts.items()}
    for path, (text, stale) in made.items():
        for name in stale:
            print(f"{shown(path)}: block '{name}' " +
                  ("is stale: make table" if check else "rewritten"),
                  file=sys.stderr if check else sys.stdout)
        if stale and not check:
            write(path, text)
    return 1 if check and any(stale for _, stale in made.values()) else 0


def write(path, text):
    """To another file first, so that there is never half of it."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


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
        return rewrite(options.files, bench_data.load(options.data), options.check)
    except BadData as error:
        print(f"make table: {error}", file=sys.stderr)
    except OSError as error:
        print(f"make table: cannot write {error.filename}: {error.strerror}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())

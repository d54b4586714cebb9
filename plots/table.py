"""Rewrites what README.md, NOTES.md and the READMEs of bench, detours and simt show of the measured data
and of the code: blocks between two lines `<!-- generated: NAME -->` and `<!-- /generated -->`. It
is what `make table` does. Errors are one line, status 2."""

from plots.read import entry  # before all else

import collections
import os
import re
from itertools import groupby

from plots import tables_bench  # whose blocks stand in BLOCKS, too
from plots.tables import BLOCKS, block
from plots.read import bench_data, compare, counter_data, programs, side_data
from plots.read.files import ROOT, BadData, read_text, shown, write_text

FILES = ["README.md", "NOTES.md", "plots/measure/README.md", "detours/README.md", "simt/README.md",
         "simt/VERDICTS.md"]
BEGIN, END = "<!-- generated: ", "<!-- /generated -->\n"
BLOCK = re.compile(rf"^({BEGIN}([^\n]*) -->\n)(.*?)(^{END}|\Z)", re.MULTILINE | re.DOTALL)

# The sources of the blocks: field of Data -> (what reads it, its file). The bench's may be another.
SOURCES = {
    "bench": (bench_data.load, "plots/data/h200.csv"),
    "second": (bench_data.load, "plots/data/h100.csv"),
    "counters": (counter_data.load, "plots/data/counters.csv"),
    "multi_gpu": (side_data.load_multi_gpu, "plots/data/multi-gpu-h200.csv"),
    "stalls": (side_data.load_stalls, "plots/data/stalls-h200.csv"),
    "peers": (side_data.load_peers, "plots/data/peers-h200.csv"),
    "trust": (side_data.load_trust, "plots/data/trust-h200.csv"),
    "errors": (side_data.load_errors, "plots/data/float-order-h200.csv"),
    "ideas": (side_data.load_tuning, "plots/data/ideas-h200.csv"),
    "verdicts": (side_data.load_verdicts, "simt/verdicts_h200.csv"),
    "roots": (side_data.load_roots, "plots/data/roots.csv")}
DATA = SOURCES["bench"][1]
# old: what the block holds until now.
Data = collections.namedtuple("Data", [*SOURCES, "old"], defaults=[""])


# ---- blocks ----

@block
def kernel(data, step):
    """The kernel of a program, in full."""
    return fenced("cuda", [text for _, text in programs.get(step).kernels])


@block
def diff(data, before, step):
    """The lines of code that differ between two programs, and the lines next to them; where lines
    are left out stands the name of the function that goes on."""
    program, lines = programs.get(step), []
    new = program.header + program.code
    rows = compare.fold(compare.compare_programs(programs.get(before), program), context=1)
    for changed, group in groupby(rows, lambda row: row.changed):
        group = list(group)
        if changed is None:  # a fold
            lines.append(f"@@ {function_at(new, group[0].rows[-1].new.number)} @@")
            continue
        lines += [f"-{row.old.text}" for row in group if changed and row.old]
        lines += [f"{' +'[changed]}{row.new.text}".rstrip() for row in group if row.new]
    return fenced("diff", lines[:-1] if changed is None else lines)


def function_at(lines, place):
    """The name of the function that a line belongs to."""
    names = (re.match(r"[a-z_].*?(\w+)\(", line) for line in reversed(lines[:place + 1]))
    return next((name[1] for name in names if name), "before the kernel")


def fenced(language, lines):
    return "\n".join([f"```{language}", *lines, "```"]) + "\n"


def generate(path, text, data):
    """The text with every block made anew, and the names of those blocks that were stale."""
    stale = []

    def made(found):
        begin, name, old, end = found.groups()
        line = text.count("\n", 0, found.start()) + 1
        if BEGIN in old or not end:
            raise BadData(path, line, f"a block stands between two lines, {BEGIN}NAME --> and "
                                      f"{END.strip()}")
        kind, *keys = name.split()
        if kind not in BLOCKS:
            raise BadData(path, line, f"no block is called '{kind}'; there is {', '.join(BLOCKS)}")
        # of a bench without the files beside it: what was measured on that GPU with it
        lacks = kind == "by-hand" and not (data.bench.multiprocessors and data.bench.peak)
        new = old if lacks else BLOCKS[kind](data._replace(old=old), *keys)
        stale.extend([name] * (new != old))
        return begin + new + end
    return BLOCK.sub(made, text), stale


def load(bench=DATA):
    """All data, of which the file of the bench may be another than the committed one."""
    return Data(**{field: read(os.path.join(ROOT, bench if field == "bench" else path))
                   for field, (read, path) in SOURCES.items()})


def main(*files, data=DATA):
    """files: those to rewrite; data: a file of make bench. All blocks are made before the first
    file is written."""
    files, loaded = files or [os.path.join(ROOT, name) for name in FILES], load(data)
    made = {path: generate(path, read_text(path), loaded) for path in files}
    for path, (text, stale) in made.items():
        if stale:
            write_text(path, text)
        for name in stale:
            print(f"{shown(path)}: block '{name}' rewritten")
    if not any(stale for _, stale in made.values()):
        print("nothing to rewrite:", ", ".join(map(shown, files)), "show the data as they are")


if __name__ == "__main__":
    entry.run("make table", entry.typed(main))

"""Draws the pictures, as SVG, from what `make bench` and its kin measured and what the CPU
backend counted: what `make plots` and `make plot-02-03` do. Errors are one line, exit status 2."""

from plots.read import entry  # before all else

import os
import sys

from plots import picture_bench, picture_explain, picture_in_flight, picture_stalls, style
from plots.read import bench_data, counter_data, files, programs

# name -> function of bench, type, counters
PICTURES = {"speedup": picture_bench.speedup, "bandwidth": picture_bench.ladder,
            "share": picture_bench.share, "explain": picture_explain.explain,
            "detours": picture_bench.detours}
# of what make bench-stalls and make bench-in-flight left beside the bench's file, of ints
BESIDE = {"stalls": picture_stalls.stalls, "in-flight": picture_in_flight.in_flight}


def pictures(bench, type, counters):
    """{name: picture}. Without a peak there is neither a share of it nor Little's law."""
    drawn = {name: picture(bench, type, counters) for name, picture in PICTURES.items()
             if name != "share" or bench.peak}
    for name, picture in BESIDE.items():
        path = files.beside(bench.path, name)
        if type == "int" and os.path.exists(path) and (name != "in-flight" or bench.peak):
            drawn[name] = picture(bench, path)
    return drawn


def left_out(bench, counters):
    """A line for what is not in the pictures though the program is there."""
    if lacking := bench_data.lacking(bench):
        yield f"programs are left out, since {lacking}"
    if not bench.peak:
        yield "left out share, since the GPU did not tell the peak of its memory"
    if uncounted := [step for step in programs.steps() if step not in counters]:
        yield (f"left out of explain, since the counters lack {', '.join(uncounted)}: "
               + counter_data.MAKE)


def main(*pair, data, out, type="int", counters="plots/data/counters.csv"):
    """pair: main.cu of two programs, of which alone a picture is wanted; data: a file of make bench;
    out: a folder. All are drawn before the first file is written: a failure leaves nothing behind."""
    bench, told = bench_data.load(data), ()
    if pair:
        two = [programs.parsed(path).key for path in pair]
        drawn = {f"plot-{'-'.join(two)}": picture_bench.pair(bench, type, *two)}
    else:
        counted = counter_data.load(counters)
        drawn, told = pictures(bench, type, counted), left_out(bench, counted)
    for name, picture in drawn.items():
        print(files.shown(style.save(picture, out, name)))
    for line in told:
        print(f"make plots: {line}", file=sys.stderr)


if __name__ == "__main__":
    entry.run("make plots", entry.typed(main))

#!/usr/bin/env python3
"""Draws the pictures of the ladder, as SVG and PNG, from what `make bench` measured and what the
CPU backend counted. `draw.py --help` tells the options; errors are one line, exit status 2."""

import argparse
import os
import sys

import bench_data
import counter_data
import csv_input
import picture_bandwidth
import picture_explain
import picture_ladder
import style


def arguments():
    parser = argparse.ArgumentParser(
        description="Draws the pictures of the ladder as SVG and PNG.",
        epilog="With --pair only that picture is drawn.")
    parser.add_argument("--data", metavar="FILE", help="what make bench wrote (default: the one "
                        "CSV of plots/data that has a line '# gpu:')")
    parser.add_argument("--counters", metavar="FILE", help="the steps' --counters=csv under one "
                        "header (default: plots/data/counters.csv)",
                        default=os.path.join(bench_data.DATA, "counters.csv"))
    parser.add_argument("--out", metavar="DIR", default=os.path.join(bench_data.ROOT, "plots"),
                        help="where to put the pictures (default: plots)")
    parser.add_argument("--pair", nargs=2, metavar=("A", "B"),
                        help="two programs to compare: 02 03, or 07 cub")
    parser.add_argument("--type", choices=bench_data.TYPES,
                        help="which type's figures (default: int, if it was measured)")
    return parser.parse_args()


def pictures(bench, type, options):
    """(name, function that draws it): the five of the ladder, or the one pair."""
    if options.pair:
        old, new = options.pair
        return [(f"pair-{old}-{new}",
                 lambda: picture_bandwidth.pair(bench, type, old, new))]
    counters = counter_data.load(options.counters)
    return [("speedup", lambda: picture_ladder.speedup(bench, type)),
            ("bandwidth", lambda: picture_bandwidth.ladder(bench, type)),
            ("share", lambda: picture_ladder.share(bench, type)),
            ("explain", lambda: picture_explain.explain(bench, type, counters))]


def main():
    options = arguments()
    bench = bench_data.load(options.data or bench_data.default_path())
    type = options.type or bench_data.default_type(bench)
    bench_data.check_type(bench, type)
    for name, draw in pictures(bench, type, options):
        print(" ".join(os.path.relpath(path) for path in style.save(draw(), options.out, name)))
    return 0


if __name__ == "__main__":
    sys.exit(csv_input.run(main))

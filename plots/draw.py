#!/usr/bin/env python3
"""Draws the pictures, as SVG and PNG, from what `make bench` measured and what the CPU backend
counted: what `make plots` and `make plot-02-03` do. Errors are one line, exit status 2."""

import argparse
import os
import sys

from tutorial import bench_data
from tutorial import counter_data
from plots import picture_bandwidth
from plots import picture_detours
from plots import picture_explain
from plots import picture_ladder
from plots import style
from tutorial.csv_input import BadData, shown


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", metavar="FILE", required=True, help="what make bench wrote")
    parser.add_argument("--counters", metavar="FILE", default="plots/data/counters.csv",
                        help="what the CPU backend counted (default: %(default)s)")
    parser.add_argument("--type", default="int", help="which type's figures (default: int)")
    parser.add_argument("--target", metavar="NAME", default="plots", help="of make, for messages")
    parser.add_argument("--out", metavar="DIR", required=True, help="where to put the pictures")
    parser.add_argument("--pair", metavar="A-B", help="only this picture: two programs, as in "
                        "02-03 or 07-single-pass")
    return parser.parse_args(words)


def pictures(bench, type, counters):
    """{name: picture}"""
    return {"speedup": picture_ladder.speedup(bench, type),
            "bandwidth": picture_bandwidth.ladder(bench, type),
            "share": picture_ladder.share(bench, type),
            "explain": picture_explain.explain(bench, type, counters),
            "detours": picture_detours.detours(bench, type)}


def two_of(bench, type, pair):
    """The programs that 07-single-pass names: it is cut at the dash that leaves two of them."""
    known = bench_data.programs(bench, type)
    words = pair.split("-")
    cuts = [("-".join(words[:i]), "-".join(words[i:])) for i in range(1, len(words))]
    found = [cut for cut in cuts if cut[0] in known and cut[1] in known]
    if len(found) != 1:
        why = "could be " + ", or ".join(map(" and ".join, found)) if found else \
            f"names no two programs of type {type} in it; it has {', '.join(known)}"
        raise BadData(bench.path, None, f"plot-{pair} {why}")
    return found[0]


def draw(options):
    """All figures before the first file is written: a failure leaves nothing behind."""
    bench = bench_data.load(options.data)
    if options.pair:
        pair = two_of(bench, options.type, options.pair)
        drawn = {f"plot-{options.pair}": picture_bandwidth.pair(bench, options.type, *pair)}
    else:
        drawn = pictures(bench, options.type, counter_data.load(options.counters))
    for name, picture in drawn.items():
        print(*map(shown, style.save(picture, options.out, name)))


def main(words=None):
    options = arguments(words)
    try:
        draw(options)
    except BadData as error:
        return refused(options.target, error)
    except OSError as error:
        return refused(options.target, f"cannot write {error.filename}: {error.strerror}")
    return 0


def refused(target, why):
    print(f"make {target}: {why}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())

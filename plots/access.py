#!/usr/bin/env python3
"""Draws which thread touches which word in which round, from traces of the CPU backend (--trace
FILE, SIMT_TRACE=FILE): one SVG a trace. Errors are one line, exit status 2."""

from tutorial import entry  # before all else

import argparse
import os

from plots import picture_access
from tutorial import trace_data
from tutorial.files import ROOT, write_whole


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", metavar="TRACE", nargs="+")
    parser.add_argument("--out", metavar="DIR", default=os.path.join(ROOT, "plots"),
                        help="where to put access-NAME.svg, NAME being the folder of the program's "
                             "source (default: plots)")
    parser.add_argument("--launch", type=int, default=1, help="its number, from 1 (default: 1)")
    parser.add_argument("--block", type=int, default=0, help="its number, from 0 (default: 0)")
    return parser.parse_args()


def main():
    options = arguments()
    for path in options.traces:
        block = trace_data.load(path, options.launch, options.block)
        name, picture = picture_access.draw(block)
        target = os.path.join(options.out, f"access-{name}.svg")
        write_whole(target, picture)
        print(os.path.relpath(target))
    return 0


if __name__ == "__main__":
    entry.run("make access", main)

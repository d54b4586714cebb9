#!/usr/bin/env python3
"""Draws, from traces of the CPU backend, which thread touches which word in which round: one SVG a
trace. `access.py --help` tells the options; errors are one line, exit status 2."""

import argparse
import os
import re
import sys
import tempfile

from plots import access_text
from tutorial import csv_input
from plots import picture_access
from tutorial import trace_data


def arguments():
    parser = argparse.ArgumentParser(
        description="Draws which thread touches which word in which round, from traces of the CPU "
                    "backend (--trace FILE, SIMT_TRACE=FILE).")
    parser.add_argument("traces", metavar="TRACE", nargs="+")
    parser.add_argument("--out", metavar="DIR", default=os.path.join(access_text.ROOT, "plots"),
                        help="where to put access-NAME.svg, NAME being the folder of the program's "
                             "source (default: plots)")
    parser.add_argument("--launch", metavar="L", type=int, default=1,
                        help="which launch, from 1 (default: 1)")
    parser.add_argument("--block", metavar="B", type=int, default=0,
                        help="which block, from 0 (default: 0)")
    return parser.parse_args()


def name_of(block):
    """Of the folder of the source file, such as 02-strided-index, or of the file main.cu is not."""
    path = next(iter(block.warps.values()))[0].file
    stem = os.path.splitext(os.path.basename(path))[0]
    folder = os.path.basename(os.path.dirname(path))
    return re.sub(r"[^\w.-]", "-", folder if stem == "main" and folder else stem)


def write_file(path, text):
    """As a whole: what was there stays until all of it is written."""
    folder = os.path.dirname(path) or "."
    temporary = None
    try:
        os.makedirs(folder, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            os.unlink(temporary)
        raise csv_input.BadData(path, None, f"cannot be written: {error.strerror}") from None


def main():
    options = arguments()
    try:
        for path in options.traces:
            block = trace_data.load(path, options.launch, options.block)
            name = name_of(block)
            target = os.path.join(options.out, f"access-{name}.svg")
            write_file(target, picture_access.draw(block, name))
            print(os.path.relpath(target))
    except csv_input.BadData as error:
        print(f"make access: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Programs with other constants, built and timed. A variant is PROGRAM/nothing, the program as it is, or
PROGRAM/ELEMS=4, or PROGRAM/ELEMS=4+LOADS=2."""

import os
import re
import shutil
import subprocess
import sys

from bench import machine
from tutorial import programs
from tutorial.files import ROOT

COLUMNS = "name,changed,n,median_ms,min_ms,max_ms"
BUILT_OF = "make", "common", "simt", "steps", "detours"


def fail(text):
    print(f"variants: {text}", file=sys.stderr)
    raise SystemExit(1)


def change(source, program, constant):
    """Where the program's source defines it, as a macro or as an enum."""
    name, value = constant.split("=")
    with open(source) as file:
        text, count = re.subn(rf"^((?:#define|enum \{{) {name}(?: =)? +)\S+", rf"\g<1>{value}",
                              file.read(), flags=re.MULTILINE)
    if count == 0:
        fail(f"{program} has no constant {name}")
    with open(source, "w") as file:
        file.write(text)


class Variants:
    """All of them, each in a copy of the project below folder; make: a command with its variables.
    BLOCK is make's to change, other constants stand in the source."""

    def __init__(self, folder, make, variants):
        self.folder, builds = folder, []
        shutil.rmtree(folder, ignore_errors=True)
        for variant in variants:
            program, changed = variant.split("/")
            copy, block = os.path.dirname(self.path(variant)), []
            for room in BUILT_OF:
                shutil.copytree(os.path.join(ROOT, room), os.path.join(copy, room))
            shutil.copy(os.path.join(ROOT, "Makefile"), copy)
            source = os.path.join(copy, programs.get(program.removeprefix("step")).path)
            for constant in changed.split("+") if changed != "nothing" else ():
                if constant.startswith("BLOCK="):
                    block.append(constant)
                else:
                    change(source, program, constant)
            builds.append(subprocess.Popen([*make, "-C", copy, *block, program]))
        if any([build.wait() for build in builds]):
            fail("a build failed")

    def path(self, variant):
        return os.path.join(self.folder, variant.replace("/", "-"), variant.split("/")[0])

    def rows(self, sizes, variants):
        """Of all at one of the sizes, then at the next."""
        for n in sizes:
            print(f"variants: n = {n}", file=sys.stderr)
            for variant in variants:
                row = machine.row_of(self.path(variant), "-n", n)
                yield ",".join([variant.replace("/", ","), row["n"], row["median_ms"],
                                row["min_ms"], row["max_ms"]])

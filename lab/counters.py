"""make counters: what one reduction costs on the CPU backend, all launches of a program together: the
steps side by side, as many as 80 columns take, and below them the detours, a line each; where
STEPS chose them, all side by side. python -m lab.counters FILE, of what was counted."""

from tutorial import entry  # before all else

import os

from tutorial import counter_data
from tutorial.csv_input import read_table
from tutorial.figures import count

FIGURES = counter_data.FIGURES | {
    "sectors": counter_data.total("sectors", "global load"),
    "at __syncwarp": counter_data.FIGURES["warps at __syncwarp"],
    "atomics": counter_data.total("requests", "global atomic")}
BESIDE = ["launches", "global load requests", "  sectors", "  sectors/request", "shared requests",
          "  wavefronts", "  bank conflicts", "  lanes/request", "warps at __syncthreads",
          "  at __syncwarp", "shuffles by warps", "branch efficiency, %"]
BELOW = {"laun- ches": "launches", "global loads": "global load requests",
         "sect./ load": "sectors/request", "atomic reqs": "atomics", "shared wavefr": "wavefronts",
         "bank confl.": "bank conflicts", "barr. warps": "warps at __syncthreads",
         "shuf- fles": "shuffles by warps"}  # heads of two lines


def cell(x):
    return "-" if x is None else count(x)


def line(head, cells, width=6):
    return f"{head:23}" + "".join(f" {cell:>{width}}" for cell in cells)


def tables(found, beside, below):
    """found: {program: {what: figure}}; beside, below: the programs' names. A list of lines each."""
    width = max([6, *map(len, beside)])
    most = 57 // (width + 1)  # what is left of 80
    for some in (beside[i:i + most] for i in range(0, len(beside), most)):
        yield [line("step", some, width)] + [
            line(what, (cell(found[name][what.strip()]) for name in some), width)
            for what in BESIDE]
    if below:
        yield [line(head, (what.split()[i] for what in BELOW))
               for i, head in enumerate(("", "detour"))] + [
            line(name, (cell(found[name][what]) for what in BELOW.values())) for name in below]


def main(path):
    counted = counter_data.by_program(read_table(path, counter_data.COLUMNS), None)
    found = {name: counter_data.figures(counts, FIGURES) for name, counts in counted.items()}
    is_beside = {name: name.isdecimal() or bool(os.environ.get("STEPS")) for name in found}
    print("\n\n".join("\n".join(table) for table in tables(found, *(
        [name for name in found if is_beside[name] == beside] for beside in (True, False)))))
    return 0


if __name__ == "__main__":
    entry.run("make counters", entry.typed(main))

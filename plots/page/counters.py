"""make counters: what one reduction costs on the CPU backend, all launches of a program together: the
steps side by side, as many as 80 columns take, and below them the detours, a line each; where
STEPS chose them, all side by side. python -m plots.page.counters FILE, of what was counted."""

from plots.read import entry  # before all else

import os

from plots.read import counter_data
from plots.read.csv_input import read_table
from plots.read.figures import NONE, count

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


def line(head, cells, width=6):
    return f"{head:23}" + "".join(f" {cell:>{width}}" for cell in cells)


def main(path):
    counted = counter_data.by_program(read_table(path, counter_data.COLUMNS), None)
    found = {name: {what: count(figure(counts)) for what, figure in FIGURES.items()}
             for name, counts in counted.items()}
    beside = [name for name in found if name.isdecimal() or os.environ.get("STEPS")]
    width = max([6, *map(len, beside)])
    most = 57 // (width + 1)  # what is left of 80
    tables = []
    for some in (beside[i:i + most] for i in range(0, len(beside), most)):
        tables.append([line("step", some, width), *(
            line(what, (found[name][what.strip()] for name in some), width) for what in BESIDE)])
    if below := [name for name in found if name not in beside]:
        tables.append([*(line(head, heads) for head, heads in zip(
            ("", "detour"), zip(*map(str.split, BELOW)))), *(
                line(name, (found[name][what] for what in BELOW.values())) for name in below)])
    print("\n\n".join(map("\n".join, tables)).replace(NONE, "-"))  # where a terminal knows no –


if __name__ == "__main__":
    entry.run("make counters", entry.typed(main))

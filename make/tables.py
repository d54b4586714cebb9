"""Tables of what programs of the lab print, one after the other:

    python -m make.tables run PROGRAM …                    a reduction of each
    python -m make.tables times PROGRAM …                  microseconds at some numbers of elements
    python -m make.tables counters [--beside] PROGRAM …    what a reduction costs (CPU backend)
    python -m make.tables count OUT.csv PROGRAM …          the same in one CSV, for plots/data

Each ends at the first program that fails, with its status and its message."""

from tutorial import entry  # before all else

import os
import sys

from bench import machine
from tutorial import counter_data
from tutorial.counter_data import FIGURES, total
from tutorial.csv_input import read_table
from tutorial.files import write_text


def asked(target, ask, program, *arguments):
    """What it prints, or its row."""
    try:
        return ask(program, *arguments)
    except SystemExit:
        machine.say(target, f"{os.path.basename(program)} failed")
        raise


# ---- reductions ----

def run(programs):
    first = None
    for program in programs:
        row = asked("run", machine.row_of, program)
        name, result = f"{row['step']:4} {row['name']:21} {row['block']:>5}", f"{row['result']:>11}"
        on_gpu = row["backend"] == "cuda"
        if program == programs[0]:
            print(f"{row['device']}, n = {row['n']} {row['type']}, {row['cache']} cache\n"
                  "step name                  block        ms    GB/s  % peak x step 00         sum"
                  if on_gpu else f"CPU backend, n = {row['n']} {row['type']}; a CPU's time says "
                  "nothing about a GPU's\nstep name                  block         sum")
        if on_gpu:
            ms, peak = float(row["median_ms"]), row["pct_of_peak"]
            first = first or ms
            print(f"{name} {ms:9.4f} {float(row['gb_per_s']):7.1f} "
                  f"{f'{float(peak):.1f}' if peak else '-':>7} {first / ms:9.1f} {result}")
        else:
            print(f"{name} {result}  verified")
        sys.stdout.flush()


POWERS = 16, 20, 24, 28


def times(programs):
    """As the harness measures them (common/timing.h)."""
    print("microseconds at n =" + "".join(f"{f'2^{power}':>10}" for power in POWERS))
    for program in programs:
        line = f"  {os.path.basename(program).replace('handin', 'yours'):17}"
        for power in POWERS:
            try:
                row = machine.row_of(program, "-n", f"2^{power}")
            except SystemExit:
                print(f"{line}   fails at n = 2^{power}", flush=True)
                raise
            line += f"{1000 * float(row['median_ms']):10.2f}"
        print(line, flush=True)


# ---- counters: all launches of a program together ----

ROWS = {"launches": FIGURES["launches"], "global load requests": FIGURES["global load requests"],
        "  sectors": total("sectors", "global load"), "  sectors/request": FIGURES["sectors/request"],
        "shared requests": FIGURES["shared requests"], "  wavefronts": FIGURES["wavefronts"],
        "  bank conflicts": FIGURES["bank conflicts"], "  lanes/request": FIGURES["lanes/request"],
        "warps at __syncthreads": FIGURES["warps at __syncthreads"],
        "  at __syncwarp": FIGURES["warps at __syncwarp"],
        "shuffles by warps": FIGURES["shuffles by warps"],
        "branch efficiency, %": FIGURES["branch efficiency, %"]}
# of a detour, whose columns have names of two lines
COLUMNS = {"laun- ches": "launches", "global loads": "global load requests",
           "sect./ load": "  sectors/request", "atomic reqs": total("requests", "global atomic"),
           "shared wavefr": "  wavefronts", "bank confl.": "  bank conflicts",
           "barr. warps": "warps at __syncthreads", "shuf- fles": "shuffles by warps"}
COUNTED = {column: counter_data.COLUMNS[column] for column in (
    "launch", "space", "op", "requests", "lanes", "sectors", "wavefronts", "bank_conflicts")}


def counts_of(program):
    if sys.stderr.isatty():  # a line that does not stay
        print(f"{os.path.basename(program)} …".ljust(60), end="\r", file=sys.stderr, flush=True)
    text = asked("counters", machine.printed, program, "--counters=csv")
    rows = read_table(program, COUNTED, text)
    return counter_data.Counts(None, max((row["launch"] for row in rows), default=0), rows)


def cell(figure):
    if figure is None:
        return "-"
    if isinstance(figure, float):
        return f"{figure:.1f}"
    return f"{figure / 1e6:.{2 if figure < 1e7 else 1}f}M" if figure >= 1e6 else str(figure)


def counters(words):
    """The steps side by side, as many as 80 columns take, and below them the detours, a line each;
    with --beside all programs stand side by side."""
    beside = words[0] == "--beside"
    counts = {os.path.basename(program): counts_of(program) for program in words[beside:]}
    if sys.stderr.isatty():
        print(" " * 60, end="\r", file=sys.stderr)
    columns = [(name.removeprefix("step"), of) for name, of in counts.items()
               if beside or name.startswith("step")]
    width = max([6, *(len(name) for name, _ in columns)] if beside else [6])
    most = 57 // (width + 1)  # what is left of 80
    parts = []
    for group in (columns[i:i + most] for i in range(0, len(columns), most)):
        lines = [("step", [name for name, _ in group])]
        lines += [(label, [cell(figure(of)) for _, of in group]) for label, figure in ROWS.items()]
        parts.append([f"{label:23}" + "".join(f" {text:>{width}}" for text in texts)
                      for label, texts in lines])
    others = [(name, of) for name, of in counts.items() if name not in dict(columns)
              and not name.startswith("step")]
    if others and not beside:
        figures = [ROWS.get(figure, figure) for figure in COLUMNS.values()]
        lines = [("", [title.split()[0] for title in COLUMNS]),
                 ("detour", [title.split()[1] for title in COLUMNS])]
        lines += [(name, [cell(figure(of)) for figure in figures]) for name, of in others]
        parts.append([f"{name:23}" + "".join(f" {text:>6}" for text in texts)
                      for name, texts in lines])
    print("\n\n".join("\n".join(part) for part in parts))


def count(words):
    """Of 2^20 ints, its columns those of --counters=csv (programs built with TYPE=int BLOCK=256)."""
    out, *programs = words
    lines = [f"# n: {2**20}", "# type: int", "# block: 256"]
    for program in programs:
        header, *rows = asked(out, machine.printed, program, "-n", "2^20",
                              "--counters=csv").splitlines()
        lines += rows if program != programs[0] else [header, *rows]
    write_text(out, "\n".join(lines) + "\n")
    print(f"{out}: {len(programs)} programs, {len(lines) - 3} lines")


if __name__ == "__main__":
    entry.run(f"make {sys.argv[1]}",
              lambda: {"run": run, "times": times, "counters": counters, "count": count}[
                  sys.argv[1]](sys.argv[2:]))

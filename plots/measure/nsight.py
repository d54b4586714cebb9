"""Nsight Compute's counters of the reductions of programs. Without ncu, a GPU or the permission to read
counters it says what to ask for; exit status 3.

    python -m plots.measure.nsight N PROGRAM MAKE …

builds a program by MAKE and prints the counters of a reduction of N elements, launch by launch, by our
names for them (nsight-metrics): those that the CPU backend has, too, and write-up 0's."""

from plots.read import entry  # before all else

import csv
import os
import re
import shutil
import subprocess
import sys

from plots.measure import machine
from plots.read.files import ROOT

WITHOUT = "make counters has the same without it (a step: --counters, --annotate)"
NO_PERMISSION = """\
Nsight Compute may not read this GPU's counters (ERR_NVGPUCTRPERM).
Ask the administrator to load NVIDIA's kernel module with the option
NVreg_RestrictProfilingToAdminUsers=0, to let you run it with sudo or, in a
container, to give that CAP_SYS_ADMIN. The CPU backend needs none of this and
counts the same: make counters, or a step's --counters and --annotate."""
KERNELS = "regex:[Rr]educe|^add_"

METRICS = {}  # {our name: Nsight Compute's METRIC or METRIC:OPCODE, of which it is the sum}
with open(os.path.join(ROOT, "plots/measure/nsight-metrics")) as lines:
    for name, metric, *opcodes in (line.split() for line in lines if line[0] != "#"):
        METRICS.setdefault(name, []).extend(
            [f"{metric}:{opcode}" for opcode in opcodes] or [metric])
ASKED = list(dict.fromkeys(each.partition(":")[0] for sum_of in METRICS.values() for each in sum_of))

RARE = re.compile(".*atomic|votes|reductions|generic")  # a line only where there are some
RATES = {"branch_efficiency_pct": ("branch efficiency, %", 1), "global_load_throughput":
         ("global load GB/s", 1e9), "instructions_per_warp": ("instructions per warp", 1)}


def read(output):
    """Of what ncu prints, with what the program prints in between: [{metric: text}], a launch each.
    A metric that counts instructions by their opcode, "15 (LDG: 8; STS: 7)", has also values as
    METRIC:LDG."""
    launches = {}
    for field in csv.DictReader(re.findall(r'(?m)^"(?:ID|\d+)",.*', output)):
        values = launches.setdefault(field["ID"], {})
        text, metric = field["Metric Value"].replace(",", ""), field["Metric Name"]
        values[metric] = text.partition(" ")[0]
        for opcode, count in re.findall(r"([^ (;]+): (\d+)", text):
            values[f"{metric}:{opcode}"] = count
    return [*launches.values()]


def figures(values):
    """{our name: sum of what it stands for}"""
    return {ours: sum(float(values.get(each, 0)) for each in sum_of)
            for ours, sum_of in METRICS.items()}


def profile(program, n, *options):
    """Two reductions, untimed and timed: the row that the program prints, and what ncu says of each
    launch, by our names. A program that fails does so before ncu runs it."""
    command = program, "-n", n, "-r", "1"
    row = machine.row_of(*command)
    done = subprocess.run(
        ["ncu", "--csv", "--print-units", "base", "--print-metric-instances", "details",
         "--clock-control", "none", "--kernel-name", KERNELS, *options, "--metrics",
         ",".join(ASKED), *command],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "ERR_NVGPUCTRPERM" in done.stdout:
        print(NO_PERMISSION, file=sys.stderr)
        raise SystemExit(3)
    launches = read(done.stdout)
    why = [*re.findall("(?m)^==ERROR==.*", done.stdout),
           *(f"no value of {metric}" for values in launches for metric in ASKED
             if not re.fullmatch(r"[\d.]+", values.get(metric, "")))]
    if not launches:
        why += [done.stdout.partition("\n")[0] or f"ncu ended with status {done.returncode}"]
    if why:
        machine.end("profile", 1, f"Nsight Compute on {os.path.basename(program)} failed: {why[0]}")
    return row, [*map(figures, launches)]


HEADER = "step,name,type,block,n,metric,value"


def rows(program, n):
    """Lines of its first launch."""
    row, (first, *_) = profile(program, n, "--launch-count", "1")
    head = ",".join(row[column] for column in ("step", "name", "type", "block", "n"))
    for name, value in first.items():
        yield f"{head},{name},{value:.15g}"


def table(row, launches):
    """A line for each figure, a column for each of the first launches and, of what can be added up,
    for all of them together."""
    launches = launches[:(len(launches) + 1) // 2]  # one of two reductions
    shown, total = launches[:3], {name: sum(of[name] for of in launches) for name in METRICS}
    title = f"step {row['step']}  " * bool(row["step"]) + row["name"].replace("-", " ")
    yield f"{title}, n = {row['n']} {row['type']}: Nsight Compute"
    yield line("launch", *range(1, len(shown) + 1), f"all {len(launches)}")
    yield line("blocks", *(f"{of['launch_blocks']:.0f}" for of in shown))
    yield line("threads per block", *(f"{of['launch_threads']:.0f}" for of in shown))
    for name in total:
        if name.startswith("launch_") or RARE.match(name) and not total[name]:
            continue
        if name in RATES:
            yield line(RATES[name][0], *(f"{of[name] / RATES[name][1]:.2f}" for of in shown))
            continue
        yield line(name.replace("_", " "), *(f"{of[name]:.0f}" for of in (*shown, total)))
        if name == "global_load_sectors":
            yield line("  per request", *(f"{of[name] / (of['global_load_requests'] or 1):.2f}"
                                          for of in (*shown, total)))
    if total["shared_load_bank_conflicts"] + total["shared_store_bank_conflicts"]:
        yield "(about 2 % of shared wavefronts are warps that delay each other, no conflicts)"


def line(label, *cells):
    return f"{label:27}" + "".join(f" {cell:>12}" for cell in cells)


def need_ncu():
    machine.need_gpu("profile", WITHOUT)
    if not shutil.which("ncu"):
        machine.end("profile", 3, "no Nsight Compute (ncu) in PATH, which comes with the CUDA "
                                  f"toolkit; {WITHOUT}")


def main(n, program, *make):
    need_ncu()
    (path,) = machine.Target("profile", make).build(program)
    print("\n".join(table(*profile(path, n))))
    return 0


if __name__ == "__main__":
    entry.run("make profile", entry.typed(main))

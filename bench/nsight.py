"""Nsight Compute's counters of the reductions of programs. Without ncu, a GPU or the permission to read
counters it says what to ask for; exit status 3.

    python -m bench.nsight N PROGRAM MAKE …

builds a program by MAKE and prints the counters of a reduction of N elements, launch by launch, by our
names for them (nsight-metrics): those that the CPU backend has, too, and write-up 0's."""

from tutorial import entry  # before all else

import os
import re
import shutil
import subprocess
import sys

from bench import machine
from tutorial.files import ROOT

WITHOUT = "make counters has the same without it (a step: --counters, --annotate)"
NO_PERMISSION = """\
Nsight Compute may not read this GPU's counters (ERR_NVGPUCTRPERM).
Ask the administrator to load NVIDIA's kernel module with the option
NVreg_RestrictProfilingToAdminUsers=0, to let you run it with sudo or, in a
container, to give that CAP_SYS_ADMIN. The CPU backend needs none of this and
counts the same: make counters, or a step's --counters and --annotate."""
KERNELS = "regex:[Rr]educe|^add_"

with open(os.path.join(ROOT, "bench/nsight-metrics")) as lines:
    METRICS = [line.split() for line in lines if line[0] != "#"]  # [our name, Nsight Compute's]
ASKED = list(dict.fromkeys(theirs.partition(":")[0] for _, theirs in METRICS))

RARE = re.compile(".*atomic|votes|reductions|generic")  # a line only where there are some
RATES = {"branch_efficiency_pct": ("branch efficiency, %", 1), "global_load_throughput":
         ("global load GB/s", 1e9), "instructions_per_warp": ("instructions per warp", 1)}


def size(text):
    """(4096, 1, 1)"""
    x, y, z = re.findall(r"\d+", text)
    return "x".join([x, y, z] if z != "1" else [x, y] if y != "1" else [x])


def read(output):
    """Of what ncu prints, with what the program prints in between: [(grid, threads, {metric: text})],
    a launch each, and the program's row, {column: text}. A metric that counts instructions by their
    opcode, "15 (LDG: 8; STS: 7)", has also values as METRIC:LDG."""
    launches, header, row = {}, [], {}
    for line in output.splitlines():
        fields = line.strip('"').split('","')
        if line.startswith('"ID",'):
            columns = fields
        elif re.match(r'"\d+",', line):
            field = dict(zip(columns, fields))
            *_, values = launches.setdefault(field["ID"], (
                size(field["Grid Size"]), size(field["Block Size"]), {}))
            text, metric = field["Metric Value"].replace(",", ""), field["Metric Name"]
            values[metric] = text.partition(" ")[0]
            for opcode, count in re.findall(r"([^ (;]+): (\d+)", text):
                values[f"{metric}:{opcode}"] = count
        elif re.fullmatch(r"[a-z_]+(,[a-z_]+)+", line):
            header = line.split(",")
        elif header and line.count(",") == len(header) - 1:
            row = dict(zip(header, line.split(",")))
    return [*launches.values()], row


def figures(values):
    """{our name: sum of what it stands for}"""
    found = {}
    for ours, theirs in METRICS:
        found[ours] = found.get(ours, 0) + float(values.get(theirs, 0))
    return found


def profile(program, n, *options):
    """What ncu says of two reductions, untimed and timed; as read()."""
    done = subprocess.run(
        ["ncu", "--csv", "--print-units", "base", "--print-metric-instances", "details",
         "--clock-control", "none", "--kernel-name", KERNELS, *options, "--metrics",
         ",".join(ASKED), program, "-n", n, "-w", "1", "-r", "1", "--csv"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "ERR_NVGPUCTRPERM" in done.stdout:
        print(NO_PERMISSION, file=sys.stderr)
        raise SystemExit(3)
    lines, name = done.stdout.splitlines(), os.path.basename(program)
    launches, row = read(done.stdout)
    lacking = [metric for *_, values in launches for metric in ASKED
               if not re.fullmatch(r"[\d.]+", values.get(metric, ""))]
    errors = [line for line in lines if line.startswith("==ERROR==")]
    if launches and row and not lacking and not errors:
        return launches, row
    # the program's own word, if it had one, says more than Nsight's of how it ended
    told = [line for line in lines if re.match(rf"{re.escape(name)}: |[^ ]+\.cu:\d+: ", line)]
    why = [*told, *errors, *(f"no value of {metric}" for metric in lacking),
           "it printed no row" if launches else (lines or [""])[-1],
           f"ncu ended with status {done.returncode}"]
    machine.end("profile", 1, f"Nsight Compute on {name} failed: {next(filter(None, why))}")


def rows(program, n):
    """Lines step,name,type,block,n,metric,value of its first launch."""
    launches, row = profile(program, n, "--launch-count", "1")
    head = ",".join(row[column] for column in ("step", "name", "type", "block", "n"))
    for name, value in figures(launches[0][-1]).items():
        yield f"{head},{name},{value:.15g}"


def table(launches, row):
    """A line for each figure, a column for each of the first launches and, of what can be added up,
    for all of them together."""
    launches = launches[:(len(launches) + 1) // 2]  # one of two reductions
    grids, threads, values = zip(*launches)
    every = [*map(figures, values)]
    shown, total = every[:3], {name: sum(of[name] for of in every) for name, _ in METRICS}
    title = f"step {row['step']}  " * bool(row["step"]) + row["name"].replace("-", " ")
    yield f"{title}, n = {row['n']} {row['type']}: Nsight Compute"
    yield line("launch", *range(1, len(shown) + 1), f"all {len(launches)}")
    yield line("blocks", *grids[:3])
    yield line("threads per block", *threads[:3])
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

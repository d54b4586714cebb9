"""Nsight Compute's counters of the reductions of programs.

    python -m bench.nsight [--table] N PROGRAM …
    python -m bench.nsight --able

Prints rows step,name,type,block,n,metric,value of the first launch of each program's reduction of N
elements, the metrics by our names for them (nsight-metrics). With --table, of all its launches, the
table that --counters prints on the CPU backend, with write-up 0's further figures at its end (make
build/simt/nsight-table builds what lays it out). Without ncu, a GPU or the permission to read counters
it says what to ask for; exit status 3."""

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
Ask the administrator to open the GPU's performance counters to all users:
NVIDIA's kernel module needs the option NVreg_RestrictProfilingToAdminUsers=0
(a line in /etc/modprobe.d: 'options nvidia
NVreg_RestrictProfilingToAdminUsers=0', then a reboot); or to let you run it
with sudo; or, in a container, to give that CAP_SYS_ADMIN.
The CPU backend needs none of this and counts the same: make counters, or a
step's --counters and --annotate after make BACKEND=cpu."""
KERNELS = "regex:[Rr]educe|^add_"

with open(os.path.join(ROOT, "bench/nsight-metrics")) as lines:
    METRICS = [line.split() for line in lines if line[0] != "#"]  # [our name, Nsight Compute's]
ASKED = list(dict.fromkeys(theirs.partition(":")[0] for _, theirs in METRICS))


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
    wrong = [line for line in lines if line.startswith("==ERROR==")]
    wrong += ["==ERROR== no row of the program's"] if launches and not row else []
    wrong += [f"==ERROR== no value of {metric}" for *_, values in launches for metric in ASKED
              if not re.fullmatch(r"[\d.]+", values.get(metric, ""))]
    if launches and not wrong:
        return launches, row
    # the program's own word, if it had one, says more than Nsight's of how it ended
    told = [line for line in lines if re.match(rf"{re.escape(name)}: |[^ ]+\.cu:\d+: ", line)]
    why = next(filter(None, told + wrong + lines[-1:]), f"ncu ended with status {done.returncode}")
    print(f"Nsight Compute on {name} failed: {why}", file=sys.stderr)
    raise SystemExit(1)


def print_rows(launches, row):
    head = ",".join(row[column] for column in ("step", "name", "type", "block", "n"))
    for name, value in figures(launches[0][-1]).items():
        print(f"{head},{name},{value:.15g}")


def print_table(launches, row):
    """nsight-table reads the number of launches and a title, and rows launch, grid, threads, metric,
    value, launch 0 being all of them together."""
    launches = [(grid, threads, figures(values))  # the first half is one reduction
                for grid, threads, values in launches[:(len(launches) + 1) // 2]]
    total = {name: sum(of[name] for *_, of in launches) for name, _ in METRICS}
    title = f"step {row['step']}  " * bool(row["step"]) + row["name"].replace("-", " ")
    lines = [f"{len(launches)} {title}, n = {row['n']} {row['type']}: Nsight Compute"]
    for number, (grid, threads, of) in enumerate([("-", "-", total), *launches]):
        # Where some accesses go to who knows what, so do their lanes; and of branches only each
        # launch's percentage is known, none of all of them together.
        hidden = "generic_requests|launch_.*" + "|.*_pct" * (number == 0) + (
            "|.*_lanes" * (of["generic_requests"] > 0))
        lines += [f"{number} {grid} {threads} {name} {value:.15g}" for name, value in of.items()
                  if not re.fullmatch(hidden, name)]
    subprocess.run([os.path.join(ROOT, "build/simt/nsight-table")], input="\n".join(lines) + "\n",
                   text=True, check=True)


def main():
    table = sys.argv[1:2] == ["--table"]
    n, *programs = sys.argv[1 + table:] or [""]
    if not programs and n != "--able":
        print("usage: python -m bench.nsight [--table] N PROGRAM …, or --able", file=sys.stderr)
        return 2
    if not machine.driver_version():
        machine.end("profile", 3, f"no GPU here; {WITHOUT}")
    if not shutil.which("ncu"):
        machine.end("profile", 3, "no Nsight Compute (ncu) in PATH, which comes with the CUDA "
                                  f"toolkit; {WITHOUT}")
    for program in programs:
        if table:
            print_table(*profile(program, n))
        else:
            print_rows(*profile(program, n, "--launch-count", "1"))
    return 0


if __name__ == "__main__":
    entry.run("make profile", main)

"""make profile-NN's scripts, on an ncu that prints what Nsight Compute 2025.3 does."""

import os
import re
import shutil

import pytest

from harness import CSV_HEADER, ROOT, assert_refused, build, golden, locked, make, run

METRICS = [line.split() for line in (ROOT / "bench/nsight-metrics").open()
           if not line.startswith("#")]
THEIRS = list(dict.fromkeys(metric.partition(":")[0] for _, metric in METRICS))
NAMES = list(dict.fromkeys(name for name, _ in METRICS))

# What is no counter, the same in both launches: the table does not show it.
LAUNCH = {name: ["8"] for name in NAMES if name.startswith("launch_")}

# Launches of one reduction: grid, block, and the metrics by our names for them. The first is like
# step 03's at n = 2^20, the others are made up. Of a sum of metrics the parts are given.
LAUNCHES = [
    ("(4096, 1, 1)", "(256, 1, 1)", {
        "global_load_requests": ["32,768"], "global_load_sectors": ["131,072"],
        "global_store_requests": ["4,096"], "global_store_sectors": ["4,096"],
        "global_atomic_requests": ["0", "0"], "global_lanes": {"LDG": "1,048,576", "STG": "4,096"},
        "shared_load_requests": ["102,400"], "shared_load_wavefronts": ["103,729"],
        "shared_load_bank_conflicts": ["1,329"], "shared_store_requests": ["81,920"],
        "shared_store_wavefronts": ["81,920"], "shared_store_bank_conflicts": ["0"],
        "shared_atomic_requests": ["0"], "shared_lanes": {"LDS": "2,093,056", "STS": "2,093,056"},
        "generic_requests": {}, "syncthreads": {"BAR": "294,912"}, "syncwarps": {},
        "shuffles": {}, "votes": {}, "reductions": {},
        "branch_efficiency_pct": ["81.46"], "instructions_per_warp": ["118.50"],
        "global_load_throughput": ["439,838,926,174.50"], **LAUNCH}),
    ("(1, 1, 1)", "(256, 1, 1)", {
        "global_load_requests": ["100"], "global_load_sectors": ["250"],
        "global_store_requests": ["1"], "global_store_sectors": ["1"],
        "global_atomic_requests": ["3", "1"],
        "global_lanes": {"LDG": "3,100", "STG": "1", "ATOMG": "33", "REDG": "16"},
        "shared_load_requests": ["0"], "shared_load_wavefronts": ["0"],
        "shared_load_bank_conflicts": ["0"], "shared_store_requests": ["25"],
        "shared_store_wavefronts": ["30"], "shared_store_bank_conflicts": ["5"],
        "shared_atomic_requests": ["5"], "shared_lanes": {"STS": "250", "ATOMS": "5"},
        "generic_requests": {}, "syncthreads": {"BAR": "8"}, "syncwarps": {"NOP": "48"},
        "shuffles": {"SHFL": "45"}, "votes": {"VOTE": "8", "MATCH": "1"},
        "reductions": {"REDUX": "2"},
        "branch_efficiency_pct": ["100"], "instructions_per_warp": ["97.25"],
        "global_load_throughput": ["1,500,000,000"], **LAUNCH}),
]
COLUMNS = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream",
           "Block Size", "Grid Size", "Device", "CC", "Section Name", "Metric Name", "Metric Unit",
           "Metric Value"]
KERNEL = "reduce_block(const int *, int *, unsigned long)"
ROW = "03,sequential-addressing,,cuda,NVIDIA H200,int,256,1048576,1,cold,1,1,1,1,1,7,7,yes"


def quoted(words):
    return ",".join(f'"{word}"' for word in words)


def number(text):
    return float(text.replace(",", ""))


def value_of(metric, metrics):
    """Of one of Nsight Compute's metrics, as it prints it with --print-metric-instances details."""
    ours = [name for name, theirs in METRICS if theirs == metric]
    if ours:
        parts = [theirs for name, theirs in METRICS if name == ours[0]]
        return metrics[ours[0]][parts.index(metric)]
    opcodes = {}
    for name, theirs in METRICS:
        opcodes |= metrics[name] if theirs.startswith(metric + ":") else {}
    opcodes["IMAD"] = "1,234"
    total = f"{sum(map(number, opcodes.values())):,.0f}"
    return f"{total} ({'; '.join(f'{opcode}: {count}' for opcode, count in opcodes.items())})"


def ours_of(name, metrics):
    """What nsight.sh makes of it."""
    parts = metrics[name]
    return f"{sum(map(number, parts.values() if isinstance(parts, dict) else parts)):.15g}"


def ncu_output(launches, row=ROW, values=value_of):
    lines = ["==PROF== Connected to process 123 (/x/step03)",
             f'==PROF== Profiling "reduce_block" - 0: 0%....50%....100% - 3 passes',
             CSV_HEADER, row, "==PROF== Disconnected from process 123", quoted(COLUMNS)]
    for launch, (grid, block, metrics) in enumerate(launches):
        for metric in sorted(THEIRS):
            lines.append(quoted([launch, 123, "step03", "127.0.0.1", KERNEL, 1, 7, block, grid, 0,
                                 "9.0", "Command line profiler metrics", metric, "x",
                                 values(metric, metrics)]))
    return "\n".join(lines)


class Machine:
    """A PATH of the tools that the scripts need and, where given, a GPU and ncu."""

    def __init__(self, folder):
        self.folder = folder / "bin"
        self.folder.mkdir()
        for name in "bash", "awk", "basename", "cat", "dirname", "grep", "paste", "tail":
            os.symlink(shutil.which(name), self.folder / name)
        self.tool("nvidia-smi", "echo 580.159.04")

    def tool(self, name, text):
        (self.folder / name).write_text("#!/bin/bash\n" + text + "\n")
        (self.folder / name).chmod(0o755)

    def ncu(self, output, status=0):
        (self.folder / "output").write_text(output + "\n")
        self.tool("ncu", f'echo "$@" >{self.folder}/arguments\ncat {self.folder}/output\n'
                         f'exit {status}')

    def arguments(self):
        return (self.folder / "arguments").read_text()

    def __call__(self, script, *arguments):
        return run(ROOT / "bench" / script, *arguments, env={"PATH": str(self.folder)})


@pytest.fixture(scope="module", autouse=True)
def table():
    with locked(ROOT / "build/simt"):
        assert make("-s", "build/simt/nsight-table").stderr == ""


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


# ---- the table ----

FIRST, LAST = LAUNCHES
GRID = "(64, 2, 1)", "(32, 4, 2)", FIRST[2]
LARGE = "(4194304, 1, 1)", *FIRST[1:]
# of accesses of unknown space one does not know whose the lanes are
UNKNOWN = *LAST[:2], LAST[2] | {"generic_requests": {"LD": "5"}}
# The program reduces twice, untimed and timed: only the first reduction is shown.
PROFILES = {
    "cut off in the second": [FIRST, LAST, FIRST],
    "five": 2 * [GRID, LARGE, LAST, FIRST, UNKNOWN]}  # the first three, and all


def test_golden_tables(machine):
    told = []
    for name, launches in PROFILES.items():
        machine.ncu(ncu_output(launches))
        done = machine("nsight.sh", "--table", "2^20", "/x/step03")
        assert (done.returncode, done.stderr) == (0, "")
        assert max(map(len, done.stdout.split("\n"))) <= 80
        told += [name, done.stdout]
    golden("profile.txt", "\n".join(told))
    for words in ("/x/step03 -n 2^20 -w 1 -r 1 --csv\n", "--clock-control none",
                  f"--metrics {','.join(THEIRS)} "):
        assert words in machine.arguments()
    assert "--launch-count" not in machine.arguments()
    machine.ncu(ncu_output([FIRST], row=ROW.replace("03,seq", ",seq")))  # of a detour
    assert machine("nsight.sh", "--table", "1000", "/x/single").stdout.startswith(
        "sequential addressing, n = 1048576 int: Nsight Compute\ncounters, 1 launch   ")
    assert "-n 1000 " in machine.arguments()


# ---- rows ----

@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_of_the_first_launch(machine, end):
    machine.ncu(ncu_output([FIRST]).replace("\n", end))
    done = machine("nsight.sh", "1048576", "/x/step03", "/x/step03")
    assert (done.returncode, done.stderr) == (0, "")
    head = "03,sequential-addressing,int,256,1048576,"
    lines = [f"{head}{name},{ours_of(name, FIRST[2])}" for name in NAMES]
    assert done.stdout.splitlines() == 2 * lines
    assert head + "global_lanes,1052672" in lines and head + "shuffles,0" in lines
    assert "--launch-count 1 " in machine.arguments()


# ---- what is missing ----

PERMISSION = """\
==PROF== Connected to process 123 (/x/step03)
==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance \
Counters on the target device 0. For instructions on enabling permissions and to get more \
information see https://developer.nvidia.com/ERR_NVGPUCTRPERM
""" + CSV_HEADER + "\n" + ROW + "\n==WARNING== No kernels were profiled."


@pytest.mark.parametrize("table", [[], ["--table"]])
@pytest.mark.parametrize("status", [0, 1])
def test_says_what_to_ask_for(machine, status, table):
    machine.ncu(PERMISSION, status)
    done = machine("nsight.sh", *table, "1000", "/x/step03")
    assert (done.returncode, done.stdout) == (3, "")
    lines = done.stderr.splitlines()
    assert "may not read this GPU's counters (ERR_NVGPUCTRPERM)" in lines[0]
    assert "" not in lines and max(map(len, lines)) <= 80
    for word in ("administrator", "NVreg_RestrictProfilingToAdminUsers=0", "CAP_SYS_ADMIN", "sudo",
                 "CPU backend", "make counters"):
        assert word in " ".join(lines)


@pytest.mark.parametrize("arguments", ["1000 /x/step03", "--table 2^20 /x/step03", "--able"])
def test_without_a_gpu(machine, arguments):
    """One line, as the benches have."""
    for why in "no Nsight Compute (ncu) in PATH", "no GPU here; ":
        done = machine("nsight.sh", *arguments.split())
        assert_refused(done, 3, f"make profile: {why}", "make counters has the same")
        machine.ncu(ncu_output(LAUNCHES))
        machine.tool("nvidia-smi", "echo No devices were found; exit 6")


@pytest.mark.parametrize("output, words", [
    ("==ERROR== Failed to find metric x\n==ERROR== more", "==ERROR== Failed to find metric x"),
    (ncu_output(LAUNCHES) + "\n==ERROR== The application returned an error code (1).",
     "==ERROR== The application returned an error code"),
    ("==WARNING== No kernels were profiled.", "==WARNING== No kernels were profiled."),
    (ncu_output(LAUNCHES, values=lambda metric, metrics: (
        "n/a" if metric == "sass__inst_executed_per_opcode" else value_of(metric, metrics))),
     "==ERROR== no value of sass__inst_executed_per_opcode"),
    (re.sub(r".*op_shared_atom.*\n", "", ncu_output(LAUNCHES)),
     "==ERROR== no value of smsp__sass_inst_executed_op_shared_atom.sum"),
    (re.sub(r'\n"1",.*op_shared_atom.*', "", ncu_output(2 * LAUNCHES)),
     "==ERROR== no value of smsp__sass_inst_executed_op_shared_atom.sum"),
    (ncu_output(LAUNCHES).replace(ROW + "\n", ""), "==ERROR== no row of the program's"),
    ("", "ncu ended with status 1"),
    ("/x/lab.cu:40: cudaMalloc: out of memory\n==ERROR== The application returned (3).",
     "/x/lab.cu:40: cudaMalloc: out of memory"),
], ids=["ncu's error", "program's error", "no kernel", "n/a", "no such metric", "one launch lacks it",
        "no row", "nothing", "a failed CHECK"])
def test_other_failures(machine, output, words):
    machine.ncu(output, 1)
    for table in [], ["--table"]:
        done = machine("nsight.sh", *table, "1000", "/x/step03")
        assert (done.returncode, done.stdout) == (1, "")
        assert re.fullmatch(r"Nsight Compute on step03 failed: .*\n", done.stderr)
        assert words in done.stderr


def test_usage(machine):
    assert_refused(machine("nsight.sh"), 2, "usage: nsight.sh ")


def test_every_kernel_is_profiled():
    """Of the steps and detours; the harness's own are not."""
    script = (ROOT / "bench/nsight.sh").read_text()
    pattern = re.search(r"--kernel-name 'regex:(.*?)'", script)[1]
    for path in [*(ROOT / "steps").glob("*/main.cu"), *(ROOT / "detours").glob("*/main.cu")]:
        kernels = re.findall(r"__global__ void (?:\w+\(.*?\) )?(\w+)", path.read_text())
        assert all(re.search(pattern, kernel) for kernel in kernels), (path, kernels)
    for path in (ROOT / "common").glob("*.cu"):
        for kernel in re.findall(r"__global__ void (?:\w+\(.*?\) )?(\w+)", path.read_text()):
            assert not re.search(pattern, kernel), (path, kernel)


@pytest.mark.parametrize("rows", ["", "1 title\n1 1 1 shuffles", "1 title\n1 1 1 shuffles n/a",
                                  "1 title\n1 1 1 shuffels 1"])
def test_bad_rows(rows):
    done = run(ROOT / "build/simt/nsight-table", input=rows)
    assert_refused(done, 1, "nsight-table: not a row of nsight.awk")

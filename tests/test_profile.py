"""make profile-NN, by make/profile.sh, on an ncu that prints what Nsight Compute 2025.3 does."""

import re

import pytest

from harness import CSV_HEADER, ROOT, data_rows, golden, run, said, script, transcript

NAMES = list(dict.fromkeys(row["counter"] for row in data_rows(
    "plots/measure/nsight-metrics.csv")))

# The output of ncu for two launches
PER_OPCODE = "sass__inst_executed_per_opcode"
ATOMICS = "smsp__sass_inst_executed_op_shared_atom.sum"
FIRST, LAST = LAUNCHES = [{row["metric"]: row[which] for row in data_rows("tests/data/ncu_small.csv")}
                          for which in ("first", "last")]
COLUMNS = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream",
           "Block Size", "Grid Size", "Device", "CC", "Section Name", "Metric Name", "Metric Unit",
           "Metric Value"]
KERNEL = "reduce_block(const int *, int *, unsigned long)"
ROW = "03,sequential-addressing,,cuda,NVIDIA H200,int,256,1048576,1,cold,1,1,1,1,,1,7,7,yes"


def quoted(words):
    return ",".join(f'"{word}"' for word in words)


def ncu_output(*launches):
    """ncu's output, with the program's in between."""
    lines = ["==PROF== Connected to process 123 (/x/step03)",
             '==PROF== Profiling "reduce_block" - 0: 0%....50%....100% - 3 passes',
             CSV_HEADER, ROW, "==PROF== Disconnected from process 123", quoted(COLUMNS)]
    for launch, metrics in enumerate(launches):
        lines += [quoted([launch, 123, "step03", "127.0.0.1", KERNEL, 1, 7, "(256, 1, 1)",
                          "(1, 1, 1)", 0, "9.0", "Command line profiler metrics", metric, "x", value])
                  for metric, value in sorted(metrics.items())]
    return "\n".join(lines)


@pytest.fixture
def ncu(no_python, tmp_path):
    """ncu(call, what it prints, its status, the program's row): calls make/profile.sh with an ncu that
    prints this; ncu.asked: what it was asked for."""
    def call(*words, output="", status=0, row=ROW, without=()):
        (tmp_path / "printed").write_text(output + "\n")
        tools = {"nvidia-smi": "echo 580.1", "step03": f"echo '{CSV_HEADER}'; echo '{row}'",
                 "ncu": f"echo \"$*\" >{tmp_path}/asked; cat {tmp_path}/printed; exit {status}"}
        for name, text in tools.items():
            script(tmp_path / "bin" / name, text)
        for name in without:
            (tmp_path / "bin" / name).unlink()
        done = run(ROOT / "make/profile.sh", *words,
                   env={"PATH": f"{tmp_path}/bin:{no_python}", "CUDA_PATH": ""})
        asked = tmp_path / "asked"
        call.asked = asked.read_text().strip() if asked.exists() else ""
        return done
    call.program = tmp_path / "bin/step03"
    return call


# ---- the table ----

def test_golden_tables(ncu):
    """The program reduces twice, untimed and timed: only the first reduction is shown, also where the
    second one was cut off."""
    table = said(ncu("2^20", ncu.program, output=ncu_output(FIRST, LAST, FIRST)))
    golden("profile.txt", table)
    assert max(map(len, table.splitlines())) <= 80
    assert ncu.asked.endswith("/step03 -n 2^20 -r 1")
    assert "--clock-control none" in ncu.asked and "--launch-count" not in ncu.asked
    assert sorted(re.search("--metrics ([^ ]*)", ncu.asked)[1].split(",")) == sorted(FIRST)
    detour = ncu("1000", ncu.program, output=ncu_output(FIRST), row=ROW.replace("03,seq", ",seq"))
    assert said(detour).startswith("sequential addressing, n = 1048576 int: Nsight Compute\n")


# ---- rows ----

def test_rows_of_the_first_launch(ncu):
    done = ncu("--rows", "1048576", ncu.program, output=ncu_output(LAST).replace("\n", "\r\n"))
    head = "03,sequential-addressing,int,256,1048576,"
    found = dict(line.removeprefix(head).split(",") for line in said(done).splitlines())
    assert list(found) == NAMES
    assert found.items() >= {
        "global_load_sectors": "250", "global_atomic_requests": "4", "global_lanes": "3150",
        "shared_lanes": "255", "votes": "9", "generic_requests": "0", "launch_blocks": "1",
        "instructions_per_warp": "97.25", "global_load_throughput": "1500000000"}.items()
    assert "--launch-count 1 " in ncu.asked


# ---- what is missing ----

PERMISSION = """\
==PROF== Connected to process 123 (/x/step03)
==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance \
Counters on the target device 0. For instructions on enabling permissions and to get more \
information see https://developer.nvidia.com/ERR_NVGPUCTRPERM
""" + CSV_HEADER + "\n" + ROW + "\n==WARNING== No kernels were profiled."

WHOLE = ncu_output(*LAUNCHES)
FAILURES = {  # what ncu prints then
    "no permission": PERMISSION,
    "an error of ncu's": "==ERROR== Failed to find metric x\n==ERROR== more",
    "an error of the program's": WHOLE + "\n==ERROR== The application returned an error code (1).",
    "no kernel": "==WARNING== No kernels were profiled.", "nothing": "",
    "n/a": ncu_output(FIRST | {PER_OPCODE: "n/a"}),
    "no such metric": re.sub(f".*{ATOMICS}.*\n", "", WHOLE),
    "one launch lacks it": re.sub(f'\n"1",.*{ATOMICS}.*', "", WHOLE)}


def test_golden_failures(ncu):
    """The message names what is missing and what to ask for; in 80 columns if it has several lines."""
    calls = [("without ncu", ncu("--check", without=["ncu"])),
             ("without a GPU", ncu("--check", without=["nvidia-smi"]))]
    for what, output in FAILURES.items():
        done = ncu("1000", ncu.program, output=output, status=1)
        assert done.stderr.count("\n") == 1 or max(map(len, done.stderr.splitlines())) <= 80
        if done.stderr not in [each.stderr for _, each in calls]:
            calls.append((what, done))
    transcript("profile-failures.txt", calls)


def test_every_kernel_is_profiled():
    """Kernels of steps and detours are profiled, those of the harness, and that only measure, are not."""
    pattern = re.search("'regex:(.*?)'", (ROOT / "make/profile.sh").read_text())[1]
    for files in "steps/*/main.cu", "detours/*/main.cu", "common/*.cu":
        for path in {*ROOT.glob(files)} - {ROOT / "detours/shapes/main.cu"}:
            for kernel in re.findall(r"__global__ void (?:\w+\([^;]*?\)\s+)?(\w+)\(", path.read_text()):
                profiled = re.search(pattern, kernel) is not None
                assert profiled == (path.parent.name != "common"), (path, kernel)

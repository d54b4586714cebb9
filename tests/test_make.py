"""The Makefile: what it builds and why, bad variables, and the targets that need no compiler."""

import os
import re
import shutil

import pytest

from conftest import CSV_HEADER, NEEDS_GPU, ROOT, STEPS, assert_refused, build, make, run


def tools(folder, *names, **scripts):
    """An environment whose PATH has these programs, and scripts under these names, only."""
    folder.mkdir()
    for name in names:
        os.symlink(shutil.which(name), folder / name)
    for name, text in scripts.items():
        file = folder / name.replace("_", "-")
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)
    return {"PATH": str(folder)}


NEEDED = "cc", "g++", "uname", "grep", "head"  # by every build, before it compiles

BAD = [
    (["BLOCK=100"], "BLOCK=100", "32 64 128 256 512 1024"),
    (["BLOCK=2048"], "BLOCK=2048", "32 64 128 256 512 1024"),
    (["BLOCK=32 64"], "BLOCK=32 64", "32 64 128 256 512 1024"),
    (["BLOCK="], "BLOCK=", "32 64 128 256 512 1024"),
    (["TYPE=foo"], "TYPE=foo", "int float double"),
    (["TYPE=int float"], "TYPE=int float", "int float double"),
    (["BACKEND=gpu"], "BACKEND=gpu", "auto cuda cpu"),
    (["OP=foo"], "OP=foo", "sum"),
    (["BACKEND=cuda", "NVCC=/nonexistent"], "/nonexistent not found", "NVCC=/path/to/nvcc"),
]


@pytest.mark.parametrize("variables, culprit, remedy", BAD, ids=lambda value: str(value))
def test_bad_variable(tree, variables, culprit, remedy):
    """Make's own line, in the form that editors know, and nothing is built."""
    for goal in "step03", "all", "run":
        done = make(*variables, goal, cwd=tree)
        assert_refused(done, 2, "*** ", culprit, remedy)
    assert {path.name for path in tree.iterdir()} == {"Makefile", "bench", "common", "make", "simt", "steps"}


def test_no_compiler_needed(tree, tmp_path):
    env = tools(tmp_path / "bin", "awk", "rm")
    done = make("help", cwd=tree, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    told = {line[2:26].strip() for line in done.stdout.splitlines() if line.startswith("  ")}
    targets = " ".join(re.findall(r"^(?:BENCHES|OTHERS) *:= (.*)", (ROOT / "Makefile").read_text(),
                                  re.M)).split()
    assert len(targets) > 20 and set(targets) - {"help", "test", "check"} < told
    assert {f"step00 to step{max(STEPS)}", "single-pass, cub etc.", "plot-02-03", "diff-02-03", "profile-03",
            "test, check", "BACKEND=auto,cuda,cpu", "TYPE=int,float,double", "BLOCK=256",
            "OP=sum,max,min,prod", "ARCH=native", "DATA=FILE", "PUBLISH=1", "V=1"} < told
    (tree / "build/x").mkdir(parents=True)
    (tree / "step03").symlink_to("build/x")
    assert make("clean", cwd=tree, env=env).returncode == 0
    assert {path.name for path in tree.iterdir()} == {"Makefile", "bench", "common", "make", "simt", "steps"}


@pytest.mark.parametrize("missing, words", [
    ("cc", ["CC=cc not found", "install gcc", "CC=/path/to/gcc"]),
    ("g++", ["CXX=g++ not found", "install g++", "CXX=/path/to/g++"]),
    ("uname", ["needs Linux, not Darwin", "WSL2", "container"]),
])
def test_what_every_build_needs(tree, tmp_path, missing, words):
    """Said before anything is built."""
    env = tools(tmp_path / "bin", *set(NEEDED) - {missing},
                **{"uname": "echo Darwin"} if missing == "uname" else {})
    for goal in "step03", "counters":
        assert_refused(make(goal, cwd=tree, env=env), 2, *words)
    assert not (tree / "build").exists()


def test_half_of_a_file_is_removed(tree, tmp_path):
    """A script that fails after its first rows leaves no file."""
    (tree / "bench/tuning.sh").write_text("#!/bin/sh\necho a,b\nexit 3\n")
    env = tools(tmp_path / "bin", *NEEDED, "bash", "awk", "dirname", "sed", "tr", "mkdir", "rm",
                nvidia_smi="echo 580.1")
    done = make("-s", "BACKEND=cpu", "bench-tuning", cwd=tree, env=env)
    assert (done.returncode, done.stdout) == (2, "")
    assert os.listdir(tree / "build/bench") == []


@pytest.mark.parametrize("target", ["step3", f"step{len(STEPS):02}", "diff", "steps"])
def test_no_such_target(tree, target):
    """Also where a folder has that name."""
    done = make("-s", target, cwd=tree)
    assert (done.returncode, done.stdout) == (2, "")
    told, by_make = done.stderr.splitlines()
    assert told == f"make: there is no '{target}' to make; make help lists what there is"


def test_profile_of_no_program(tree):
    done = make("-s", "profile-99", cwd=tree)
    assert_refused(done, 2, "profile-99: no step or detour '99'", "want one of 00 01")
    done = make("-s", "profile-multi-gpu", cwd=tree)
    assert_refused(done, 2, "profile-multi-gpu: Nsight Compute runs a kernel several times")


@pytest.mark.parametrize("target", ["bench", "bench-multi-gpu", "bench-write-up-0",
                                    "bench-float-order", "bench-trust", "bench-tuning",
                                    "bench-nsight"])
def test_bench_without_a_gpu(tree, tmp_path, target):
    """Said before anything is built."""
    env = tools(tmp_path / "bin", *NEEDED, "bash", "awk", "dirname", nvidia_smi="exit 9")
    done = make(target, cwd=tree, env=env)
    assert (done.returncode, done.stdout) == (2, "")
    told, by_make = done.stderr.splitlines()
    assert told == "make bench: no GPU here; make counters and make plots need none"
    assert not (tree / "build").exists()


CHOICES = [
    ([], {}, "cpu (no nvcc in PATH)"),
    ([], {"nvidia_smi": "echo 9.0"},
     "cpu (a GPU is here, but no nvcc in PATH: say NVCC=/path/to/nvcc)"),
    ([], {"nvcc": ""}, "cpu (nvcc is here, but no GPU)"),
    ([], {"nvcc": "", "nvidia_smi": "echo No devices were found; exit 6"},
     "cpu (nvcc is here, but no GPU)"),
    ([], {"nvcc": "", "nvidia_smi": "echo 9.0; echo 8.0"}, "cuda (nvcc and a GPU are here); sm_90"),
    (["ARCH=sm_80"], {"nvcc": "", "nvidia_smi": "echo 9.0"},
     "cuda (nvcc and a GPU are here); sm_80"),
    (["BACKEND=cpu"], {"nvcc": "", "nvidia_smi": "echo 9.0"}, "cpu (as asked for)"),
    (["BACKEND=cuda"], {"nvcc": ""}, "cuda (as asked for); all-major"),
]


@pytest.mark.parametrize("variables, scripts, choice", CHOICES)
def test_backend_is_chosen_and_said(tree, tmp_path, variables, scripts, choice):
    env = tools(tmp_path / "bin", *NEEDED, **scripts)
    done = make("-n", *variables, "TYPE=float", "BLOCK=64", "step03", cwd=tree, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == f"backend: {choice}; float; blocks of 64"
    if "sm_" in choice:
        assert "-arch=" + choice.split()[-1] in done.stdout
    silent = make("-s", "-n", *variables, "step03", cwd=tree, env=env)
    assert silent.returncode == 0 and "backend:" not in silent.stdout + silent.stderr


def test_two_words(tree):
    """make step03 && ./step03 on a fresh clone; ./step03 is always what was asked for last."""
    for variables, about in (([], "int (4 MiB), blocks of 256"),
                             (["TYPE=double"], "double (8 MiB), blocks of 256"),
                             (["BLOCK=64"], "int (4 MiB), blocks of 64"),
                             ([], "int (4 MiB), blocks of 256")):
        done = make("BACKEND=cpu", *variables, "step03", cwd=tree)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        assert done.stdout.startswith("backend: cpu (as asked for)")
        report = run("./step03", cwd=tree)
        assert report.returncode == 0 and about in report.stdout and "   OK\n" in report.stdout
    done = make("-s", "-B", "BACKEND=cpu", "build/cpu-int-256-sum/common/device.o", cwd=tree)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    terminal, end = os.openpty()
    assert make("BACKEND=cpu", "BLOCK=128", "step03", cwd=tree, stderr=end).returncode == 0
    os.close(end)
    assert re.fullmatch("compiling step03 … *\r *\r", os.read(terminal, 1000).decode())
    os.close(terminal)


def test_run_prints_one_table():
    build()
    done = make("-s", "BACKEND=cpu", "run")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines() if line[:2] in STEPS]
    assert rows == [[step, path.parent.name[3:], "1024" if step == "00" else "256", "133784454",
                     "verified"] for step, path in STEPS.items()]


@pytest.fixture(scope="session")
def decimal_comma(tmp_path_factory):
    """The environment of a user whose locale writes 0,5; what it is now where there is none."""
    folder = tmp_path_factory.mktemp("locale")
    try:
        run("localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8")
    except FileNotFoundError:
        return {}
    return {"LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8"}


def test_run_on_a_gpu(tmp_path, decimal_comma):
    """The widest figures that a GPU is likely to give, in 80 columns."""
    programs = []
    for step, name, block, figures in (
            ("00", "naive", 1024, "1542.912345,1542.9,1543.0,2.784,0.058"),
            ("03", "sequential-addressing", 256, "0.083521,0.083,0.084,803.498,"),
            ("07", "warp-shuffle", 256, "0.020000,0.019,0.021,3355.443,95.236")):
        programs.append(tmp_path / f"step{step}")
        row = (f"{step},{name},cuda,NVIDIA H200,int,{block},1073741824,100,cold,{figures},"
               "-2139353471,-2139353471,yes")
        programs[-1].write_text(f"#!/bin/sh\necho {CSV_HEADER}\necho {row}\n")
        programs[-1].chmod(0o755)
    done = run(ROOT / "make/run.sh", *programs, env=decimal_comma)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == """\
NVIDIA H200, n = 1073741824 int, cold cache
step name                  block        ms    GB/s  % peak x step 00         sum
00   naive                  1024 1542.9123     2.8     0.1       1.0 -2139353471
03   sequential-addressing   256    0.0835   803.5       -   18473.3 -2139353471
07   warp-shuffle            256    0.0200  3355.4    95.2   77145.6 -2139353471
"""


def counters_table(done):
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    lines = done.stdout.split("\n\n")[0].splitlines()  # the detours stand below
    table = {line[:23].strip(): line[23:].split() for line in lines}
    assert table["step"] == list(STEPS)
    assert len(table) == len(lines) and {len(row) for row in table.values()} == {len(STEPS)}
    return table


def test_counters():
    """One column a step, and in it what the step says of itself."""
    folder, table = build(), counters_table(make("-s", "counters"))
    for column, step in enumerate(STEPS):
        rows = [row.split(",") for row in
                run(folder / f"step{step}", "--counters=csv").stdout.splitlines()[1:]]

        def total(space, op, field):
            return sum(int(row[field] or 0) for row in rows if row[6:8] == [space, op])
        assert table["launches"][column] == rows[-1][1]
        assert table["global load requests"][column] == str(total("global", "load", 8))
        assert table["shared requests"][column] == str(
            total("shared", "load", 8) + total("shared", "store", 8))
        assert table["warps at __syncthreads"][column] == str(total("sync", "syncthreads", 8))
        assert table["at __syncwarp"][column] == str(total("sync", "syncwarp", 8))
        assert table["shuffles by warps"][column] == str(total("sync", "shuffle", 8))
        assert (table["bank conflicts"][column] == "0") == (step != "02")


def test_counters_of_detours():
    """One line a detour, below the steps."""
    done = make("-s", "counters")
    head, *rows = done.stdout.split("\n\n")[1].splitlines()[1:]
    assert head.split()[0] == "detour" and [row.split()[0] for row in rows] == [
        name for name in sorted(path.parent.name for path in ROOT.glob("detours/*/main.cu"))
        if name not in NEEDS_GPU]
    counts = {row.split()[0]: row.split()[1:] for row in rows}
    assert {len(row) for row in counts.values()} == {8}
    # launches, global loads, sectors a load, atomics, shared wavefronts, conflicts, barriers, shuffles
    assert counts["atomic-per-element"] == ["1", "32768", "4.0", "32768", "0", "0", "0", "0"]
    assert counts["vector-loads"][:3] == ["2", "8200", "16.0"]


def test_counters_of_double(decimal_comma):
    build(type="double")
    table = counters_table(make("-s", "TYPE=double", "counters", env=decimal_comma))
    assert table["sectors/request"][0] == "32.0"
    assert [conflicts == "0" for conflicts in table["bank conflicts"]] == [
        step != "02" for step in STEPS]


def test_counters_stop_at_a_failure():
    build()
    done = make("-s", "counters", env={"SIMT_CHECKS": "maybe"})
    assert done.returncode == 2 and "simt: SIMT_CHECKS=maybe" in done.stderr
    assert "make counters: step00 failed\n" in done.stderr


@pytest.mark.parametrize("target", ["counters", "sanitize", "plots/data/counters.csv"])
def test_a_build_that_fails_ends_the_target(tree, target):
    """What runs the programs is not started without them, and the failure is not forgotten."""
    done = make("-s", "CC=false", target, cwd=tree)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 2, done.stderr  # of the two makes

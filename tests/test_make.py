"""The Makefile: what it builds and why, bad variables, and the targets that need no compiler."""

import csv
import os
import re
import shutil
from collections import Counter

import pytest

from conftest import (CSV_HEADER, MAKE, NEEDS_GPU, ROOT, STEPS, a_terminal, assert_refused, build,
                      expected_sum, make, needs, read_terminal, run)


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


# by every build, before it compiles
NEEDED = "bash", "cc", "g++", "grep", "head", "readlink", "uname"

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
    assert {path.name for path in tree.iterdir()} == {"Makefile", "bench", "common", "make", "simt",
                                                      "steps"}


def test_no_compiler_needed(tree, tmp_path):
    env = tools(tmp_path / "bin", "awk", "rm")
    done = make("help", cwd=tree, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    told = {line[2:26].strip() for line in done.stdout.splitlines() if line.startswith("  ")}
    targets = " ".join(re.findall(r"^(?:BENCHES|OTHERS) *:= (.*)", (ROOT / "Makefile").read_text(),
                                  re.M)).split()
    assert len(targets) > 20 and set(targets) - {"help", "test", "check"} < told
    assert {f"step00 to step{max(STEPS)}", "single-pass, cub etc.", "plot-02-03", "diff-02-03",
            "profile-03",
            "test, check", "BACKEND=auto,cuda,cpu", "TYPE=int,float,double", "BLOCK=256",
            "OP=sum,max,min,prod", "ARCH=native", "DATA=FILE", "PUBLISH=1", "V=1"} < told
    (tree / "build/x").mkdir(parents=True)
    (tree / "step03").symlink_to("build/x")
    assert make("clean", cwd=tree, env=env).returncode == 0
    assert {path.name for path in tree.iterdir()} == {"Makefile", "bench", "common", "make", "simt",
                                                      "steps"}


def test_git_ignores_the_programs_and_nothing_else(tmp_path):
    """Those to come, too; a file that someone adds is seen, in a room or beside the Makefile."""
    needs("git")
    shutil.copy(ROOT / ".gitignore", tmp_path)
    (tmp_path / "room").mkdir()
    for name in "step99", "fast", "warp-redux-2", "room/link":
        (tmp_path / name).symlink_to("build")
    seen = ".editorconfig", ".gitignore", "Dockerfile", "CITATION.cff", "setup.py", "room/fast"
    for name in seen:
        (tmp_path / name).touch()
    assert run("git", "init", "-q", cwd=tmp_path).returncode == 0
    done = run("git", "status", "--porcelain", "-uall", cwd=tmp_path)
    assert {line[3:] for line in done.stdout.splitlines()} == {*seen, "room/link"}
    if (ROOT / ".git").exists():
        assert run("git", "ls-files", "-ci", "--exclude-standard", cwd=ROOT).stdout == ""


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
    (tree / "bench/variants.sh").write_text("build_variants() { echo a,b; return 3; }\n")
    env = tools(tmp_path / "bin", *NEEDED, "awk", "dirname", "sed", "tr", "mkdir", "rm",
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
    assert told == f"make: no target '{target}'; make help lists the targets"


@pytest.mark.parametrize("target, variable, right", [
    ("lab", "TYPE=float", "int"), ("lab", "BLOCK=64", "256"), ("access", "BLOCK=256", "64"),
    ("counters", "BACKEND=cuda", "cpu"),
    ("plots/data/counters.csv", "TYPE=double", "int"),
    ("plots/data/counters.csv", "BLOCK=512", "256")])
def test_what_a_target_would_ignore(tree, target, variable, right):
    """It shows one configuration."""
    done = make("-s", target, "NVCC=true", variable, cwd=tree)
    assert_refused(done, 2, f"{target}: {variable}: want {right}, or nothing")


@pytest.mark.parametrize("target", ["access", "lab"])
def test_python_is_looked_for_first(tree, target):
    done = make("-s", target, "PYTHON=none", cwd=tree)
    assert (done.returncode, done.stdout) == (2, "")
    told, by_make = done.stderr.splitlines()
    assert told == f"make {target}: none not found: install Python 3, or say PYTHON=/path/to/it"
    assert not (tree / "build").exists()


# as root may write anywhere
WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []


@pytest.mark.skipif(WITHOUT_RIGHTS != [] and not shutil.which("setpriv"), reason="root, no setpriv")
@pytest.mark.parametrize("read_only", [".", "build", "build/simt/"])
def test_a_folder_that_cannot_be_written(tree, read_only):
    """Another user's, or what sudo make has left in one's own."""
    (tree / "build/simt").mkdir(parents=True)
    (tree / read_only).chmod(0o555)
    try:
        for goal in "step03", "exercises", "plots", "plot-02-03", "new", "clean", "test", "simt":
            done = run(*WITHOUT_RIGHTS, MAKE, "-s", goal, cwd=tree)
            assert_refused(done, 2, f"*** {tree if read_only == '.' else read_only}: cannot be "
                           "written; want a copy that is yours")
        assert run(*WITHOUT_RIGHTS, MAKE, "help", cwd=tree).returncode == 0
    finally:
        (tree / read_only).chmod(0o755)


def test_all_tests_or_most(tmp_path):
    """make test and make test-all; more words for pytest."""
    env = tools(tmp_path / "bin", "bash", "dirname", "nproc", make="true", python=(
        '[ "$1" = -c ] || for word; do echo "$word"; done'))
    for options, more, which in ([], "", ["-m", "not slow"]), (["--all"], "", []), (
            ["--all"], "-k x", ["-k", "x"]):
        done = run(ROOT / "tests/run.sh", *options, "python", env=env | {"PYTEST_ARGS": more})
        assert (done.returncode, done.stderr) == (0, "")
        words = done.stdout.splitlines()
        assert words[:2] == ["-m", "pytest"] and words[-1] == "tests"
        assert words[words.index("worksteal") + 3:-1] == which


def test_profile_of_no_program(tree):
    done = make("-s", "profile-99", cwd=tree)
    assert_refused(done, 2, "profile-99: no step or detour '99'", "want one of 00 01")
    done = make("-s", "profile-multi-gpu", cwd=tree)
    assert_refused(done, 2, "profile-multi-gpu: Nsight Compute runs a kernel several times")


@pytest.mark.parametrize("target", ["bench", "bench-multi-gpu", "bench-write-up-0",
                                    "bench-float-order", "bench-trust", "bench-tuning",
                                    "bench-ideas", "bench-in-flight", "bench-shapes", "bench-nsight"])
def test_bench_without_a_gpu(tree, tmp_path, target):
    """Said before anything is built."""
    env = tools(tmp_path / "bin", *NEEDED, "awk", "dirname", nvidia_smi="exit 9")
    done = make(target, cwd=tree, env=env)
    assert (done.returncode, done.stdout) == (2, "")
    told, by_make = done.stderr.splitlines()
    assert told == "make bench: no GPU here; make counters and make plots do not need one"
    assert not (tree / "build").exists()


# An nvcc that says what it compiles for, and what is said of a GPU that is none of it
KNOWS = "echo sm_75; echo sm_90; echo sm_121"
NOT_KNOWN = "nvcc compiles for sm_75 to sm_121, not for"
OTHER_NVCC = "sm_70: say NVCC=/path/to/nvcc of another CUDA toolkit"

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
    ([], {"nvcc": "", "nvidia_smi": '[ "$1" = -L ] && echo "GPU 0: old" || exit 2'},
     "cpu (nvcc is here, but nvidia-smi does not tell the GPU's compute capability: "
     "say BACKEND=cuda)"),
    ([], {"nvcc": KNOWS, "nvidia_smi": "echo 9.0"}, "cuda (nvcc and a GPU are here); sm_90"),
    ([], {"nvcc": KNOWS, "nvidia_smi": "echo 7.0"}, f"cpu ({NOT_KNOWN} this GPU, {OTHER_NVCC})"),
    (["ARCH=sm_90a"], {"nvcc": KNOWS, "nvidia_smi": "echo 7.0"},
     "cuda (nvcc and a GPU are here); sm_90a"),
    (["BACKEND=cpu"], {"nvcc": "", "nvidia_smi": "echo 9.0"}, "cpu (as asked for)"),
    (["BACKEND=cuda"], {"nvcc": ""}, "cuda (as asked for); all-major"),
]


@pytest.mark.parametrize("variables, scripts, choice", CHOICES)
def test_backend_is_chosen_and_said(tree, tmp_path, variables, scripts, choice):
    env = tools(tmp_path / "bin", *NEEDED, **scripts)
    done = make("-n", *variables, "TYPE=float", "BLOCK=64", "step03", cwd=tree, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == f"backend: {choice}; float; blocks of 64"
    if choice.startswith("cuda"):
        assert "-arch=" + choice.split()[-1] in done.stdout
    silent = make("-s", "-n", *variables, "step03", cwd=tree, env=env)
    assert silent.returncode == 0 and "backend:" not in silent.stdout + silent.stderr


@pytest.mark.parametrize("variables, told", [
    (["BACKEND=cuda"], f"{NOT_KNOWN} this GPU, {OTHER_NVCC}"),
    (["ARCH=sm_70"], f"{NOT_KNOWN} {OTHER_NVCC}"),
])
def test_architecture_that_nvcc_does_not_know(tree, tmp_path, variables, told):
    env = tools(tmp_path / "bin", *NEEDED, nvcc=KNOWS, nvidia_smi="echo 7.0")
    assert_refused(make(*variables, "step03", cwd=tree, env=env), 2, told)


def test_two_words(tree):
    """make step03 && ./step03 on a clone says what it builds; ./step03 is always what was asked for
    last."""
    def check(variables, about, *, said, builds=("step03",), **options):
        done = make("BACKEND=cpu", *variables, "step03", cwd=tree, **options)
        assert done.returncode == 0
        if done.stderr is not None:
            assert sorted(done.stderr.splitlines()) == sorted(f"compiling {b} …" for b in builds)
        assert done.stdout.startswith("backend: cpu (as asked for)") == said
        report = run("./step03", "-n", "2^10", cwd=tree)
        assert report.returncode == 0 and about in report.stdout and "   OK\n" in report.stdout

    files = len([*tree.glob("simt/*.c"), *tree.glob("simt/[rwj]*/*.c")])
    check([], "int (4 KiB), blocks of 256", said=True,
          builds=("step03", "the lab harness", f"the CPU backend ({files} files; once)"))
    done = make("BACKEND=cpu", "V=1", "step03", cwd=tree)
    assert "ln -sf build/cpu-int-256-sum/step03 step03\n" in done.stdout
    done = make("-s", "-B", "BACKEND=cpu", "build/cpu-int-256-sum/common/device.o", cwd=tree)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    terminal, end = a_terminal()
    check(["-s", "TYPE=double", "BLOCK=64"], "double (8 KiB), blocks of 64", said=False, stderr=end)
    os.close(end)
    assert read_terminal(terminal).endswith("compiling step03 …\r\n")
    check([], "int (4 KiB), blocks of 256", said=True)


def with_fewer(folder, program, n):
    """A program of the same name, which takes n elements of itself."""
    double = folder / program.name
    double.write_text(f'#!/bin/sh\nexec "{program}" -n {n} "$@"\n')
    double.chmod(0o755)
    return double


def test_run_prints_one_table(tmp_path):
    """Of the ladder's programs; here with fewer elements than they take of themselves."""
    done = make("-n", "BACKEND=cpu", "run")
    programs = [ROOT / f"build/cpu-int-256-sum/step{step}" for step in STEPS]
    assert done.stdout.splitlines()[-1] == " ".join(
        ["make/run.sh", *(str(program.relative_to(ROOT)) for program in programs)])
    build()
    done = run(ROOT / "make/run.sh",
               *(with_fewer(tmp_path, program, 5000) for program in programs))
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines() if line[:2] in STEPS]
    assert rows == [[step, path.parent.name[3:], "1024" if step == "00" else "256",
                     str(expected_sum("int", 5000)), "verified"] for step, path in STEPS.items()]


@pytest.fixture(scope="session")
def decimal_comma(tmp_path_factory):
    """The environment of a user whose locale writes 0,5; what it is now where none can be made: a
    minimal system has no localedef, or nothing that it could read."""
    folder = tmp_path_factory.mktemp("locale")
    source, locale = folder / "comma", folder / "de_DE"
    source.write_text('LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\n'
                      "END LC_NUMERIC\n")  # the rest is C's
    if shutil.which("localedef"):
        run("localedef", "-c", "-i", source, "-f", "ANSI_X3.4-1968", locale)
    env = {"LOCPATH": str(locale.parent), "LC_ALL": locale.name}
    return env if run("bash", "-c", "true", env=env).stderr == "" else {}


def test_run_on_a_gpu(tmp_path, decimal_comma):
    """The widest figures that a GPU is likely to give, in 80 columns."""
    programs = []
    for step, name, block, figures in (
            ("00", "naive", 1024, "1542.912345,1542.9,1543.0,2.784,0.058"),
            ("03", "sequential-addressing", 256, "0.083521,0.083,0.084,803.498,"),
            ("07", "warp-shuffle", 256, "0.020000,0.019,0.021,3355.443,95.236")):
        programs.append(tmp_path / f"step{step}")
        row = (f"{step},{name},,cuda,NVIDIA H200,int,{block},1073741824,100,cold,{figures},"
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


@pytest.mark.parametrize("row, status, why", [
    (None, 4, ""), ("09,bad,cpu", 0, f"step09 printed no row of the columns {CSV_HEADER}\n")])
def test_run_stops_at_a_failure(tmp_path, row, status, why):
    """With the program's status; what was not measured is no row."""
    row_of = "{},good,,cpu,CPU backend,int,256,9,0,cold,,,,,,7,7,yes".format
    programs = [printing_program(tmp_path / "step08", CSV_HEADER, row_of("08")),
                printing_program(tmp_path / "step09", *[CSV_HEADER, row][:2 if row else 0],
                                 status=status),
                printing_program(tmp_path / "step10", CSV_HEADER, row_of("10"))]
    done = run(ROOT / "make/run.sh", *programs)
    assert (done.returncode, done.stderr) == (status or 1, why + "make run: step09 failed\n")
    assert [line[:2] for line in done.stdout.splitlines()] == ["CP", "st", "08"]


def counters_table(text, steps):
    """What stands in each line of the steps' tables, one below the other, by its label."""
    assert max(map(len, text.splitlines())) <= 80
    table = {}
    for part in text.split("\n\n"):
        if part.startswith("step "):
            for line in part.splitlines():
                table.setdefault(line[:23].strip(), []).extend(line[23:].split())
    assert table["step"] == steps and {len(row) for row in table.values()} == {len(steps)}
    return table


def test_counters(tmp_path):
    """One column a step, and in it what plots/data/counters.csv has of it, which other tests hold
    against the step itself; the detours below. The programs here say what that file has of them."""
    text = (ROOT / "plots/data/counters.csv").read_text()
    *_, header = (line for line in text.splitlines()[:4])
    doubles = []
    for program in make("-s", "-n", "BACKEND=cpu", "programs").stdout.splitlines()[-1].split()[2:]:
        doubles.append(tmp_path / os.path.basename(program))
        name = doubles[-1].name
        file = STEPS[name[4:]] if name.startswith("step") else ROOT / f"detours/{name}/main.cu"
        rows = [line for line in text.splitlines() if str(file.relative_to(ROOT)) in line.split(",")]
        doubles[-1].write_text('#!/bin/sh\n[ "$*" = --counters=csv ] && cat <<end\n' +
                               "\n".join([header, *rows, "end\n"]))
        doubles[-1].chmod(0o755)
    done = run(ROOT / "make/counters.sh", *doubles)
    assert (done.returncode, done.stderr) == (0, "")
    steps, *_, detours = done.stdout[done.stdout.index("step  "):].split("\n\n")
    assert f"```\n{steps}\n```" in (ROOT / "README.md").read_text(), (
        "README.md, Why, shows what make -s counters prints first")
    check_detours(detours.splitlines()[1:])
    table = counters_table(done.stdout, list(STEPS))
    committed = list(csv.DictReader(line for line in text.splitlines() if line[0] != "#"))
    for column, step in enumerate(STEPS):
        sums = Counter()
        for row in (row for row in committed if row["step"] == step):
            for name in "requests", "lanes", "sectors", "wavefronts", "bank_conflicts":
                sums[row["space"], row["op"], name] += int(row[name] or 0)
        shared = {name: sum(sums["shared", op, name] for op in ("load", "store"))
                  for name in ("requests", "wavefronts", "bank_conflicts", "lanes")}
        loads, branches = (sums["global", "load", "requests"], sums["control", "branch", "requests"])
        assert {label: table[label][column] for label in list(table)[1:]} == {
            "launches": row["launch"],
            "global load requests": str(loads),
            "sectors": short(sums["global", "load", "sectors"]),
            "sectors/request": f"{sums['global', 'load', 'sectors'] / loads:.1f}",
            "shared requests": str(shared["requests"]),
            "wavefronts": str(shared["wavefronts"]),
            "bank conflicts": str(shared["bank_conflicts"]),
            "lanes/request": f"{shared['lanes'] / shared['requests']:.1f}",
            "warps at __syncthreads": str(sums["sync", "syncthreads", "requests"]),
            "at __syncwarp": str(sums["sync", "syncwarp", "requests"]),
            "shuffles by warps": str(sums["sync", "shuffle", "requests"]),
            "branch efficiency, %": f"{100 * sums['control', 'branch', 'lanes'] / branches:.1f}"}
        assert (shared["bank_conflicts"] == 0) == (step != "02")


def short(number):
    return str(number) if number < 1e6 else f"{number / 1e6:.2f}M"


def printing_program(file, *lines, status=0):
    text = "".join(f"echo '{line}'\n" for line in lines)
    file.write_text(f"#!/bin/sh\n{text}exit {status}\n")
    file.chmod(0o755)
    return file


@pytest.mark.parametrize("count", [1, 8, 9, 17])
def test_counters_of_any_number_of_steps(tmp_path, count):
    """As many side by side as fit into 80 columns, wherever the columns stand in the CSV."""
    steps = [f"{number:02}" for number in range(count)]
    header = "requests,op,space,launch,sectors,lanes,wavefronts,bank_conflicts"
    programs = [printing_program(tmp_path / f"step{step}", header, f"1{step},load,global,1,9,9,,",
                                 f"1{step},load,global,2,9,9,,") for step in steps]
    programs.append(printing_program(tmp_path / "fast", header, "7,atomic,global,3,7,7,,"))
    done = run(ROOT / "make/counters.sh", *programs)
    assert (done.returncode, done.stderr) == (0, "")
    table = counters_table(done.stdout, steps)
    assert table["global load requests"] == [str(200 + 2 * int(step)) for step in steps]
    assert table["launches"] == ["2"] * count and table["branch efficiency, %"] == ["-"] * count
    assert len(done.stdout.split("\n\n")) == (count + 7) // 8 + 1
    assert done.stdout.splitlines()[-1].split() == "fast 3 0 - 7 0 0 0 0".split()


def check_detours(lines):
    """One line a detour."""
    head, *rows = lines
    assert head.split()[0] == "detour" and [row.split()[0] for row in rows] == [
        name for name in sorted(path.parent.name for path in ROOT.glob("detours/*/main.cu"))
        if name not in NEEDS_GPU]
    counts = {row.split()[0]: row.split()[1:] for row in rows}
    assert {len(row) for row in counts.values()} == {8}
    # launches, global loads, sectors a load, atomics, shared wavefronts, conflicts, barriers, shuffles
    assert counts["atomic-per-element"] == ["1", "32768", "4.0", "32768", "0", "0", "0", "0"]
    assert counts["vector-loads"][:3] == ["2", "8200", "16.0"]


def test_counters_of_double(decimal_comma, tmp_path):
    folder, steps = build(type="double"), ["00", "02", "07"]
    done = run(ROOT / "make/counters.sh",
               *(with_fewer(tmp_path, folder / f"step{step}", 2**16) for step in steps),
               env=decimal_comma | {"SIMT_CHECKS": "off"})
    table = counters_table(done.stdout, steps)
    assert table["sectors/request"][0] == "32.0"
    assert [conflicts == "0" for conflicts in table["bank conflicts"]] == [True, False, True]


def test_counters_stop_at_a_failure():
    build()
    done = make("-s", "counters", env={"SIMT_CHECKS": "maybe"})
    assert done.returncode == 2 and "simt: SIMT_CHECKS=maybe" in done.stderr
    assert "make counters: step00 failed\n" in done.stderr


@pytest.mark.parametrize("target", ["counters", "sanitize", "plots/data/counters.csv"])
def test_a_build_that_fails_ends_the_target(tree, tmp_path, target):
    """What runs the programs is not started without them, and the failure is not forgotten."""
    (tmp_path / "cc").write_text('#!/bin/sh\n[ "$2" = -E ] && exec cc "$@"\n')
    (tmp_path / "cc").chmod(0o755)
    done = make("-s", "-j1", f"CC={tmp_path}/cc", target, cwd=tree)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 2, done.stderr  # of the two makes


# ---- make sanitize ----

def test_sanitize():
    done = run(ROOT / "make/sanitize.sh", "cpu", build() / "step03")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{'step03':23} no findings at 6 sizes in 3 orders (CPU backend)\n"


def test_sanitize_at_ugly_sizes(tmp_path):
    """Around a warp, a block and several, nothing that is round; each in the usual order and in
    others."""
    program = tmp_path / "step03"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >>{tmp_path}/log\n')
    program.chmod(0o755)
    done = run(ROOT / "make/sanitize.sh", "cpu", program)
    assert (done.returncode, done.stderr) == (0, "")
    calls = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    assert {(call[0], call[2], call[4]) for call in calls} == {("-n", "--order", "--csv")}
    sizes = {int(call[1]) for call in calls}
    assert len(sizes) == 6 and all(n % 32 for n in sizes) and min(sizes) == 1
    assert {(n, order) for n in sizes for order in range(3)} == {
        (int(call[1]), int(call[3])) for call in calls}


@pytest.mark.parametrize("status", [1, 3, 4, 5])
def test_sanitize_stops_behind_a_program_that_failed(tmp_path, status):
    """Whatever it failed of; and says of none that there were no findings in it."""
    programs = [printing_program(tmp_path / "good", "row"),
                printing_program(tmp_path / "bad", "what was found", status=status),
                printing_program(tmp_path / "later", "row")]
    done = run(ROOT / "make/sanitize.sh", "cpu", *programs)
    assert (done.returncode, done.stderr) == (4, "")
    good, *bad = done.stdout.splitlines()
    assert good.split()[:3] == ["good", "no", "findings"]
    assert bad[:2] == [f"{'bad -n 1, order 0':60} FAILED", "what was found"]
    assert "no findings" not in " ".join(bad) and "later" not in done.stdout


def test_sanitize_on_a_gpu(tmp_path):
    """Each of compute-sanitizer's tools, and its verdict."""
    # it tells what it found by the status that it is asked to have then
    env = tools(tmp_path / "bin", "bash", "basename", compute_sanitizer=(
        '[ "$2" != "$BAD" ] || [ "$3" != --error-exitcode ] || exit $4'))
    program = printing_program(tmp_path / "step03", "row")
    done = run(ROOT / "make/sanitize.sh", "cuda", program, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ("step03 memcheck, racecheck, synccheck, initcheck "
                                   "done (GPU)").split()
    done = run(ROOT / "make/sanitize.sh", "cuda", program, env=env | {"BAD": "synccheck"})
    assert done.returncode == 4 and done.stdout.startswith("step03, synccheck")
    assert "FAILED" in done.stdout and "done" not in done.stdout
    os.remove(tmp_path / "bin/compute-sanitizer")
    done = run(ROOT / "make/sanitize.sh", "cuda", program, env=env)
    assert_refused(done, 3, "make sanitize: no compute-sanitizer in PATH", "CUDA toolkit")


def test_roots_that_cannot_be_made():
    """Whoever calls it, such a suite is none."""
    assert_refused(run(ROOT / "tests/roots.sh", "woody"), 2, "make test-roots: ")

"""The Makefile: what it builds, with which compiler and why, and the tables that make run, counters
and sanitize print. (test_refusals.py: what it refuses.)"""

import os
import re
import shutil
import sys

import pytest

from harness import (CSV_HEADER, MAKE, NEEDS_GPU, ROOT, STEPS, a_terminal, assert_refused, build,
                      expected_sum, golden, make, needs, read_terminal, run)


def script(file, text, shell="sh"):
    file.write_text(f"#!/bin/{shell}\n{text}\n")
    file.chmod(0o755)
    return file


def tools(folder, *names, **scripts):
    """An environment whose PATH has these programs, and scripts under these names, only."""
    folder.mkdir()
    for name in set(names) - set(scripts):
        os.symlink(shutil.which(name), folder / name)
    for name, text in scripts.items():
        script(folder / name.replace("_", "-"), text)
    return {"PATH": str(folder)}


# by every build, before it compiles
NEEDED = "bash", "cc", "g++", "grep", "head", "readlink", "uname"
CLONED = {"Makefile", "bench", "common", "make", "simt", "steps", "tutorial"}


def test_no_compiler_needed(tree, tmp_path):
    env = tools(tmp_path / "bin", "awk", "rm")
    done = make("help", cwd=tree, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    told = {line[2:26].strip() for line in done.stdout.splitlines() if line.startswith("  ")}
    targets = " ".join(re.findall(r"^(?:BENCHES|OTHERS) *:= (.*)", (ROOT / "Makefile").read_text(),
                                  re.M)).split()
    assert len(targets) > 20 and set(targets) - {"help", "test", "check"} < told
    assert {f"step00 to step{max(STEPS)}", "plot-02-03", "BACKEND=auto,cuda,cpu", "V=1"} < told
    (tree / "build/x").mkdir(parents=True)
    (tree / "step03").symlink_to("build/x")
    assert make("clean", cwd=tree, env=env).returncode == 0
    assert {path.name for path in tree.iterdir()} == CLONED


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
        assert words[:2] == ["-m", "pytest"] and words[-1] == "simt/tests"
        assert words[words.index("worksteal") + 3:-2] == which


# ---- which backend ----

# An nvcc that says what it compiles for, and what is said of a GPU that is none of it
KNOWS = "echo sm_75; echo sm_90; echo sm_121"
NOT_KNOWN = "nvcc compiles for sm_75 to sm_121, not for"
OTHER_NVCC = "sm_70: say NVCC=/path/to/nvcc of another CUDA toolkit"
CHOSEN = "cuda (nvcc and a GPU are here); sm_"


@pytest.mark.parametrize("variables, scripts, choice", [
    ([], {}, "cpu (no nvcc in PATH)"),
    ([], {"nvidia_smi": "echo 9.0"},
     "cpu (a GPU is here, but no nvcc in PATH: say NVCC=/path/to/nvcc)"),
    ([], {"nvcc": ""}, "cpu (nvcc is here, but no GPU)"),
    ([], {"nvcc": "", "nvidia_smi": "echo No devices were found; exit 6"},
     "cpu (nvcc is here, but no GPU)"),
    ([], {"nvcc": "", "nvidia_smi": "echo 9.0; echo 8.0"}, CHOSEN + "90"),
    (["ARCH=sm_80"], {"nvcc": "", "nvidia_smi": "echo 9.0"}, CHOSEN + "80"),
    ([], {"nvcc": "", "nvidia_smi": '[ "$1" = -L ] && echo "GPU 0: old" || exit 2'},
     "cpu (nvcc is here, but nvidia-smi does not tell the GPU's compute capability: "
     "say BACKEND=cuda)"),
    ([], {"nvcc": KNOWS, "nvidia_smi": "echo 9.0"}, CHOSEN + "90"),
    ([], {"nvcc": KNOWS, "nvidia_smi": "echo 7.0"}, f"cpu ({NOT_KNOWN} this GPU, {OTHER_NVCC})"),
    (["ARCH=sm_90a"], {"nvcc": KNOWS, "nvidia_smi": "echo 7.0"}, CHOSEN + "90a"),
    (["BACKEND=cpu "], {"nvcc": "", "nvidia_smi": "echo 9.0"}, "cpu (as asked for)"),
    (["BACKEND=cuda"], {"nvcc": ""}, "cuda (as asked for); all-major")])
def test_backend_is_chosen_and_said(tree, tmp_path, variables, scripts, choice):
    """A blank at the end is no part of a value."""
    env = tools(tmp_path / "bin", *NEEDED, **scripts)
    done = make("-n", *variables, "TYPE=float ", "BLOCK=64 ", "step03", cwd=tree, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == f"backend: {choice}; float; blocks of 64"
    assert "-float-64-sum/step03 " in done.stdout
    if choice.startswith("cuda"):
        assert "-arch=" + choice.split()[-1] in done.stdout
    silent = make("-s", "-n", *variables, "step03", cwd=tree, env=env)
    assert silent.returncode == 0 and "backend:" not in silent.stdout + silent.stderr


GPU_NOT_KNOWN = {"nvcc": KNOWS, "nvidia_smi": "echo 7.0"}
NO_GPU = "make bench: no GPU here; make counters and make plots do not need one"


@pytest.mark.parametrize("missing, scripts, goals, words", [
    ("cc", {}, ["step03", "counters"], ["CC=cc not found", "install gcc", "CC=/path/to/gcc"]),
    ("g++", {}, ["step03", "counters"], ["CXX=g++ not found", "install g++", "CXX=/path/to/g++"]),
    ("", {"uname": "echo Darwin"}, ["step03"], ["needs Linux, not Darwin", "WSL2", "container"]),
    ("", GPU_NOT_KNOWN, ["BACKEND=cuda|step03"], [f"{NOT_KNOWN} this GPU, {OTHER_NVCC}"]),
    ("", GPU_NOT_KNOWN, ["ARCH=sm_70|step03"], [f"{NOT_KNOWN} {OTHER_NVCC}"]),
    ("", {"nvidia_smi": "exit 9"}, ["bench"] + ["bench-" + name for name in (
        "multi-gpu", "write-up-0", "float-order", "trust", "tuning", "ideas", "in-flight", "shapes",
        "nsight")], [NO_GPU])])
def test_what_is_missing(tree, tmp_path, missing, scripts, goals, words):
    """Said before anything is built."""
    env = tools(tmp_path / "bin", *{*NEEDED, "awk", "dirname", "sh"} - {missing}, **scripts)
    for goal in goals:
        done = make("-s", f"PYTHON={sys.executable}", *goal.split("|"), cwd=tree, env=env)
        told, *by_make = done.stderr.splitlines()
        assert (done.returncode, done.stdout) == (2, "") and len(by_make) <= 1
        assert all(word in told for word in words), told
    assert not (tree / "build").exists()


# ---- compilers ----

@pytest.mark.parametrize("target", ["step03", "mark-01", "test", "simt"])
@pytest.mark.parametrize("variable, compiler, says, why", [
    ("CXX", "clang++", "Debian clang version 14.0.6",
     "is clang, which leaves out accesses that matter: want g++"),
    ("CXX", "g++-10", "gcc version 10.2.1 20210110 (Debian 10.2.1-6)",
     "is g++ 10.2.1; want 11 or newer"),
    ("CXX", "true", "", "is no g++"),
    ("CC", "true", "", "is no C compiler; want one, such as CC=gcc")])
def test_a_compiler_that_will_not_do(tree, tmp_path, target, variable, compiler, says, why):
    """It is told in one line before anything is compiled: what another one has built is no
    result."""
    for room in ("exercises", "tests"):
        (tree / room).symlink_to(ROOT / room)
    script(tmp_path / compiler, f"echo '{says}' >&2")
    done = make("-s", "BACKEND=cpu", f"{variable}={tmp_path / compiler}", target, cwd=tree)
    assert_refused(done, 2, why)
    assert not [*(tree / "build").rglob("*.o")]


@pytest.mark.skipif(not shutil.which("clang"), reason="no clang here")
def test_clang_for_c(tree):
    done = make("-s", "BACKEND=cpu", "CC=clang", "step03", cwd=tree)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_another_compiler_builds_anew(tree, tmp_path):
    """What an old one has built is not what was asked for."""
    for name in 2 * ["gcc-a"] + 2 * ["gcc-b"]:
        log = tmp_path / f"{name}.log"
        again = log.exists()
        log.write_text("")
        script(tmp_path / name, f'echo >>{log}\nexec gcc "$@"')
        done = make("-s", "BACKEND=cpu", f"CC={tmp_path / name}",
                    "build/cpu-int-256-sum/common/check.o", cwd=tree)
        assert (done.returncode, done.stderr) == (0, "")
        assert (log.read_text() == "") == again


@pytest.mark.parametrize("target", ["counters", "sanitize", "plots/data/counters.csv"])
def test_a_build_that_fails_ends_the_target(tree, tmp_path, target):
    """What runs the programs is not started without them, and the failure is not forgotten."""
    script(tmp_path / "cc", '[ "$2" = -E ] && exec cc "$@"')
    done = make("-s", "-j1", f"CC={tmp_path}/cc", target, cwd=tree)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 2, done.stderr  # of the two makes


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
    assert read_terminal(terminal, end).endswith("compiling step03 …\r\n")
    check([], "int (4 KiB), blocks of 256", said=True)


# ---- names ----

@pytest.mark.parametrize("goal", ["plots", "plot-02-03"])
def test_values_are_handed_on(tree, tmp_path, goal):
    """They reach the program as they were typed; in make's own words a $ is doubled."""
    python = script(tmp_path / "python", f'[ "$1" = -c ] || printf "%s\\0" "$@" >{tmp_path}/words')
    for variable in "DATA", "TYPE":
        for value in "a;touch X;$$(touch X)`touch X`", "o'brien's größe;touch X", "two words", "%":
            done = make("-s", goal, f"PYTHON={python}", f"{variable}={value}", cwd=tree)
            assert (done.returncode, done.stderr) == (0, "")
            words = (tmp_path / "words").read_text().split("\0")
            assert f"--{variable.lower()}={value.replace('$$', '$')}" in words
    assert {path.name for path in tree.iterdir()} == CLONED


# ---- the tables of run, counters and sanitize ----

def printing(file, *lines, status=0):
    return script(file, "".join(f"echo '{line}'\n" for line in lines) + f"exit {status}")


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


def test_run_prints_one_table(tmp_path):
    """Of the ladder's programs; here with fewer elements than they take of themselves."""
    folder = build()
    done = make("-n", "BACKEND=cpu", "run")
    assert done.stdout.splitlines()[-1] == " ".join(
        ["make/run.sh", *(f"{folder.relative_to(ROOT)}/step{step}" for step in STEPS)])
    done = run(ROOT / "make/run.sh", *(
        script(tmp_path / f"step{step}", f'exec "{folder}/step{step}" -n 5000 "$@"')
        for step in STEPS))
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines() if line[:2] in STEPS]
    assert rows == [[step, path.parent.name[3:], "1024" if step == "00" else "256",
                     str(expected_sum("int", 5000)), "verified"] for step, path in STEPS.items()]


def test_run_on_a_gpu(tmp_path, decimal_comma):
    """The widest figures that a GPU is likely to give, in 80 columns."""
    programs = [printing(tmp_path / f"step{about[:2]}", CSV_HEADER, (
        f"{about},1073741824,100,cold,{figures},-2139353471,-2139353471,yes"))
        for about, figures in (
            ("00,naive,,cuda,NVIDIA H200,int,1024", "1542.912345,1542.9,1543.0,2.784,0.058"),
            ("03,sequential-addressing,,cuda,NVIDIA H200,int,256", "0.083521,0.083,0.084,803.498,"),
            ("07,warp-shuffle,,cuda,NVIDIA H200,int,256", "0.020000,0.019,0.021,3355.443,95.236"))]
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
    programs = [printing(tmp_path / "step08", CSV_HEADER, row_of("08")),
                printing(tmp_path / "step09", *[CSV_HEADER, row][:2 if row else 0], status=status),
                printing(tmp_path / "step10", CSV_HEADER, row_of("10"))]
    done = run(ROOT / "make/run.sh", *programs)
    assert (done.returncode, done.stderr) == (status or 1, why + "make run: step09 failed\n")
    assert [line[:2] for line in done.stdout.splitlines()] == ["CP", "st", "08"]


def test_counters_of_the_readme(tmp_path):
    """Of programs that say what the committed file has of them."""
    lines = [line for line in (ROOT / "plots/data/counters.csv").read_text().splitlines()
             if line[0] != "#"]
    rows = {}
    for line in lines[1:]:
        step, *_, path = line.split(",")[:5]
        rows.setdefault(f"step{step}" if step else path.split("/")[-2], []).append(line)
    programs = [script(tmp_path / name, "\n".join(
        ['[ "$*" = --counters=csv ] && cat <<end', lines[0], *rows[name], "end"])) for name in rows]
    done = run(ROOT / "make/counters.sh", *programs)
    assert (done.returncode, done.stderr) == (0, "")
    steps, *_, detours = done.stdout[done.stdout.index("step  "):].split("\n\n")
    assert f"```\n{steps}\n```" in (ROOT / "README.md").read_text(), (
        "README.md, Why, shows what make -s counters prints first")
    assert [row.split()[0] for row in detours.splitlines()[2:]] == [
        name for name in sorted(path.parent.name for path in ROOT.glob("detours/*/main.cu"))
        if name not in NEEDS_GPU]


def test_golden_counters(tmp_path, decimal_comma):
    """As many side by side as fit into 80 columns, wherever the columns stand in the CSV; a detour
    below."""
    header = "requests,op,space,launch,sectors,lanes,wavefronts,bank_conflicts"
    programs = [printing(tmp_path / f"step{step:02}", header, *(
        f"1{step:02},load,global,{launch},9,9,," for launch in (1, 2))) for step in range(9)]
    programs.append(printing(tmp_path / "fast", header, "7,atomic,global,3,7,7,,",
                             "5,load,shared,3,,9,12345678,7", "3,shuffle,sync,3,,6,,",
                             "2,syncthreads,sync,3,,6,,", "4,branch,control,3,,3,,"))
    done = run(ROOT / "make/counters.sh", *programs, env=decimal_comma)
    assert (done.returncode, done.stderr) == (0, "")
    golden("counters.txt", done.stdout)


def test_counters_stop_at_a_failure():
    build()
    done = make("-s", "counters", env={"SIMT_CHECKS": "maybe"})
    assert done.returncode == 2 and "simt: SIMT_CHECKS=maybe" in done.stderr
    assert "make counters: step00 failed\n" in done.stderr


def test_sanitize():
    done = run(ROOT / "make/sanitize.sh", "cpu", build() / "step03")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{'step03':23} no findings at 6 sizes in 3 orders (CPU backend)\n"


@pytest.mark.parametrize("status", [1, 3, 4, 5])
def test_sanitize_stops_behind_a_program_that_failed(tmp_path, status):
    """Whatever it failed of; and says of none that there were no findings in it. Sizes are around a
    warp, a block and several, nothing that is round; each in the usual order and in others."""
    programs = [script(tmp_path / "good", f'echo "run $*" >>{tmp_path}/log'),
                printing(tmp_path / "bad", "what was found", status=status),
                printing(tmp_path / "later", "row")]
    done = run(ROOT / "make/sanitize.sh", "cpu", *programs)
    assert (done.returncode, done.stderr) == (4, "")
    assert done.stdout.splitlines() == [
        f"{'good':23} no findings at 6 sizes in 3 orders (CPU backend)",
        f"{'bad -n 1, order 0':60} FAILED", "what was found"]
    assert (tmp_path / "log").read_text().splitlines() == [
        f"run -n {n} --order {order} --csv" for n in (1, 33, 257, 4097, 65537, 100003)
        for order in range(3)]


def test_sanitize_on_a_gpu(tmp_path):
    """Each of compute-sanitizer's tools, and its verdict."""
    # it tells what it found by the status that it is asked to have then
    env = tools(tmp_path / "bin", "bash", "basename", compute_sanitizer=(
        '[ "$2" != "$BAD" ] || [ "$3" != --error-exitcode ] || exit $4'))
    program = printing(tmp_path / "step03", "row")
    done = run(ROOT / "make/sanitize.sh", "cuda", program, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ("step03 memcheck, racecheck, synccheck, initcheck "
                                   "done (GPU)").split()
    done = run(ROOT / "make/sanitize.sh", "cuda", program, env=env | {"BAD": "synccheck"})
    assert (done.returncode, done.stdout) == (4, f"{'step03, synccheck':60} FAILED\n\n")
    os.remove(tmp_path / "bin/compute-sanitizer")
    done = run(ROOT / "make/sanitize.sh", "cuda", program, env=env)
    assert_refused(done, 3, "make sanitize: no compute-sanitizer in PATH", "CUDA toolkit")


def test_registers(tmp_path):
    """Of each kernel of a program, but for the harness's."""
    needs("c++filt")
    env = tools(tmp_path / "bin", "awk", "bash", "c++filt", cuobjdump="".join(
        f"echo ' Function {name}:'; echo '  REG:{count} STACK:0 SHARED:2048 LOCAL:0';"
        for name, count in (("_Z12reduce_blockPKiPim", 12), ("_Z4spinx", 8))))
    done = run(ROOT / "make/registers.sh", "build/step03", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == [
        f"{'step03':23} {12:9} {2048:6}  reduce_block(int const*, int*, unsigned long)"]
    os.remove(tmp_path / "bin/cuobjdump")
    done = run(ROOT / "make/registers.sh", "build/step03", env=env)
    assert_refused(done, 3, "make registers: no cuobjdump in PATH", "CUDA toolkit")


def test_half_of_a_file_is_removed(tree, tmp_path):
    """A script that fails after its first rows leaves no file."""
    (tree / "bench/variants.py").write_text("COLUMNS = 'a,b'\n\ndef Variants(*_):\n    exit(3)\n")
    env = tools(tmp_path / "bin", *NEEDED, "dirname", nvidia_smi="echo 580.1")
    done = make("-s", "BACKEND=cpu", f"PYTHON={sys.executable}", "bench-tuning", cwd=tree, env=env)
    assert (done.returncode, done.stdout) == (2, "")
    assert not (tree / "build/bench").exists()


def test_roots_that_cannot_be_made():
    """Whoever calls it, such a suite is none."""
    assert_refused(run(ROOT / "tests/roots.sh", "woody"), 2, "make test-roots: ")

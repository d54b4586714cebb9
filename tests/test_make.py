"""The Makefile: what it builds and why, bad variables, and the targets that need no compiler."""

import os
import re
import shutil

import pytest

from harness import (CSV_HEADER, MAKE, NEEDS_GPU, ROOT, STEPS, a_terminal, assert_refused, build,
                      expected_sum, golden, make, needs, read_terminal, run)


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

SIZES = "want one of 32 64 128 256 512 1024"
NO_TARGET = "make: no target '{}'; make help lists the targets"
NO_PYTHON = "make {}: none not found: install Python 3, or say PYTHON=/path/to/it"
REFUSED = [  # what is typed, and a part of the line that comes; status 2, and nothing is built
    *((f"BLOCK={block}|{goal}", f"*** BLOCK={block}: {SIZES}")
      for block in ("100", "2048", "32 64", "") for goal in ("step03", "all", "run")),
    ("BLOCK=256;touch X|BACKEND=cpu|step03", f"BLOCK=256;touch X: {SIZES}"),
    ("TYPE=foo|step03", "*** TYPE=foo: want one of int float double"),
    ("TYPE=int float|all", "*** TYPE=int float: want one of int float double"),
    ("TYPE=%|BACKEND=cpu|step03", "TYPE=%: want one of int float double"),
    ("BACKEND=gpu|run", "*** BACKEND=gpu: want one of auto cuda cpu"),
    ("BACKEND=%|step03", "BACKEND=%: want one of auto cuda cpu"),
    ("OP=foo|step03", "*** OP=foo: want sum"),
    ("BACKEND=cuda|NVCC=/nonexistent|step03", "/nonexistent not found. Install the CUDA "
     "toolkit, say NVCC=/path/to/nvcc"),
    ("CC=no-cc;touch X|BACKEND=cpu|step03", "CC=no-cc;touch X not found"),
    ("CXX=no-g++;touch X|BACKEND=cpu|step03", "CXX=no-g++;touch X not found"),
    *((name, NO_TARGET.format(name))
      for name in ("step3", f"step{len(STEPS):02}", "diff", "steps")),
    # what a target would ignore: it shows one configuration
    ("lab|TYPE=float", "lab: TYPE=float: want int, or nothing"),
    ("lab|BLOCK=64", "lab: BLOCK=64: want 256, or nothing"),
    ("access|BLOCK=256", "access: BLOCK=256: want 64, or nothing"),
    ("counters|NVCC=true|BACKEND=cuda", "counters: BACKEND=cuda: want cpu, or nothing"),
    ("plots/data/counters.csv|TYPE=double", "counters.csv: TYPE=double: want int, or nothing"),
    ("plots/data/counters.csv|BLOCK=512", "counters.csv: BLOCK=512: want 256, or nothing"),
    ("access|PYTHON=none", NO_PYTHON.format("access")),
    ("lab|PYTHON=none", NO_PYTHON.format("lab")),
    ("profile-99", "profile-99: no step or detour '99'; want one of 00 01"),
    ("profile-multi-gpu", "profile-multi-gpu: Nsight Compute runs a kernel several times"),
]


@pytest.mark.parametrize("words, why", REFUSED)
def test_refused(tree, words, why):
    """In one line, of make in the form that editors know, or of who knows it; then make's own."""
    done = make("-s", *words.split("|"), cwd=tree)
    assert (done.returncode, done.stdout) == (2, "")
    told, *by_make = done.stderr.splitlines()
    assert why in told and len(by_make) <= 1, done.stderr
    assert {path.name for path in tree.iterdir()} <= {"Makefile", "bench", "common", "make", "simt",
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
    assert read_terminal(terminal, end).endswith("compiling step03 …\r\n")
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


def of_committed(tmp_path, file):
    """Programs that say what a file of counters has of them."""
    lines = [line for line in file.read_text().splitlines() if line[0] != "#"]
    names = {}
    for line in lines[1:]:
        step, *_, path = line.split(",")[:5]
        names.setdefault(f"step{step}" if step else path.split("/")[-2], []).append(line)
    for name in names:
        (tmp_path / name).write_text("\n".join([
            '#!/bin/sh\n[ "$*" = --counters=csv ] && cat <<end', lines[0], *names[name], "end\n"]))
        (tmp_path / name).chmod(0o755)
    return [tmp_path / name for name in names]


def test_golden_counters(tmp_path):
    """One column a step; the detours, of which one is made up, below."""
    programs = of_committed(tmp_path, ROOT / "tests/data/counters_small.csv")
    programs.append(tmp_path / "a-detour")
    programs[-1].write_text((tmp_path / "step02").read_text().replace("\n02,", "\n,"))
    programs[-1].chmod(0o755)
    done = run(ROOT / "make/counters.sh", *programs)
    assert (done.returncode, done.stderr) == (0, "")
    golden("counters.txt", done.stdout)


def test_counters_of_the_readme(tmp_path):
    done = run(ROOT / "make/counters.sh", *of_committed(tmp_path, ROOT / "plots/data/counters.csv"))
    steps, *_, detours = done.stdout[done.stdout.index("step  "):].split("\n\n")
    assert f"```\n{steps}\n```" in (ROOT / "README.md").read_text(), (
        "README.md, Why, shows what make -s counters prints first")
    assert [row.split()[0] for row in detours.splitlines()[2:]] == [
        name for name in sorted(path.parent.name for path in ROOT.glob("detours/*/main.cu"))
        if name not in NEEDS_GPU]


def printing_program(file, *lines, status=0):
    text = "".join(f"echo '{line}'\n" for line in lines)
    file.write_text(f"#!/bin/sh\n{text}exit {status}\n")
    file.chmod(0o755)
    return file


@pytest.mark.parametrize("count", [1, 9, 17])
def test_golden_counters_of_steps(tmp_path, count):
    """As many side by side as fit into 80 columns, wherever the columns stand in the CSV."""
    header = "requests,op,space,launch,sectors,lanes,wavefronts,bank_conflicts"
    programs = [printing_program(tmp_path / f"step{step:02}", header, *(
        f"1{step:02},load,global,{launch},9,9,," for launch in (1, 2))) for step in range(count)]
    programs.append(printing_program(tmp_path / "fast", header, "7,atomic,global,3,7,7,,"))
    done = run(ROOT / "make/counters.sh", *programs)
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    golden(f"counters-{count}.txt", done.stdout)


def test_counters_of_double(decimal_comma, tmp_path):
    folder, steps = build(type="double"), ["00", "02", "07"]
    done = run(ROOT / "make/counters.sh",
               *(with_fewer(tmp_path, folder / f"step{step}", 2**16) for step in steps),
               env=decimal_comma | {"SIMT_CHECKS": "off"})
    table = {line[:23].strip(): line[23:].split() for line in done.stdout.splitlines()}
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

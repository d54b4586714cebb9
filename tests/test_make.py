"""The Makefile: what it builds, with which compiler and why, and the tables that make run and
counters print. (test_refusals.py: what it refuses.)"""

import os
import re
import shutil
import signal

import pytest

from harness import (COUNTERS_HEADER, CSV_HEADER, DETOURS, MAKE, NEEDS_GPU, ROOT, STEPS, assert_refused,
                     build, interrupted, make, on_a_terminal, replay, run, said, script, shell, tools,
                     transcript)
from test_refusals import NEEDED, pretended

CLONED = {"Makefile", "common", "exercises", "make", "plots", "simt", "steps"}


def test_no_compiler_needed(tree, tmp_path):
    env = tools(tmp_path / "bin", "awk", "rm")
    lines = said(make("help", cwd=tree, env=env)).splitlines()
    assert max(map(len, lines)) <= 80
    told = {line[2:26].strip() for line in lines if line.startswith("  ")}
    targets = " ".join(re.findall(r"^([a-z][a-z0-9 /.-]*):(?! \w+ :=)", (ROOT / "Makefile").read_text(),
                                  re.M)).split()
    assert len(targets) > 20 and {*targets} - {"help"} <= told
    assert {f"step00 to step{max(STEPS)}", "plot-02-03", "BACKEND=auto,cuda,cpu", "V=1"} < told
    (tree / "build/x").mkdir(parents=True)
    (tree / "step03").symlink_to("build/x")
    assert make("clean", cwd=tree, env=env).returncode == 0
    assert {path.name for path in tree.iterdir()} == CLONED


def test_golden_dry_runs():
    replay("make-dry.txt", shell(ROOT))


def test_tests_that_are_interrupted(tmp_path):
    """Nothing that they have started runs on, such as a make."""
    env = tools(tmp_path / "bin", "bash", "dirname", "nproc", "sh", "sleep", make="true",
                python=f'[ "$1" = -c ] || sh -c "echo \\$\\$ >{tmp_path}/pid; exec sleep 1000"; exit')
    done = interrupted(signal.SIGTERM, tmp_path / "pid", ROOT / "tests/run.sh", "test", "python", env=env)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


# ---- which backend ----

def test_golden_backend(tree, tmp_path):
    """make names the backend, except with -s, and compiles for it; the scripts stand beside a compiler. A
    blank at the end is no part of a value."""
    def call(typed):
        scripts, variables = pretended(typed)
        env = tools(tmp_path / "bin", *NEEDED, **scripts)
        first, *lines = said(make("-n", *variables, "TYPE=float ", "BLOCK=64 ", "step03", cwd=tree,
                                  env=env)).splitlines()
        assert "backend:" not in said(make("-s", "-n", *variables, "step03", cwd=tree, env=env))
        shutil.rmtree(tmp_path / "bin")
        compiled = next(line for line in lines if "steps/03-" in line)
        assert first.endswith("; float; blocks of 64")
        return "; ".join([first[:-22], *re.findall(
            r"^nvcc .*-arch=\S+|simt/simtcc|\S*/step03$", compiled)]) + "\n"

    replay("backends.csv", call)


# ---- compilers ----

@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("clang"), reason="no clang here")
def test_clang_for_c(tree):
    assert said(make("-s", "BACKEND=cpu", "CC=clang", "step03", cwd=tree)) == ""


def test_another_compiler_builds_anew(tree, tmp_path):
    """Objects of the old compiler are not used."""
    for name in 2 * ["gcc-a"] + 2 * ["gcc-b"]:
        log = tmp_path / f"{name}.log"
        again = log.exists()
        log.write_text("")
        script(tmp_path / name, f'echo >>{log}\nexec gcc "$@"')
        said(make("-s", "BACKEND=cpu", f"CC={tmp_path / name}",
                  "build/cpu-int-256-sum/common/input.o", cwd=tree))
        assert (log.read_text() == "") == again


def test_what_is_compiled_is_counted(tree, tmp_path):
    """On a terminal the count stands on a line that is written anew; elsewhere the line stands once, and with -s
    not at all. Files that are built again are not counted. SIGPIPE may be ignored, as Python does."""
    cc = script(tmp_path / "cc", """[ "$2" = -E ] && exec gcc "$@"
case $* in *' - '*) cat >/dev/null ;; esac # it reads what it is given
while [ "$1" != -o ]; do shift; done; cp /bin/true $2""")
    files = len(said(make("-s", "-C", tree, "BACKEND=cpu", "--eval=list: ; @echo $(SIMT_OBJECTS)", "list")).split()) + 2
    asked = "-C", tree, "-j1", "BACKEND=cpu", f"CC={cc}", "simt"
    told = on_a_terminal(80, MAKE, "-s", *asked, stream="stderr")
    counted = [f"compiling the CPU backend (once): {i} of {files}" for i in range(1, files + 1)]
    assert told == "\r".join(counted) + "\n"
    for again, line in ((), "compiling the CPU backend (once) …\n"), (("-s",), ""):
        (tree / "simt/simt.mk").touch()
        done = run("bash", "-c", "trap '' PIPE; exec \"$@\"", "_", MAKE, *again, *asked)
        assert (done.returncode, done.stderr) == (0, line)


def test_a_folder_that_cannot_be_written(tree):
    """One line says so, whatever make would do first; root is an ordinary user here."""
    user = [] if os.geteuid() else ["setpriv", "--bounding-set=-dac_override"]
    if user and run(*user, "true").returncode:
        pytest.skip("root cannot give up its power here")
    shutil.rmtree(tree / "build", ignore_errors=True)
    tree.chmod(0o555)
    try:
        done = run(*user, MAKE, "-s", "-C", tree, "BACKEND=cpu", "step03")
        toolkit = run(*user, tree / "make/toolkit.sh")
    finally:
        tree.chmod(0o755)
    assert (done.returncode, done.stdout) == (2, "") and re.fullmatch(
        r"simt/simt.mk:\d+: \*\*\* build/ cannot be written here: want a copy of this folder that is "
        r"yours\.  Stop\.\n", done.stderr), done.stderr
    assert toolkit.returncode == 2 and toolkit.stderr.endswith("make toolkit: build/ cannot be written here\n")


# ---- names ----

def test_golden_values(tree):
    """They reach the program as they were typed; in make's own words a $ is doubled."""
    script(tree / "python", """[ "$1" = -c ] && exit
for word; do case $word in --[dt]*) echo "$word"; esac; done""")
    replay("make-values.txt", shell(tree))
    assert {path.name for path in tree.iterdir()} == CLONED | {"python"}


# ---- the tables of run and counters ----

def tables(name, *programs, **options):
    return run(ROOT / "make/programs.sh", name, *programs, **options)


def counters(folder, *programs, **options):
    """As make counters does it."""
    done = tables("counters", folder / "counters.csv", *programs, **options)
    return done if done.returncode else tables("table", folder / "counters.csv", cwd=ROOT, **options)


def printing(file, *lines, status=0):
    return script(file, "".join(f"echo '{line}'\n" for line in lines) + f"exit {status}")


@pytest.fixture(scope="session")
def decimal_comma(tmp_path_factory):
    """The environment of a user whose locale writes 0,5, where localedef can make one."""
    folder = tmp_path_factory.mktemp("locale")
    (folder / "source").write_text(
        'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3\nEND LC_NUMERIC\n')
    env = {"LOCPATH": str(folder), "LC_ALL": "de_DE"}
    run("bash", "-c", "localedef -c -i source -f ANSI_X3.4-1968 ./de_DE", cwd=folder)
    return env if run("bash", "-c", "true", env=env).stderr == "" else {}


GPU_ROWS = [f"{about},1073741824,100,cold,{figures},-2139353471,-2139353471,yes"
            for about, figures in (
    ("00,naive,,cuda,NVIDIA H200,int,1024", "1542.912345,1542.9,1543.0,2.784,,0.058"),
    ("03,sequential-addressing,,cuda,NVIDIA H200,int,256", "0.083521,0.083,0.084,803.498,,"),
    ("07,warp-shuffle,,cuda,NVIDIA H200,int,256", "0.020000,0.019,0.021,3355.443,,95.236"))]
CPU_ROWS = ["08,good,,cpu,CPU backend,int,256,9,0,cold,,,,,,,7,7,yes",
            "10,good,,cpu,CPU backend,int,256,9,0,cold,,,,,,,7,7,yes"]


def test_golden_run(tmp_path, decimal_comma):
    """The widest figures that a GPU is likely to give, in 80 columns. It stops at a program that
    fails, with its status; what was not measured is no row."""
    def table(*programs):
        files = [printing(tmp_path / f"step{row[:2]}", CSV_HEADER, row) if isinstance(row, str) else
                 printing(tmp_path / "step09", *row[1:], status=row[0]) for row in programs]
        return tables("run", *files, env=decimal_comma)

    first, last = CPU_ROWS
    transcript("run.txt", [
        ("make -n run", re.search("make/programs.*\n", said(make("-n", "BACKEND=cpu", "run")))[0]),
        ("on a GPU", table(*GPU_ROWS)), ("a program fails", table(first, (4,), last))])


def test_counters_of_the_readme():
    """README.md, Why, shows what make -s counters prints first."""
    steps, detours = said(tables("table", "plots/data/counters.csv", cwd=ROOT)).split("\n\n")
    assert f"```\n{steps}\n```" in (ROOT / "README.md").read_text()
    assert [row.split()[0] for row in detours.splitlines()[2:]] == [
        name for name in sorted(DETOURS) if name not in NEEDS_GPU]


def test_golden_counters(tmp_path, decimal_comma):
    """As many side by side as fit into 80 columns; a detour below. Conflicts are of loads and
    stores."""
    def counting(name, step, *rows):
        lines = (f"{step},{launch},4,256,x/{name}/main.cu,9,{space},{op},{figures}"
                 for launch, space, op, figures in map(str.split, rows))
        return script(tmp_path / name, "\n".join(['[ "$*" = "-n 2^20 --counters=csv" ] && cat <<end',
                                                  COUNTERS_HEADER, *lines, "end"]))

    programs = [counting(f"step{step:02}", f"{step:02}", f"1 global load 1{step:02},9,9,,",
                         f"2 global load 1{step:02},9,9,,", "2 shared atomic 5,5,,5,5")
                for step in range(9)]
    programs.append(counting("fast", "", "3 global atomic 7,7,7,,", "3 shared load 5,9,,12345678,7",
                             "3 shared store 2,2,,22,20", "3 sync shuffle 3,6,,,",
                             "3 sync syncthreads 2,6,,,", "3 control branch 4,3,,,"))
    failing = counters(tmp_path, printing(tmp_path / "step42", "no luck", status=3), *programs)
    assert not (tmp_path / "counters.csv").exists()
    done = counters(tmp_path, *programs, env=decimal_comma)
    done.stdout = re.sub(r"(step +08\n)(?:.+\n)+", r"\1…\n", done.stdout)
    transcript("counters.txt", [("make counters", done), ("a program fails", failing)])


def test_roots_that_cannot_be_made():
    """A suite of that name does not exist."""
    assert_refused(run(ROOT / "tests/roots.sh", "woody"), 2, "make test-roots: ")

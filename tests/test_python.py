"""What a student types needs no Python (the first build: test_readme.py; exercises and programs of one's
own: test_class.py). For all else simt/python.sh finds one that has the packages, or sets one up; and
make toolkit brings a compiler. (Its wheels were tried by hand: 350 MB.) How the programs in Python end:
Ctrl-C and an output that cannot be written are told in no more than a line."""

import re
import shutil
import signal
import sys

import pytest

from harness import ROOT, build, make, on_a_terminal, replay, run, said, script, shell


@pytest.mark.parametrize("words, shown", [
    (["diff-02-03"], "lines of code: 4 removed, 3 added"), (["counters", "STEPS=02 03"], "bank conflicts"),
    (["run"], "verified"), (["help"], "diff-02-03"), (["exercises"], "remove the bank conflict")])
def test_looking(no_python, words, shown):
    build()
    assert shown in said(make("-s", *words, env={"PATH": no_python, "SIMT_CHECKS": "off"}))


def test_profile(no_python):
    """It says that there is no GPU, and which command has the same figures without one."""
    done = make("-s", "profile-03", env={"PATH": no_python})
    assert done.returncode == 2 and "make profile: no GPU here; make counters has" in done.stderr


def test_golden_calls(tree):
    """The Python at hand, or one that was set up for modules which that lacks; anew when other
    versions are wanted. Where there is no way to get them: one line that says what to do."""
    shutil.copy(ROOT / "requirements.txt", tree)
    script(tree / "python", """case "$1" in
-V) echo Python 3.99 ;;
-m)
    [ "$VENV" ] || exit 1
    mkdir -p "$3/bin" && echo "$VENV; exit 1" >"$3/bin/pip" && chmod +x "$3/bin/pip" ;;
*) exec "$REAL" "$@" ;;
esac""")
    replay("python.txt", shell(tree, REAL=sys.executable), tree=tree)


# ---- NVIDIA's compiler, with a pretended driver and a pretended pip ----

@pytest.fixture
def toolkit(tree, tmp_path):
    """Calls it on a machine with this driver and GPU, whose pip does what pip says."""
    def call(driver="", capability="", pip="exit 1"):
        script(tmp_path / "bin/nvidia-smi", f"case $1 in *driver*) echo {driver} ;; "
               f"*compute*) echo {capability} ;; esac" if driver else "exit 9")
        python = script(tmp_path / "python", f'[ "$1" = -c ] && exit 0\n{pip}', "bash")
        return run(tree / "make/toolkit.sh", python, env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin"})
    return call


@pytest.mark.parametrize("driver, capability, wants", [
    ("575.51.03", "9.0", "driver 580 or newer, here is 575.51.03"),
    ("580.159.04", "7.0", "7.5 and later, this GPU has 7.0"),
    ("580.159.04", "12.0", "pip cannot install"), ("", "", "pip cannot install")])
def test_refused(toolkit, tree, driver, capability, wants):
    done = toolkit(driver, capability)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith("make toolkit: ")
    assert wants in done.stderr
    assert not list((tree / "build").glob("cuda*/")) if (tree / "build").exists() else True


def test_found_by_make(no_python, toolkit, tree):
    """make compiles with the installed toolkit where no other nvcc is, and says so."""
    brings = """while [ "$1" != --target ]; do shift; done
mkdir -p "$2/nvidia/cu13/bin"
printf '#!/bin/sh\\necho "Cuda, release 13.5, V13.5.37"; echo end\\n' >"$2/nvidia/cu13/bin/nvcc"
chmod +x "$2/nvidia/cu13/bin/nvcc" """
    assert "release 13.5" in toolkit("580.1", "9.0", brings).stdout
    assert said(toolkit("580.1", "9.0", "exit 1")) == "build/cuda is there already\n"
    done = make("-n", "step03", "BACKEND=cuda", "ARCH=sm_90", cwd=tree, env={"PATH": no_python})
    assert "backend: cuda (as asked for); build/cuda/nvidia/cu13/bin/nvcc 13.5.37, sm_90" in done.stdout


# ---- how programs in Python end ----

# A module that is interrupted while it is imported; one in C turns that into another error
INTERRUPT = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
IN_C = f"""
try:
    exec({INTERRUPT!r})
except KeyboardInterrupt:
    raise ImportError("initialization failed")
"""


@pytest.mark.parametrize("module, text", [("fnmatch", INTERRUPT), ("matplotlib", IN_C)])
def test_interrupted(tmp_path, module, text):
    (tmp_path / f"{module}.py").write_text(text)
    done = run(sys.executable, "-m", "plots.draw", "--data=plots/data/h200.csv",
               "--out=build/no-folder", cwd=ROOT, env={"PYTHONPATH": f"{tmp_path}:{ROOT}"})
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
    assert not (ROOT / "build/no-folder").exists()


def test_all_begin_and_end_so():
    """plots.read.entry is imported before all else, and runs the program."""
    rooms = "plots", "plots/page", "plots/measure", "exercises/teach"
    texts = {path: path.read_text() for room in rooms for path in ROOT.glob(f"{room}/*.py")}
    programs = {path: text for path, text in texts.items() if "__main__" in text}
    assert len(programs) > 6
    for path, text in programs.items():
        begin = text.split('"""')[2]
        assert begin.startswith("\n\nfrom plots.read import entry  # before all"), path
        assert re.search(r'__main__":\n    (entry\.run|(mark_all\.)?call)\(', text), path


def test_golden_nobody_gets_the_output():
    """No room, no output, and a pager that was left: statuses, and what is told."""
    replay("no-output.txt", shell(ROOT, PYTHON=sys.executable, PYTHONUNBUFFERED=""))


def test_progress():
    """On a terminal, on a line that is written anew; elsewhere nothing."""
    call = (sys.executable, "-c", "from plots.read import entry\n"
            "for i in 1, 2: entry.progress('marking', i, 2)")
    env = {"PYTHONPATH": str(ROOT)}
    told = on_a_terminal(80, *call, stream="stderr", env=env)
    assert told == "marking: 1 of 2 \rmarking: 2 of 2 \n"
    assert said(run(*call, env=env)) == ""

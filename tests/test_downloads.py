"""What a student types needs no Python (the first build: test_readme.py; exercises and programs of one's
own: test_class.py). For all else simt/python.sh finds one that has the packages, or sets one up; and
make toolkit brings a compiler. (Its wheels were tried by hand: 350 MB.)"""

import shutil
import sys

import pytest

from harness import ROOT, build, make, replay, run, said, script, shell


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

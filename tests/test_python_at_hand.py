"""make/python.sh: a Python that has the packages, which is the one at hand, or one set up once."""

import os
import shutil
import signal
import sys

import pytest

from harness import ROOT, interrupted, run, said, script

SETTING_UP = "make plots: setting up build/venv (once)\n"


@pytest.fixture
def python(tree):
    """python(text) makes a Python of a shell script, and returns its path."""
    shutil.copy(ROOT / "requirements.txt", tree)
    return lambda text: script(tree / "python", text)


def test_at_hand():
    assert said(run(ROOT / "make/python.sh", "plots", sys.executable, "matplotlib")) == (
        sys.executable + "\n")


def test_that_was_set_up(tree, python):
    """For modules that the one at hand lacks; anew when other versions are wanted."""
    at_hand = python(f'[ "$1" = -c ] && exec "{sys.executable}" "$@"\nexit 1')
    ready, wanted = tree / "build/venv/ready", tree / "requirements.txt"
    ready.parent.mkdir(parents=True)
    ready.write_text("")
    for age, modules, status, out in (
            (-10**9, ["csv", "json"], 0, f"{tree}/python\n"),
            (-10**9, ["csv", "no_such_module"], 0, "build/venv/bin/python\n"),
            (10**9, ["csv", "no_such_module"], 2, "")):
        os.utime(wanted, ns=(0, ready.stat().st_mtime_ns + age))
        done = run(tree / "make/python.sh", "plots", at_hand, *modules)
        assert (done.returncode, done.stdout) == (status, out)
        assert done.stderr.startswith(SETTING_UP) if status else done.stderr == ""


# A venv whose pip says something, and fails
PIP = 'mkdir -p "$3/bin"; echo "{}; exit 1" >"$3/bin/pip"; chmod +x "$3/bin/pip"'


@pytest.mark.parametrize("venv, why", [
    (None, "make plots: none not found: install Python 3, or say PYTHON=/path/to/it"),
    ("exit 1", "-m venv' failed: install Python's venv module"),
    (PIP.format("echo ERROR: none; echo ERROR: no wheel"),
     "which is for Python 3.9 to 3.14, for Python 3.99: no wheel (build/venv/pip.log"),
    (PIP.format("echo WARNING: Retrying after connection broken; echo ERROR: no wheel"),
     "for Python 3.99: no package index can be reached: is there a network? (build/venv/pip.log"),
])
def test_none(tree, python, venv, why):
    """A Python without the packages, and no way to get them: one line that says what to do."""
    path = python('[ "$1" != -V ] || { echo Python 3.99; exit; }\n'
                  f'[ "$1" = -m ] || exit 1\n{venv}') if venv else "none"
    done = run(tree / "make/python.sh", "plots", path, "matplotlib")
    assert done.returncode == 2 and done.stdout == ""
    told = done.stderr.removeprefix(SETTING_UP if venv else "")
    assert told.count("\n") == 1 and why in told


@pytest.mark.parametrize("at, number", [("venv", signal.SIGINT), ("pip", signal.SIGTERM)])
def test_interrupted_while_setting_up(tree, python, at, number):
    """Said as what it is; nothing is left behind, and nothing runs on."""
    endless = f"echo $$ >{tree}/pid; sleep 1000"
    path = python(f"""[ "$1" = -m ] || exit 1
mkdir -p "$3/bin"
printf '#!/bin/sh\\n%s\\n' '{endless}' >"$3/bin/pip"
chmod +x "$3/bin/pip"
{endless if at == "venv" else ""}""")
    done = interrupted(number, tree / "pid", tree / "make/python.sh", "plots", path, "matplotlib")
    told = "make plots: interrupted while setting up build/venv; the next call begins anew\n"
    assert (done.returncode, done.stdout, done.stderr) == (130, "", SETTING_UP + told)
    assert os.listdir(tree / "build") == []

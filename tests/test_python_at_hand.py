"""What a student types needs no Python (the first build: test_readme.py; exercises and programs of one's
own: test_class.py). For all else simt/python.sh finds one that has the packages, or sets one up."""

import re
import shutil
import signal
import subprocess
import sys

import pytest

from harness import (HANG, ROOT, build, interrupted, make, on_a_terminal, replay, run, said, script,
                     shell)


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


# ---- one that has the packages ----

SETTING_UP = "make plots: setting up build/venv (once; downloads 40 MB)\n"


@pytest.fixture
def python(tree):
    """python(text) makes a Python of a shell script, and returns its path."""
    shutil.copy(ROOT / "requirements.txt", tree)
    return lambda text: script(tree / "python", text)


def test_golden_calls(tree, python):
    """The Python at hand, or one that was set up for modules which that lacks; anew when other
    versions are wanted. Where there is no way to get them: one line that says what to do."""
    python("""case "$1" in
-V) echo Python 3.99 ;;
-m)
    [ "$VENV" ] || exit 1
    mkdir -p "$3/bin" && echo "$VENV; exit 1" >"$3/bin/pip" && chmod +x "$3/bin/pip" ;;
*) exec "$REAL" "$@" ;;
esac""")
    replay("python.txt", shell(tree, REAL=sys.executable), tree=tree)


@pytest.mark.parametrize("python", ["3.9", "3.10", "3.11", "3.12", "3.13", "3.14"])
def test_packages_are_pinned(python):
    """Each to one version, which has hashes, so that pip wants them of all that it installs."""
    requirements = pytest.importorskip("packaging.requirements")
    text = "".join((ROOT / file).read_text() for file in ("requirements.txt", "simt/requirements.txt"))
    found = [(requirements.Requirement(line), hashes) for line, hashes in re.findall(
        r"^([a-z].*?) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.M)]
    assert len(found) == len(re.findall("^[a-z]", text, re.M)) and all(
        [each.operator for each in one.specifier] == ["=="] for one, _ in found)
    names = [one.name for one, _ in found
             if not one.marker or one.marker.evaluate({"python_version": python})]
    assert len({*names}) == len(names) and {"matplotlib", "pytest", "numpy", "pluggy"} <= {*names}


def test_what_was_typed_comes_first(tmp_path):
    """A pair, or a file, that is none is told before anything is downloaded."""
    path = script(tmp_path / "python", f'echo "$@" >>{tmp_path}/log; exec {sys.executable} "$@"')
    for words in ["plot-x-y"], ["plots", "DATA=none.csv"]:
        done = make(*words, f"PYTHON={path}", cwd=ROOT)
        assert done.returncode == 2 and done.stderr.startswith("make plots: "), done
    assert "matplotlib" not in (tmp_path / "log").read_text()


def test_downloads_are_shown(tmp_path):
    """On a terminal, each in the place of the one before, and each second; the rest is in the log."""
    pip = script(tmp_path / "pip", "echo Collecting a; echo '  Downloading a-1.2-x86_64.whl (8 MB)'; sleep 1.5; exit 3")
    call = ROOT / "simt/pip.sh", tmp_path / "log", "looking", pip
    told = on_a_terminal(80, *call, stream="stderr", status=3)
    assert [re.sub(", [01] s", "", line).strip() for line in told.split("\r")] == [
        "looking", "downloading a-1.2 (8 MB)", "downloading a-1.2 (8 MB)", "", ""]
    assert (tmp_path / "log").read_text() == "Collecting a\n  Downloading a-1.2-x86_64.whl (8 MB)\n"
    done = run(*call)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def test_two_set_up_at_once(tree, python):
    """One does; the other waits, and finds it ready."""
    path = python("""[ "$1" = -m ] || exit 1
echo >>made; sleep 0.5; mkdir -p "$3/bin"; ln -s /bin/true "$3/bin/pip\"""")
    call = [str(tree / "simt/python.sh"), "requirements.txt", "plots", str(path), "matplotlib"]
    two = [subprocess.Popen(call, cwd=tree, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
           for _ in range(2)]
    told = sorted(one.communicate(timeout=HANG) for one in two)
    assert told == [("build/venv/bin/python\n", ""), ("build/venv/bin/python\n", SETTING_UP)]
    assert (tree / "made").read_text() == "\n"


@pytest.mark.parametrize("at, number", [("venv", signal.SIGINT), ("pip", signal.SIGTERM)])
def test_interrupted_while_setting_up(tree, python, at, number):
    """The half-made environment is not taken for a ready one, and nothing runs on."""
    endless = f"echo $$ >{tree}/pid; exec sleep 1000"
    path = python(f"""[ "$1" = -m ] || exit 1
mkdir -p "$3/bin"
printf '#!/bin/sh\\n%s\\n' '{endless}' >"$3/bin/pip"
chmod +x "$3/bin/pip"
{endless if at == "venv" else ""}""")
    done = interrupted(number, tree / "pid", tree / "simt/python.sh", "requirements.txt", "plots",
                       path, "matplotlib")
    assert (done.returncode, done.stdout, done.stderr) == (-number, "", SETTING_UP)
    assert not (tree / "build/venv/ready").exists()

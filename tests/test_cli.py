"""The command line of a step, and the reports that it asks for. (test_refusals.py: its mistakes.)"""

import os
import re
import shutil

import pytest

from plots.read import programs

from harness import ROOT, STEPS, build, build_programs, golden, on_a_terminal, replay, run, said, shell


@pytest.fixture
def folder(tmp_path):
    """With some programs in it, in which one can type."""
    for path in (*build().glob("step0[237]"), build_programs("grid-stride") / "grid-stride",
                 build_programs("warp-redux") / "warp-redux"):
        (tmp_path / path.name).symlink_to(path)
    return tmp_path


@pytest.mark.parametrize("name", ["cli", "traces"])
def test_golden_calls(folder, name):
    replay(f"{name}.txt", shell(folder), folder=folder, root=ROOT)


def test_help_names_every_option():
    known = re.findall(r'\{"(\w+)", \w+_argument', (ROOT / "common/options.c").read_text())
    told = re.findall(r"--(\w+)", said(run(build(steps=("03",)) / "step03", "--help")))
    assert set(told) == set(known) and len(known) > 10


def test_golden_report():
    """The counters stand beside each line of the kernel. Where a terminal, or 80 columns, have no room
    for a line, it goes on below."""
    call = build() / "step02", "-n", 5000, "--annotate"
    wide = on_a_terminal(110, *call)
    golden("report--annotate.txt", wide)
    narrow = said(run(*call)).splitlines()
    assert max(map(len, narrow)) <= 80
    assert {"".join(line.partition("| ")[2] for line in text).replace(" ", "")
            for text in (narrow, wide.splitlines())} == {
        re.sub(r"\s", "", "".join(f"{number}{line}" for number, line in programs.get("02").kernels))}


def test_older_than_its_source(tmp_path):
    """A program tells it, on stderr alone, wherever it is called from; not where the source is not."""
    source = tmp_path / STEPS["03"].relative_to(ROOT)
    for folder in source.parent, tmp_path / "build/cpu":
        folder.mkdir(parents=True)
    program = shutil.copy(build() / "step03", tmp_path / "build/cpu")
    usual, built = run(program, "-n", 9), os.stat(program).st_mtime_ns
    assert usual.stderr == ""
    for later in 0, 10**6, -10**6:
        source.touch()
        os.utime(source, ns=(built, built + later))
        done = run(program, "-n", 9, cwd="/")
        assert (done.returncode, done.stdout) == (0, usual.stdout)
        assert done.stderr == (later > 0) * (
            f"step03: older than its source, {source.relative_to(tmp_path)}: make builds it anew\n")

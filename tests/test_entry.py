"""How each program of the tutorial's Python ends: Ctrl-C and an output that cannot be written are
told in no more than a line."""

import sys

import pytest

from harness import ROOT, replay, run, shell
from tutorial import files

TOOLS = ["plots.draw", "plots.access", "plots.table", "lab.diff", "lab.page",
         "exercises.teach.mark_all", "exercises.teach.league"]

# What a module does that is interrupted while it is imported; and one in C makes another error of it
INTERRUPT = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
IN_C = """
try:
    exec({code!r})
except KeyboardInterrupt:
    raise ImportError("initialization failed")
"""


def interrupting(folder, module):
    """An environment in which this module interrupts who imports it."""
    code = IN_C.format(code=INTERRUPT) if module == "matplotlib" else INTERRUPT
    (folder / f"{module}.py").write_text(code)
    return {"PYTHONPATH": f"{folder}:{ROOT}"}


@pytest.mark.parametrize("module, tool, options", [
    *(("fnmatch", tool, []) for tool in TOOLS),
    ("matplotlib", "plots.draw", ["--data=plots/data/h200.csv", "--out=build/no-folder"])])
def test_interrupted(tmp_path, module, tool, options):
    done = run(sys.executable, "-m", tool, *options, cwd=ROOT, env=interrupting(tmp_path, module))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
    assert not (ROOT / "build/no-folder").exists()


# Interrupted as the file is renamed
INTERRUPTED_WRITE = """
import os, signal, sys
from tutorial import entry, files
rename = os.replace
os.replace = lambda *names: (os.kill(os.getpid(), signal.SIGINT), rename(*names))
entry.run("make x", lambda: files.write_text(sys.argv[1], "whole"))
"""


def test_no_half_of_a_file(tmp_path):
    """A file that cannot take its place, or is interrupted before, leaves nothing beside it."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(files.BadData, match="folder: cannot be written"):
        files.write_text(tmp_path / "folder", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    told = run(sys.executable, "-c", INTERRUPTED_WRITE, tmp_path / "file", cwd=ROOT)
    assert (told.returncode, told.stderr) == (130, "")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_golden_nobody_gets_the_output():
    """No room, no output, and a pager that was left: statuses, and what is told."""
    replay("no-output.txt", shell(ROOT, PYTHON=sys.executable, PYTHONUNBUFFERED="",
                                  TOOLS=" ".join(TOOLS)))

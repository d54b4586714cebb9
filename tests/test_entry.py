"""How each program of the tutorial's Python ends: Ctrl-C and an output that cannot be written are
told in no more than a line."""

import re
import signal
import sys

import pytest

from harness import ROOT, on_a_terminal, replay, run, said, shell

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

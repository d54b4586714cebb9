"""How each program of the tutorial's Python ends: Ctrl-C and an output that cannot be written are
told in no more than a line."""

import os
import re
import signal
import subprocess
import sys

import pytest

from harness import PRELUDE, ROOT, make, on_a_terminal, replay, run, said, script, shell, simtcc

from plots.read import files

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


def test_no_half_of_a_file(tmp_path):
    """A file that cannot take its place leaves nothing beside it."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(files.BadData, match="folder: cannot be written"):
        files.write_text(tmp_path / "folder", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


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


# ---- a disk that is full, by a small tmpfs (as root), and a cp that fails ----

@pytest.fixture
def full(tmp_path):
    """A folder with room for 4 KiB."""
    folder = tmp_path / "full"
    folder.mkdir()
    if os.getuid() or run("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder).returncode:
        pytest.skip("only root can mount a small disk")
    (folder / "filler").write_bytes(b"x" * 8192)
    yield folder
    subprocess.run(["umount", folder], check=True)


KERNEL = PRELUDE + """
__global__ void sum(int *out) { out[0] = out[0] + 1; }
int main() { int *out = device<int>(1); sum<<<1, 64>>>(out); cudaDeviceSynchronize(); }
"""


def test_program(full, tmp_path):
    (tmp_path / "kernel.cu").write_text(KERNEL)
    done = run(ROOT / "simt/simtcc", tmp_path / "kernel.cu", "-o", full / "program")
    assert done.returncode and "program cannot be written" in done.stderr, done
    assert os.listdir(full) == ["filler"]


def test_temporary_files(full, tmp_path):
    """A source is not at fault where they have no room, with or without a message of g++."""
    (tmp_path / "kernel.cu").write_text(KERNEL)
    for room in 0, 4, 8, 11:
        (full / "filler").write_bytes(b"x" * (12288 - room * 1024))
        done = run(ROOT / "simt/simtcc", "-c", tmp_path / "kernel.cu", "-o", tmp_path / "kernel.o",
                   env={"TMPDIR": str(full)})
        assert done.returncode == 2 and f"simtcc: {full} has no room" in done.stderr, done
        assert os.listdir(full) == ["filler"] and not (tmp_path / "kernel.o").exists()


def test_report(full, tmp_path):
    """A user's file stays if it cannot be replaced."""
    (full / "report").write_text("mine\n")
    (full / "filler").write_bytes(b"x" * 12000)
    done = run(simtcc(KERNEL, tmp_path / "kernel.cu"), env={"SIMT_REPORT": str(full / "report")})
    assert done.returncode == 4 and "the report cannot be written" in done.stderr, done
    assert (full / "report").read_text() == "mine\n" and len(os.listdir(full)) == 2


def test_empty_program(tmp_path):
    """It prints nothing and ends with 0: no row, and no verdict."""
    program = script(tmp_path / "step05", "exit 0")
    for words in ["run", program], ["counters", tmp_path / "counters.csv", program]:
        done = run(ROOT / "make/programs.sh", *words)
        assert done.returncode and "make clean" in done.stdout + done.stderr, done
        assert not (tmp_path / "counters.csv").exists()


def test_failing_copy(tree, tmp_path):
    """Not "not yet", which is 1, and no empty main.cu that would be taken for begun."""
    for name in "cp", "tar":
        script(tmp_path / "bin" / name, "exit 1")
    for words in ["make/new.sh", "fast", "", "steps/01-neighbored-pairs/main.cu"], [
            "exercises/exercise.sh", "mark", "04"], ["exercises/handout.sh"]:
        done = run(*words, cwd=tree, env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
        assert done.returncode == 2 and "cannot be written" in done.stderr, done
    assert not [*tree.glob("own/*"), *tree.glob("exercises/*/main.cu"), *tree.glob("build/handout*")]


def test_failed_recipe(tree):
    """The rest of its target is removed; and nothing is built while clean removes it."""
    told = make("-p", "-n", "clean", "help", cwd=tree).stdout
    assert "\n\n.DELETE_ON_ERROR:" in told and "\n\n.NOTPARALLEL:" in told
    assert "\n\n.NOTPARALLEL:" not in make("-p", "-n", "clean", cwd=tree).stdout

"""The READMEs tell the truth: every command in them runs, and the output that they show is the
output that comes."""

import re
import shutil
import sys

import pytest

from harness import (GPU, MAKE, NO_NVCC, NVCC, ROOT, build, build_played, copy_built, locked, make,
                     needs, on_a_terminal, run, said, script)

FENCE = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(name):
    return FENCE.findall((ROOT / name).read_text())


def commands():
    """Lines of the README's blocks that begin with make or a program, without their comments."""
    lines = [line.split("#")[0].strip() for block in blocks("README.md")
             for line in block.splitlines()]
    return [line for line in lines if re.match(r"(make|\./)", line)]


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A fresh clone, with the objects that most of the commands would build there: no object of the harness
    depends on the block."""
    folder = tmp_path_factory.mktemp("clone") / "repository"
    shutil.copytree(ROOT, folder, symlinks=True,
                    ignore=shutil.ignore_patterns(".git", "build", "__pycache__"))
    copy_built(folder, ROOT / "build/simt", build(), build_played())
    floats = build(type="float", steps=("03",))
    with locked(floats):
        shutil.copytree(floats, folder / "build/cpu-float-512-sum")
    return folder


def shell(command, cwd):
    return run("bash", "-c", command, cwd=cwd, env={"PYTHON": sys.executable, "PYTHONPATH": ""})


# Commands that other tests run: this suite itself; test_make.py, two; test_plots.py, the last.
TESTED = {"make test", "make run", "make counters", "make plots"}


def test_commands(clone):
    assert "make step03 && ./step03" in commands() and TESTED < set(commands())
    for command in set(commands()) - TESTED:
        how = shell(command, clone)
        assert how.returncode == 0, f"{command}\n{how.stdout}{how.stderr}"
    shown, = (block for block in blocks("README.md") if "CPU backend" in block)
    done = shell("make -s BACKEND=cpu step03 && ./step03", clone)
    assert done.stdout.startswith(shown)


@pytest.mark.slow
@pytest.mark.skipif(not NVCC, reason=NO_NVCC)
def test_nvcc_alone(tmp_path):
    """One line compiles a step, without a warning."""
    line, = (block.strip() for block in blocks("README.md") if block.startswith("nvcc "))
    assert line.endswith(" -o step03-nvcc") and line.count("\n") == 0
    done = shell(line.replace("nvcc", NVCC, 1).replace("step03", f"{tmp_path}/step03"), ROOT)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert not GPU or "   OK\n" in said(run(tmp_path / "step03-nvcc"))


def test_blocks_pasted_one_after_another(no_python, tmp_path):
    """Into a new terminal: install, clone, run. Only the address is ours, and who may install. Nothing of it
    needs Python."""
    needs("git")
    if not (ROOT / ".git").exists():
        pytest.skip("no clone to clone here")
    install = script(tmp_path / "bin/sudo", """case $* in
"apt update" | "apt install -y git make gcc g++ python3 python3-venv bubblewrap") ;;
*) exit 1 ;; esac""", "bash")
    begin = (ROOT / "README.md").read_text().partition("## Begin\n")[2].partition("\nOn Windows")[0]
    debian, fedora, clone, container = FENCE.findall(begin)
    assert " git " in debian and debian.splitlines()[0] == fedora.splitlines()[0] and " git " in fedora and "make step03 && ./step03" in container
    clone = re.sub(r"https\S*", f"'file://{ROOT}'", clone)
    how = shell("".join([f"PATH={install.parent}:{no_python}\n", debian, clone]), tmp_path)
    assert how.returncode == 0 and "   OK\n" in how.stdout, how.stdout + how.stderr
    assert {*re.findall(r"^compiling (.*) …$", how.stderr, re.M)} == {
        "the CPU backend (once)", "the lab harness", "step03"}
    make_what_was_asked_for_last(tmp_path / "parallel-reduction")


def make_what_was_asked_for_last(tree):
    """./step03 is that, whatever was built before; make -s tells only a terminal what it builds."""
    said(make("-s", "-B", "BACKEND=cpu", "build/cpu-int-256-sum/common/input.o", cwd=tree))
    told = on_a_terminal(80, MAKE, "-s", "-C", tree, "BACKEND=cpu", "TYPE=double", "BLOCK=64",
                         "step03", stream="stderr")
    assert told.endswith("compiling step03 …\n")
    assert "double (8 KiB), blocks of 64\n" in said(run("./step03", "-n", "2^10", cwd=tree))
    done = make("BACKEND=cpu", "V=1", "step03", cwd=tree)
    assert done.stdout.startswith("backend: cpu") and (
        "ln -sf build/cpu-int-256-sum/step03 step03\n" in done.stdout)
    assert "int (4 KiB), blocks of 256\n" in said(run("./step03", "-n", "2^10", cwd=tree))

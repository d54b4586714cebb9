"""The Makefile: what it builds and why, bad variables, and the targets that need no compiler."""

import os
import re
import shutil

import pytest

from conftest import STEPS, assert_refused, build, make, run


def tools(folder, *names, **scripts):
    """An environment whose PATH has these programs, and scripts under these names, only."""
    folder.mkdir()
    for name in names:
        os.symlink(shutil.which(name), folder / name)
    for name, text in scripts.items():
        file = folder / name.replace("_", "-")
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)
    return {"PATH": str(folder)}


BAD = [
    (["BLOCK=100"], "BLOCK=100", "32 64 128 256 512 1024"),
    (["BLOCK=2048"], "BLOCK=2048", "32 64 128 256 512 1024"),
    (["BLOCK=32 64"], "BLOCK=32 64", "32 64 128 256 512 1024"),
    (["BLOCK="], "BLOCK=", "32 64 128 256 512 1024"),
    (["TYPE=foo"], "TYPE=foo", "int float double"),
    (["TYPE=int float"], "TYPE=int float", "int float double"),
    (["BACKEND=gpu"], "BACKEND=gpu", "auto cuda cpu"),
    (["OP=foo"], "OP=foo", "sum"),
    (["BACKEND=cuda", "NVCC=/nonexistent"], "/nonexistent not found", "NVCC=/path/to/nvcc"),
]


@pytest.mark.parametrize("variables, culprit, remedy", BAD, ids=lambda value: str(value))
def test_bad_variable(tree, variables, culprit, remedy):
    """Make's own line, in the form that editors know, and nothing is built."""
    for goal in "step03", "all", "run":
        done = make(*variables, goal, cwd=tree)
        assert_refused(done, 2, "*** ", culprit, remedy)
    assert {path.name for path in tree.iterdir()} == {"Makefile", "common", "steps"}


def test_no_compiler_needed(tree, tmp_path):
    env = tools(tmp_path / "bin", "awk", "rm")
    done = make("help", cwd=tree, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("all", "step00 to step07", "run", "diff-02-03", "test, check", "format", "clean",
                 "BACKEND=", "TYPE=", "BLOCK=", "ARCH=", "NVCC", "V=1"):
        assert f"\n  {word}" in done.stdout
    (tree / "build/x").mkdir(parents=True)
    (tree / "step03").symlink_to("build/x")
    assert make("clean", cwd=tree, env=env).returncode == 0
    assert {path.name for path in tree.iterdir()} == {"Makefile", "common", "steps"}


CHOICES = [
    ([], {}, "cpu (no nvcc here)"),
    ([], {"nvcc": ""}, "cpu (nvcc is here, but no GPU)"),
    ([], {"nvcc": "", "nvidia_smi": "echo No devices were found; exit 6"},
     "cpu (nvcc is here, but no GPU)"),
    ([], {"nvcc": "", "nvidia_smi": "echo 9.0; echo 8.0"}, "cuda (nvcc and a GPU are here), sm_90"),
    (["ARCH=sm_80"], {"nvcc": "", "nvidia_smi": "echo 9.0"},
     "cuda (nvcc and a GPU are here), sm_80"),
    (["BACKEND=cpu"], {"nvcc": "", "nvidia_smi": "echo 9.0"}, "cpu (as asked for)"),
    (["BACKEND=cuda"], {"nvcc": ""}, "cuda (as asked for), all-major"),
]


@pytest.mark.parametrize("variables, scripts, choice", CHOICES)
def test_backend_is_chosen_and_said(tree, tmp_path, variables, scripts, choice):
    env = tools(tmp_path / "bin", "grep", "head", **scripts)
    done = make("-n", *variables, "TYPE=float", "BLOCK=64", "step03", cwd=tree, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == f"backend: {choice}, float, blocks of 64"
    if "sm_" in choice:
        assert "-arch=" + choice.split()[-1] in done.stdout


def test_two_words(tree):
    """make step03 && ./step03 on a fresh clone; ./step03 is always what was asked for last."""
    for variables, about in (([], "int (4 MiB), blocks of 256"),
                             (["TYPE=double"], "double (8 MiB), blocks of 256"),
                             (["BLOCK=64"], "int (4 MiB), blocks of 64"),
                             ([], "int (4 MiB), blocks of 256")):
        done = make("BACKEND=cpu", *variables, "step03", cwd=tree)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        assert done.stdout.startswith("backend: cpu (as asked for)")
        report = run("./step03", cwd=tree)
        assert report.returncode == 0 and about in report.stdout and report.stdout.endswith("OK\n")


def test_run_prints_one_table():
    build()
    done = make("-s", "BACKEND=cpu", "run")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines() if line[:2] in STEPS]
    assert rows == [[step, path.parent.name[3:], "133784454", "verified"]
                    for step, path in STEPS.items()]


def test_diff():
    done = make("diff-02-03", env={"COLUMNS": "160"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "steps/02-strided-index/main.cu" in done.stdout
    assert re.search(r"s\[left\] \+= s\[left \+ stride\];\s+<\n", done.stdout)
    for goal in "diff-02-42", "diff-02":
        done = make(goal)
        assert done.returncode == 2 and done.stdout == ""
        assert "make diff: no step or detour" in done.stderr and "diff-02-03" in done.stderr

"""The CPU backend on aarch64, under qemu's emulation of a user program: its fibers' assembly, and what
it finds in wrong kernels."""

import re
import shutil

import pytest

from backend import READY, ROOT, run, said, script
from test_twins import FOLDER, MARKS

NEEDED = "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "qemu-aarch64"
MISSING = [name for name in NEEDED if not shutil.which(name)]

pytestmark = [pytest.mark.slow,
              pytest.mark.skipif(bool(MISSING), reason="no " + ", ".join(MISSING))]


@pytest.fixture(scope="module")
def cross(tmp_path_factory):
    """cross(SOURCE, PROGRAM) compiles with a copy of the backend. What g++ compiles is emulated, and so
    is the rewriter."""
    tree = tmp_path_factory.mktemp("cross")
    shutil.copytree(ROOT / "simt", tree / "simt", ignore=shutil.ignore_patterns("tests"))
    static = script(tree / "static-g++", 'exec aarch64-linux-gnu-g++ "$@" -static')
    compiler = script(tree / "cc", f"""case "$*" in *simt-rewrite*) # make runs it
            for program; do :; done
            aarch64-linux-gnu-gcc "$@" -static && mv "$program" {tree}/rewriter &&
            printf '#!/bin/sh\\nexec qemu-aarch64 {tree}/rewriter "$@"\\n' >"$program" && chmod +x "$program" ;;
        *) exec aarch64-linux-gnu-gcc "$@" ;;
        esac""")
    compilers = {"CC": str(compiler), "CXX": str(static)}
    said(run("make", "-s", "-C", tree / "simt", *(f"{name}={path}" for name, path in compilers.items())))
    return lambda source, program: said(run(
        tree / "simt/simtcc", source, "-o", program, cwd=tree,
        env=compilers | READY))


@pytest.mark.parametrize("stem, bug, right", [
    ("shared", "volatile_warp", "last_warp_right"), ("races", "last_block_fence", "last_block"),
    ("barriers", "branch", "own_loops_between"), ("hangs", "masks", "masks_right")])
def test_twins(cross, tmp_path, stem, bug, right):
    """The line that a report names is the planted one; what is right is left in peace."""
    program = tmp_path / stem
    assert cross(FOLDER / f"{stem}.cu", program) == ""
    said(run("qemu-aarch64", program, right))
    done = run("qemu-aarch64", program, bug)
    places = re.findall(rf"^ +\S*{stem}\.cu:(\d+)(?:  |$)", done.stderr, re.MULTILINE)
    assert done.returncode == 4 and places, done.stderr
    assert {int(line) for line in places} <= {mark.line for mark in MARKS[stem, bug]}, done.stderr

"""The CPU backend on aarch64, under qemu's emulation of a user program: its fibers' assembly, its
counters, and what it finds in wrong kernels."""

import re
import shutil

import pytest

from harness import ROOT, build, make, row_of, run, said, script
from test_twins import FOLDER, MARKS

NEEDED = "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "qemu-aarch64"
MISSING = [name for name in NEEDED if not shutil.which(name)]
REWRITER = "build/simt/simt-rewrite"

pytestmark = [pytest.mark.slow,
              pytest.mark.skipif(bool(MISSING), reason="no " + ", ".join(MISSING))]


@pytest.fixture
def cross(tree, tmp_path):
    """Compilers for make. What g++ compiles is emulated; the rewriter runs here, so it is this
    computer's."""
    (tree / REWRITER).parent.mkdir(parents=True)
    shutil.copy(ROOT / REWRITER, tree / REWRITER)
    static = script(tmp_path / "static-g++", 'exec aarch64-linux-gnu-g++ "$@" -static')
    return {"CC": "aarch64-linux-gnu-gcc", "CXX": str(static)}


def cross_make(tree, cross, *arguments):
    said(make("-s", "-o", REWRITER, "BACKEND=cpu", *(f"{k}={v}" for k, v in cross.items()),
              *arguments, cwd=tree))


@pytest.mark.parametrize("type, block", [("int", 256), ("double", 1024)])
def test_steps(tree, cross, type, block):
    """Right sums, and the same counters as here, but for branches, which compilers lay out."""
    folder = f"build/cpu-{type}-{block}-sum"
    cross_make(tree, cross, f"TYPE={type}", f"BLOCK={block}",
               f"{folder}/step03", f"{folder}/step07")
    for step in "03", "07":
        row = row_of("qemu-aarch64", tree / folder / f"step{step}", "-n", 100000, "--csv")
        assert (row["result"], row["verified"]) == (row["expected"], "yes")
        emulated, here = (
            [line for line in said(run(*command, "-n", 5000, "--counters=csv", cwd=cwd)).splitlines()
             if ",control," not in line]
            for command, cwd in ((["qemu-aarch64", f"{folder}/step{step}"], tree),
                                 ([build(type=type, block=block) / f"step{step}"], ROOT)))
        assert emulated == here


@pytest.mark.parametrize("stem, bug, right", [
    ("shared", "volatile_warp", "last_warp_right"), ("races", "last_block_fence", "last_block"),
    ("barriers", "branch", "own_loops_between"), ("hangs", "masks", "masks_right")])
def test_twins(tree, cross, tmp_path, stem, bug, right):
    """The line that a report names is the planted one; what is right is left in peace."""
    cross_make(tree, cross, "build/simt/simt.o", "build/simt/guard_before.o",
               "build/simt/guard_after.o")
    program = tmp_path / stem
    assert said(run(tree / "simt/simtcc", FOLDER / f"{stem}.cu", "-o", program, cwd=tree,
                    env=cross | {"SIMTCC_TOOLS_READY": "1"})) == ""
    said(run("qemu-aarch64", program, right))
    done = run("qemu-aarch64", program, bug)
    places = re.findall(rf"^  \S*{stem}\.cu:(\d+)  ", done.stderr, re.MULTILINE)
    assert done.returncode == 4 and places, done.stderr
    assert {int(line) for line in places} <= {mark.line for mark in MARKS[stem, bug]}, done.stderr

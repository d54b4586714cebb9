"""The CPU backend on aarch64, under qemu's emulation of a user program: its fibers' assembly, its
counters, and what it finds in wrong kernels."""

import pathlib
import re
import shutil

import pytest

from conftest import ROOT, build, csv_row, expected_sum, make, run

NEEDED = "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "qemu-aarch64"
MISSING = [name for name in NEEDED if not shutil.which(name)]
REWRITER = "build/simt/simt-rewrite"
BUGS = pathlib.Path(__file__).parent / "bugs"

pytestmark = [pytest.mark.slow,
              pytest.mark.skipif(bool(MISSING), reason="no " + ", ".join(MISSING))]


@pytest.fixture
def cross(tree, tmp_path):
    """Compilers for make. What g++ compiles is emulated; the rewriter runs here, so it is this
    computer's."""
    (tree / REWRITER).parent.mkdir(parents=True)
    shutil.copy(ROOT / REWRITER, tree / REWRITER)
    static = tmp_path / "static-g++"
    static.write_text('#!/bin/sh\nexec aarch64-linux-gnu-g++ "$@" -static\n')
    static.chmod(0o755)
    return {"CC": "aarch64-linux-gnu-gcc", "CXX": str(static)}


def cross_make(tree, cross, *arguments):
    done = make("-s", "-o", REWRITER, "BACKEND=cpu", *(f"{k}={v}" for k, v in cross.items()),
                *arguments, cwd=tree)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("type, block", [
    ("int", 256),
    ("double", 1024)])
def test_steps(tree, cross, type, block):
    folder = f"build/cpu-{type}-{block}-sum"
    cross_make(tree, cross, f"TYPE={type}", f"BLOCK={block}",
               f"{folder}/step03", f"{folder}/step07")
    for step in "03", "07":
        program = f"{folder}/step{step}"
        done = run("qemu-aarch64", program, "-n", 100000, "--csv", cwd=tree)
        assert (done.returncode, done.stderr) == (0, "")
        row = csv_row(done)
        assert (float(row["result"]), row["verified"]) == (expected_sum(type, 100000), "yes")
    for step in "03", "07":
        emulated, here = (run(*program, "-n", 5000, "--counters=csv", cwd=cwd)
                          for program, cwd in ((["qemu-aarch64", f"{folder}/step{step}"], tree),
                                               ([build(type=type, block=block) / f"step{step}"],
                                                ROOT)))
        assert (emulated.returncode, emulated.stderr) == (0, "")
        # the two compilers may lay out branches differently
        accesses = [[line for line in done.stdout.splitlines() if ",control," not in line]
                    for done in (emulated, here)]
        assert accesses[0] == accesses[1]


@pytest.mark.parametrize("name", [
    "race_shared_volatile", "race_global_ticket_fence", "oob_shared_dynamic", "oob_global_one_byte",
    "barrier_branch", "deadlock_masks", "stack_recursion", "warp_source_outside"])
def test_bugs(tree, cross, tmp_path, name):
    """The line that a report names is the planted one; the corrected twin is left in peace."""
    cross_make(tree, cross, "build/simt/libsimt.a", "build/simt/guard_before.o",
               "build/simt/guard_after.o")
    file = BUGS / f"{name}.cu"
    category = re.search(r"^// expect: (.*)$", file.read_text(), re.MULTILINE)[1]
    marked = {number for number, line in enumerate(file.read_text().splitlines(), 1)
              if line.endswith("// BUG")}
    for options, status in ([], 4), (["-DFIXED"], 0):
        done = run(tree / "simt/simtcc", *options, file, "-o", tmp_path / name, cwd=tree,
                   env=cross | {"SIMTCC_TOOLS_READY": "1"})
        assert (done.returncode, done.stderr) == (0, "")
        done = run("qemu-aarch64", tmp_path / name)
        assert done.returncode == status, done.stderr
        if status == 0:
            assert done.stderr == ""
        else:
            assert f"simt: {category}" in done.stderr
            places = re.findall(rf"^  \S*{name}\.cu:(\d+)  ", done.stderr, re.MULTILINE)
            assert places and {int(line) for line in places} <= marked, done.stderr

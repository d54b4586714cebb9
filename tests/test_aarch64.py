"""The CPU backend on aarch64: its fibers' assembly, under qemu's emulation of a user program."""

import shutil

import pytest

from conftest import ROOT, csv_row, expected_sum, make, run

NEEDED = "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "qemu-aarch64"
MISSING = [name for name in NEEDED if not shutil.which(name)]


@pytest.mark.skipif(bool(MISSING), reason="no " + ", ".join(MISSING))
def test_steps(tree, tmp_path):
    """What g++ compiles is emulated; the rewriter runs here, so it is this computer's."""
    rewriter = "build/simt/simt-rewrite"
    (tree / rewriter).parent.mkdir(parents=True)
    shutil.copy(ROOT / rewriter, tree / rewriter)
    static = tmp_path / "static-g++"
    static.write_text('#!/bin/sh\nexec aarch64-linux-gnu-g++ "$@" -static\n')
    static.chmod(0o755)

    for type, block in ("int", 256), ("double", 1024):
        folder = f"build/cpu-{type}-{block}-sum"
        done = make("-s", "-o", rewriter, "BACKEND=cpu", f"TYPE={type}", f"BLOCK={block}",
                    "CC=aarch64-linux-gnu-gcc", f"CXX={static}", f"{folder}/step03",
                    f"{folder}/step07", cwd=tree)
        assert (done.returncode, done.stderr) == (0, "")
        for step, threads in ("03", 1), ("03", 2), ("07", 2):
            done = run("qemu-aarch64", tree / folder / f"step{step}", "-n", 100000, "--csv",
                       "--threads", threads)
            assert (done.returncode, done.stderr) == (0, "")
            row = csv_row(done)
            assert (float(row["result"]), row["verified"]) == (expected_sum(type, 100000), "yes")

"""The programs for several GPUs: how they share the work, with pretended GPUs where there are none,
and what they are linked with."""

import itertools

import pytest

from harness import GPU, ROOT, assert_refused, compile_changed, csv_row, replay, run, shell

SIZES = [1, 2, 5, 8, 4097, 100003]  # some with fewer elements than GPUs, one with a block's tile + 1

# ---- on the CPU backend ----

@pytest.mark.parametrize("type, counts", [("int", (1, 3)), ("double", (11,)), ("float", (2,))])
def test_pretended_gpus(tmp_path, type, counts):
    """With pretend/gpus.h the program refuses no CPU backend. 130 rounds are two laps of the peers'
    mailboxes, and two rounds."""
    texts = {'#include "lab.h"\n': '#include "gpus.h"\n#include "lab.h"\n', "#ifdef SIMT\n": "#if 0\n"}
    program = compile_changed("multi-gpu-peer", texts, tmp_path, "-Itests/pretend", type=type)
    for gpus, n in itertools.product(counts, SIZES):
        done = run(program, "-n", n, "-r", 130 if n == 8 else 3, "--csv",
                   env={"PRETEND_GPUS": str(gpus)})
        alone = "multi-gpu-peer: one GPU here: it does all the work alone\n" * (gpus == 1)
        assert (done.returncode, done.stderr) == (0, alone)
        row = csv_row(done)
        assert row["result"] == row["expected"] and row["verified"] == "yes"
        assert row["device"] == (f"{gpus} x " if gpus > 1 else "") + "CPU backend"
    done = run(program, env={"PRETEND_GPUS": "2", "PRETEND_APART": "1"})
    assert_refused(done, 3, "GPU 1 cannot reach the memory of GPU 0: use multi-gpu")


# ---- what they are linked with ----

def test_golden_links(tmp_path):
    """NCCL is found beside nvcc, or where NCCL_HOME says; without it multi-gpu takes one GPU, if
    nobody said where it is."""
    (tmp_path / "multi-gpu").write_text(
        'goal=$1; shift; exec make -s -n -C "$ROOT" BACKEND=cuda ARCH=sm_90 "$@" -W '
        'detours/$goal/main.cu build/cuda-sm_90-int-256-sum/$goal')
    replay("multi-gpu-links.txt", shell(tmp_path, ROOT=str(ROOT)), folder=tmp_path, root=ROOT)

"""The programs for several GPUs: how they share the work, with pretended GPUs where there are none,
and what they are linked with."""

import itertools
import shutil

import pytest

from harness import (GPU, ROOT, assert_refused, build_programs, compile_changed, csv_row, replay, run,
                     shell)

SIZES = [1, 2, 5, 8, 4097, 100003]  # some with fewer elements than GPUs, one with a block's tile + 1

HAS_MPI = shutil.which("mpicxx") and shutil.which("mpirun")
needs_mpi = pytest.mark.skipif(not HAS_MPI, reason="no MPI here")
needs_gpu = pytest.mark.skipif(not GPU, reason="no GPU here")

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


# ---- on GPUs ----

# Open MPI wants to be asked: as root, and with more ranks than cores. Other MPIs do not care.
MPI = {f"{name}_ALLOW_RUN_AS_ROOT{confirm}": "1" for name in ("OMPI", "PRTE")
       for confirm in ("", "_CONFIRM")} | {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
GPUS = run("nvidia-smi", "-L").stdout.count("\n") if GPU else 0


def on_gpus(name, *options, ranks=GPUS, env=None):
    """If it is MPI's, as so many ranks, a GPU each."""
    start = ["mpirun", "-n", ranks] if name == "multi-gpu-mpi" else []
    return run(*start, build_programs(name, backend="cuda") / name, *options, env=MPI | (env or {}))


@needs_gpu
@pytest.mark.parametrize("name", ["multi-gpu", pytest.param("multi-gpu-mpi", marks=needs_mpi)])
def test_on_gpus(name):
    """No bandwidth is above that of the GPUs that did the work."""
    for n in *SIZES, 2**26:
        done = on_gpus(name, "-n", n, "--csv")
        row = csv_row(done)
        assert done.returncode == 0 and float(row["pct_of_peak"]) < 100, done.stderr
        assert row["verified"] == "yes"
    if name == "multi-gpu-mpi":
        done = on_gpus(name, ranks=GPUS + 1)
        assert done.returncode == 2 and "a machine has 1 GPU too few: want one a rank" in done.stderr
    else:
        done = on_gpus(name, "-n", "2^26", "--csv", env={"CUDA_VISIBLE_DEVICES": "0"})
        assert "does all the work alone" in done.stderr
        assert 0 < float(csv_row(done)["pct_of_peak"]) < 100

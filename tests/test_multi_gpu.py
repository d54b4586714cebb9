"""The programs for several GPUs: how they share the work, with pretended GPUs where there are none,
and what they are linked with."""

import functools
import shutil

import pytest

from harness import (ENVIRONMENT, GPU, NO_NVCC, NVCC, ROOT, build, build_programs, csv_row,
                     expected_sum, make, replay, run, said, shell, without_streams)

SIZES = [1, 2, 5, 8, 4097, 100003]  # some with fewer elements than GPUs, one with a block's tile + 1

HAS_MPI = shutil.which("mpicxx") and shutil.which("mpirun")
needs_mpi = pytest.mark.skipif(not HAS_MPI, reason="no MPI here")
needs_nvcc = pytest.mark.skipif(not NVCC, reason=NO_NVCC)
needs_gpu = pytest.mark.skipif(not GPU, reason="no GPU here")

# Open MPI wants to be asked: as root, and with more ranks than cores. Other MPIs do not care.
MPI = {f"{name}_ALLOW_RUN_AS_ROOT{confirm}": "1" for name in ("OMPI", "PRTE")
       for confirm in ("", "_CONFIRM")} | {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}


def on_all(gpus, program, *options, env=None):
    """Runs a program on so many GPUs; if it is MPI's, as so many ranks."""
    ranks = ["mpirun", "-n", gpus] if program.name.startswith("multi-gpu-mpi") else []
    return run(*ranks, program, *options, env=MPI | (env or {}))


# ---- on the CPU backend ----

@functools.lru_cache(maxsize=None)
def pretended(name, type, folder):
    """The program, not refusing on the CPU backend, with the GPUs and the NCCL of pretend/."""
    harness = build(type=type, steps=("07",)) / "common"
    file = folder / f"{name}-{type}.cu"
    file.write_text('#include "several_gpus.h"\n#undef SIMT\n'
                    f'#include "detours/{name}/main.cu"\n')
    program = file.with_suffix("")
    flags = ["-DPRETEND_MPI", "-DOMPI_SKIP_MPICXX"] if name == "multi-gpu-mpi" else []
    assert said(run("simt/simtcc", "-Wall", "-Wextra", *flags, f"-DTYPE={type}", "-Itests/pretend",
                    "-Icommon", "-I.", file, *harness.glob("*.o"), "-o", program, cwd=ROOT,
                    env={"SIMTCC_TOOLS_READY": "1"} | ({"CXX": "mpicxx"} if flags else {}))) == ""
    return program


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pretended")


@pytest.mark.parametrize("name, type, gpus", [
    ("multi-gpu", "int", 1), ("multi-gpu", "int", 3), ("multi-gpu", "double", 2),
    ("multi-gpu-peer", "int", 1), ("multi-gpu-peer", "int", 3),
    *(pytest.param("multi-gpu-mpi", "int", ranks, marks=needs_mpi) for ranks in (1, 3)),
    *(pytest.param("multi-gpu", *other, marks=pytest.mark.slow)
      for other in (("int", 2), ("int", 8), ("double", 1), ("double", 3), ("double", 8))),
    pytest.param("multi-gpu-peer", "double", 8, marks=pytest.mark.slow)])
def test_pretended_gpus(folder, name, type, gpus):
    """Or ranks, each with one of them."""
    program = pretended(name, type, folder)
    alone = "one GPU here: it" if name != "multi-gpu-mpi" else "one rank: its GPU"
    for n in SIZES:
        done = on_all(gpus, program, "-n", n, "-w", "3", "--csv", env={"PRETEND_GPUS": str(gpus)})
        assert done.returncode == 0
        assert without_streams(done.stderr) == (
            f"{name}: {alone} does all the work alone\n" if gpus == 1 else "")
        row = csv_row(done)
        assert float(row["result"]) == expected_sum(type, n) and row["verified"] == "yes"
        assert row["device"] == (f"{gpus} x " if gpus > 1 else "") + "CPU backend"


@needs_mpi
def test_all_ranks_end(folder):
    """Whatever ends rank 0; and only rank 0 says why."""
    program = pretended("multi-gpu-mpi", "int", folder)
    for arguments, status, words in (
            (["--help"], 0, None), (["-n", "x"], 2, "-n x: want a count"),
            (["-n", "9"], 2, "a machine has 2 GPUs too few: want one a rank")):
        done = on_all(3, program, *arguments, env={"PRETEND_GPUS": "1"})
        assert done.returncode == status, done.stderr
        assert done.stderr.count("multi-gpu-mpi: ") == (1 if words else 0)
        assert (words or "") in done.stderr


# ---- what they are linked with ----

def test_golden_links(tmp_path):
    """NCCL is found beside nvcc, or where NCCL_HOME says; without it multi-gpu takes one GPU, if
    nobody said where it is."""
    (tmp_path / "multi-gpu").write_text(
        'goal=$1; shift; exec make -s -n -C "$ROOT" BACKEND=cuda ARCH=sm_90 "$@" -W '
        'detours/$goal/main.cu build/cuda-sm_90-int-256-sum/$goal')
    replay("multi-gpu-links.txt", shell(tmp_path, ROOT=str(ROOT)), folder=tmp_path, root=ROOT)


@needs_nvcc
@pytest.mark.parametrize("name, type, flags", [
    pytest.param("multi-gpu", "double", ["-DNO_NCCL"], marks=pytest.mark.slow),
    pytest.param("multi-gpu", "int", [], marks=pytest.mark.slow),
    ("multi-gpu-peer", "int", []),
    pytest.param("multi-gpu-mpi", "float", ["-ccbin", "mpicxx", "-DOMPI_SKIP_MPICXX"],
                 marks=needs_mpi)])
def test_compiles(tmp_path, name, type, flags):
    if "-DNO_NCCL" not in flags:
        place = make("-s", "-f", "-", "print", "BACKEND=cuda", "ARCH=sm_90", f"NVCC={NVCC}",
                     input="include Makefile\nprint: ; @echo $(NCCL_FOUND)\n").stdout.strip()
        if not place:
            pytest.skip("no NCCL here")
        flags = [*flags, f"-I{place}/include"]
    assert said(run(NVCC, "-arch=sm_90", "-lineinfo", "-Xcompiler", "-Wall,-Wextra", "-Icommon",
                    *flags, f"-DTYPE={type}", "-DBLOCK=256", "-c", f"detours/{name}/main.cu",
                    "-o", tmp_path / "x.o", cwd=ROOT)) == ""


# ---- on GPUs ----

def on_gpu(name):
    return build_programs(name, backend="cuda") / name


def gpu_count():
    visible = ENVIRONMENT.get("CUDA_VISIBLE_DEVICES")
    return len(visible.split(",")) if visible else len(run("nvidia-smi", "-L").stdout.splitlines())


@needs_gpu
@pytest.mark.parametrize("name", ["multi-gpu", pytest.param("multi-gpu-mpi", marks=needs_mpi)])
def test_on_gpus(name):
    for n in SIZES:
        done = on_all(gpu_count(), on_gpu(name), "-n", n, "--csv")
        assert done.returncode == 0, done.stderr
        assert int(csv_row(done)["result"]) == expected_sum("int", n)


@needs_gpu
def test_share_of_all_gpus():
    """No bandwidth is above that of the GPUs that did the work."""
    for env in {}, {"CUDA_VISIBLE_DEVICES": "0"}:
        done = run(on_gpu("multi-gpu"), "-n", "2^26", "--csv", env=env)
        assert done.returncode == 0 and 0 < float(csv_row(done)["pct_of_peak"]) < 100
        assert ("does all the work" in done.stderr) == (" x " not in csv_row(done)["device"])
    assert "does all the work" in done.stderr


@needs_gpu
@needs_mpi
def test_more_ranks_than_gpus():
    done = on_all(gpu_count() + 1, on_gpu("multi-gpu-mpi"))
    assert done.returncode == 2 and "a machine has 1 GPU too few: want one a rank" in done.stderr

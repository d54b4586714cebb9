"""The steps and exercises under nvcc: they compile for every architecture it knows, and for every
type, without a word; all other programs for those in use, from Turing to Blackwell. (One of them, for
one architecture, is built in test_cli.py.)"""

import re
import subprocess

import pytest

from harness import NO_NVCC, NVCC, ROOT, STEPS, needs, run

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not NVCC, reason=NO_NVCC)]


def compile_all(files, folder, type, *targets):
    """The objects are called alike, and nobody wants them."""
    done = run(NVCC, "-O3", *targets, "-lineinfo", "-Xcompiler", "-Wall,-Wextra",
               f"-I{ROOT}/common", f"-I{ROOT}/exercises", f"-DTYPE={type}", "-c", *files,
               cwd=folder, stderr=subprocess.STDOUT)
    # a multiprocessor of Turing has room for half as many threads as in-flight asks for
    said = re.sub(r"^ptxas warning : Value of threads per SM for entry \S*reduce_tiles\S* is out of "
                  r"range\. \.minnctapersm will be ignored\n", "", done.stdout, flags=re.M)
    assert (done.returncode, said) == (0, "")


def architectures(*wanted):
    """nvcc's architectures: all, or those of the wanted ones that it has."""
    numbers = [line.split("_")[1] for line in run(NVCC, "--list-gpu-arch").stdout.split()]
    assert len(numbers) > 5
    return [f"-gencode=arch=compute_{number},code=sm_{number}" for number in numbers
            if number in wanted or not wanted]


SOURCES = [*STEPS.values(), ROOT / "common/kernels.cu"]


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.parent.name)
def test_every_architecture(tmp_path, file):
    compile_all([file], tmp_path, "int", "-DBLOCK=256", *architectures())


@pytest.mark.parametrize("file", sorted(ROOT.glob("detours/*/main.cu")), ids=lambda file: file.parent.name)
def test_every_program(tmp_path, file):
    """With the type that make gives it where one says nothing."""
    mpi = []
    if file.parent.name == "multi-gpu-mpi":
        needs("mpicxx")
        mpi = ["-ccbin", "mpicxx", "-DOMPI_SKIP_MPICXX"]  # as detours/multi-gpu/make.mk has it
    own = file.parent / "make.mk"
    type = re.search(r"^OWN_.*TYPE=(\w+)", own.read_text() if own.exists() else "", re.M)
    compile_all([file], tmp_path, type[1] if type else "int", "-DBLOCK=256", "-DOP=OP_sum",
                "-DNO_NCCL", *mpi, *architectures("70", "75", "90", "100", "120", "121"))


@pytest.mark.parametrize("type", ["float", "double"])
def test_types(tmp_path, type):
    compile_all(STEPS.values(), tmp_path, type, "-DBLOCK=256", "-arch=sm_90")


@pytest.mark.parametrize("type", ["int", "float", "double"])
@pytest.mark.parametrize("file", ["given.cu", "solution.cu"])
def test_exercises(tmp_path, file, type):
    files = sorted((ROOT / "exercises").glob(f"*/{file}"))
    own = [each for each in files if "#define BLOCK" in each.read_text()]
    compile_all(own, tmp_path, type, "-arch=sm_90")
    compile_all([each for each in files if each not in own], tmp_path, type, "-arch=sm_90",
                "-DBLOCK=256")

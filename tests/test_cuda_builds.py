"""Every program under nvcc, without a word: the steps for every architecture that it knows, and for every
type, as the exercises; all others for those in use, from Turing to Blackwell. (One is linked in
test_readme.py.)"""

import re
import subprocess

import pytest

from harness import NO_NVCC, NVCC, ROOT, STEPS, needs, run

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not NVCC, reason=NO_NVCC)]
OTHERS = sorted(ROOT.glob("detours/*/main.cu"))
IN_USE = "70", "75", "90", "100", "120", "121"
EXERCISES = sorted(ROOT.glob("exercises/*/[gs]*.cu"))


def compile_all(files, folder, type, *options, of=()):
    """For all architectures, or those of these that nvcc has. The objects are called alike, and nobody
    wants them."""
    numbers = [line.split("_")[1] for line in run(NVCC, "--list-gpu-arch").stdout.split()]
    targets = [f"-gencode=arch=compute_{number},code=sm_{number}" for number in numbers
               if number in of or not of]
    done = run(NVCC, "-O3", *targets, "-lineinfo", "-Xcompiler", "-Wall,-Wextra",
               f"-I{ROOT}/common", f"-I{ROOT}/exercises", f"-DTYPE={type}", *options, "-c", *files,
               cwd=folder, stderr=subprocess.STDOUT)
    # a multiprocessor of Turing has room for half as many threads as in-flight asks for
    said = re.sub(r"^ptxas warning : Value of threads per SM for entry \S*reduce_tiles\S* is out of "
                  r"range\. \.minnctapersm will be ignored\n", "", done.stdout, flags=re.M)
    assert (done.returncode, said) == (0, "")


@pytest.mark.parametrize("file", [*STEPS.values(), ROOT / "common/kernels.cu", *OTHERS],
                         ids=lambda file: file.parent.name)
def test_programs(tmp_path, file):
    """With the type that make gives one where one says nothing."""
    own, options = file.parent / "make.mk", ["-DBLOCK=256", "-DOP=OP_sum", "-DNO_NCCL"]
    type = re.search(r"^OWN_.*TYPE=(\w+)", own.read_text() if own.exists() else "", re.M)
    if file.parent.name == "multi-gpu-mpi":
        needs("mpicxx")
        options += ["-ccbin", "mpicxx", "-DOMPI_SKIP_MPICXX"]  # as detours/multi-gpu/make.mk has it
    compile_all([file], tmp_path, type[1] if type else "int", *options, of=IN_USE * (file in OTHERS))


@pytest.mark.parametrize("type", ["int", "float", "double"])
def test_types(tmp_path, type):
    own = [file for file in EXERCISES if "#define BLOCK" in file.read_text()]
    compile_all(own, tmp_path, type, of=["90"])
    compile_all([*STEPS.values(), *({*EXERCISES} - {*own})], tmp_path, type, "-DBLOCK=256", of=["90"])

"""The steps under nvcc: they compile for every architecture it knows, without a word."""

import subprocess

import pytest

from conftest import NO_NVCC, NVCC, ROOT, STEPS, run

pytestmark = pytest.mark.skipif(not NVCC, reason=NO_NVCC)


def compile_step(file, tmp_path, type, *targets):
    done = run(NVCC, "-O3", *targets, "-lineinfo", "-Xcompiler", "-Wall,-Wextra", "-Icommon",
               f"-DTYPE={type}", "-DBLOCK=256", "-c", file, "-o", tmp_path / "x.o", cwd=ROOT,
               timeout=200, stderr=subprocess.STDOUT)
    assert (done.returncode, done.stdout) == (0, "")


def all_architectures():
    numbers = [line.split("_")[1] for line in run(NVCC, "--list-gpu-arch").stdout.split()]
    assert len(numbers) > 5
    return [f"-gencode=arch=compute_{number},code=sm_{number}" for number in numbers]


SOURCES = [*STEPS.values(), ROOT / "common/flush.cu", ROOT / "common/spin.cu"]


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.parent.name)
def test_every_architecture(tmp_path, file):
    compile_step(file, tmp_path, "int", *all_architectures())


@pytest.mark.parametrize("type", ["float", "double"])
def test_types(tmp_path, type):
    for file in STEPS.values():
        compile_step(file, tmp_path, type, "-arch=sm_90")

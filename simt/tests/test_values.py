"""Programs and what they printed on an H200 (data/h200, nvcc 13.0, with rows.h 13.5; figures with
commas for spaces, or a hash of each row): the CPU backend computes the same, with optimisation and
without."""

import platform
import re

import pytest

from backend import ROOT, run

FOLDER = ROOT / "simt/tests/data/h200"
# Lines: what a GPU approximates, and NaN's bits; garbage; products that several sums share, or, of
# two-byte floats, that a variable holds; floats that only an optimised program fuses.
DIFFERENT = {
    "values": "D26 D28 D29 I83 I84 I85 I86 I87 I88", "printf": "a: c: e: f: h: k:",
    "fma": " ".join(f"F{thread}.{i}" for thread in range(8) for i in range(16, 20)),
    "halves": " ".join(f"{type}.{row}" for type in ("half", "bf16") for row in (11, 12, 13)),
    "exact": "two.47", "tiles": "t2.39 t4.39 t8.39 t16.39 t32.39 t8of40.39"}
NOTES = {"values": {"wide-shift"}, "conversions": {"wide-shift"}, "printf": {"printf-format"}}
SLOW = "narrow", "special", "halves", "tiles"  # without optimisation


def has_fused_multiply_add():
    return platform.machine() != "x86_64" or re.search(
        r"^flags.*\bfma\b", open("/proc/cpuinfo").read(), re.MULTILINE)


def lines(text, name):
    """The lines of a text, without those that may differ."""
    return [line for line in text.splitlines()
            if re.split("[ ,]", line)[0] not in DIFFERENT.get(name, "").split()]


@pytest.mark.parametrize("name, options", [
    pytest.param(name, options, id="-".join([name, *options]),
                 marks=pytest.mark.slow if options and name in SLOW else ())
    for name in ("values", "conversions", "warp", "printf", "fma", "narrow", "special", "halves",
                 "exact", "tiles")
    for options in ([], ["--strict"])])
def test_as_on_a_gpu(tmp_path, name, options):
    if name in ("fma", "values") and not (has_fused_multiply_add() and not options):
        pytest.skip("no fused multiply-add")
    program = tmp_path / name
    assert run(ROOT / "simt/simtcc", *options, FOLDER / f"{name}.cu", "-o", program).returncode == 0
    done = run(program)
    assert done.returncode == 0
    measured, = (file for file in FOLDER.glob(f"{name}.*") if file.suffix != ".cu")
    printed = done.stdout if measured.suffix == ".txt" else done.stdout.replace(" ", ",")
    assert lines(printed, name) == lines(measured.read_text(), name)
    assert set(re.findall(r"--explain ([\w-]+)", done.stderr)) == NOTES.get(name, set())


FUSED = """
#include <cstdio>
#include <cuda_fp16.h>
template <class T> __global__ void fused(T third, T ninth) // which is rounded
{
    printf("%d ", (float)(third * third - ninth) != 0);
}

int main()
{
    volatile float third = 1 / 3.f, ninth = third * third;
    __half half(third);
    fused<<<1, 1>>>((float)third, (float)ninth), fused<<<1, 1>>>(half, half * half);
    cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize("option, fused", [
    ("-O0", "1 1 "), ("-fmad=true", "1 1 "), ("-fmad=false", "0 0 "), ("--strict", "0 1 ")])
def test_fmad(tmp_path, option, fused):
    if not has_fused_multiply_add():
        pytest.skip("no fused multiply-add")
    (tmp_path / "fused.cu").write_text(FUSED)
    assert run(ROOT / "simt/simtcc", option, "fused.cu", "-o", "fused", cwd=tmp_path).returncode == 0
    assert run(tmp_path / "fused").stdout == fused

"""Programs and what they printed on an H200 (data/h200, nvcc 13.0; figures with commas for spaces): the
CPU backend computes the same, with optimisation and without."""

import platform
import re

import pytest

from backend import ROOT, run

FOLDER = ROOT / "simt/tests/data/h200"
DIFFERENT = {  # lines: what a GPU approximates, and NaN's bits; garbage; products that several sums share
    "values": "D26 D28 D29 I83 I84 I85 I86 I87 I88", "printf": "a: c: e: f: h: k:",
    "fma": " ".join(f"F{thread}.{i}" for thread in range(8) for i in range(16, 20))}
NOTES = {"values": {"wide-shift"}, "conversions": {"wide-shift"}, "printf": {"printf-format"}}


def has_fused_multiply_add():
    return platform.machine() != "x86_64" or re.search(
        r"^flags.*\bfma\b", open("/proc/cpuinfo").read(), re.MULTILINE)


def lines(text, name):
    """The lines of a text, without those that may differ."""
    return [line for line in text.splitlines()
            if re.split("[ ,]", line)[0] not in DIFFERENT.get(name, "").split()]


@pytest.mark.parametrize("options", [[], ["--strict"]], ids=["optimised", "strict"])
@pytest.mark.parametrize("name", ["values", "conversions", "warp", "printf", "fma", "groups", "narrow"])
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

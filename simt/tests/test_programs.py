"""Programs (simt/tests/programs) that look at their own results, and print what is not as it must
be: what kernels and CUDA's calls do; programs and what they printed on an H200, which errors included.
(Streams and what waits: twins/async.cu.)"""

import csv
import platform
import re

import pytest

from backend import ENVIRONMENT, PRELUDE, ROOT, outcome, run, said, script, simtcc

FOLDER = ROOT / "simt/tests/programs"
PROGRAMS = [file for file in sorted(FOLDER.glob("*.cu")) if file.stem not in ("intrinsics", "warps")]
# C23's functions that CUDA has, too: what a C library has not yet, the next may have.
C23 = "".join(f'extern "C" {type} {name}{suffix}({type}) noexcept;\n' for name in (
    "exp10", "rsqrt", "sinpi", "cospi") for type, suffix in (("double", ""), ("float", "f")))


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_program(tmp_path, file):
    """Variables that begin as zeros take no room in the file."""
    assert outcome(file.read_text(), tmp_path) == ""
    assert (tmp_path / "kernel").stat().st_size < 2**21


def test_a_c_library_with_more_functions(tmp_path, monkeypatch):
    (tmp_path / "c23.h").write_text(C23)
    cxx = script(tmp_path / "cxx", f'exec g++ -include {tmp_path}/c23.h "$@"')
    monkeypatch.setitem(ENVIRONMENT, "CXX", str(cxx))
    assert outcome((FOLDER / "intrinsics.cu").read_text(), tmp_path) == ""


def test_printf(tmp_path):
    """Each thread's text is in one piece, behind the host's earlier output."""
    lines = outcome("""
__global__ void hello() { printf("block %u thread %u %s\\n", blockIdx.x, threadIdx.x, "100 %"); }
int main() { puts("before"), hello<<<3, 4>>>(), cudaDeviceSynchronize(), puts("after"); }
""", tmp_path).splitlines()
    assert (lines[0], lines[-1]) == ("before", "after")
    assert sorted(lines[1:-1]) == [f"block {block} thread {i} 100 %" for block in range(3) for i in range(4)]


def test_warp_operations(tmp_path):
    """A lane that waits for ever is told the operation's name."""
    program = simtcc(PRELUDE + (FOLDER / "warps.cu").read_text(), tmp_path / "x.cu")
    assert said(run(program)) == ""
    names = ["a shuffle"] * 4 + ["a vote"] * 3 + ["a match"] * 2 + ["a reduction"] * 6
    for number, name in enumerate(names):
        done = run(program, number)
        assert done.returncode == 4
        told = re.sub(r"\n +", " ", done.stderr)  # sentences are wrapped
        assert f"1 thread waits at {name}, mask 0xffffffff (" in told, done.stderr


@pytest.mark.parametrize("asked, expected", [("", "7 1"), ("#ifdef __CUDA_ARCH__\n#endif\n", "0 0")])
def test_code_of_some_gpus(tmp_path, asked, expected):
    """A source that compares __CUDA_ARCH__ is compiled for the newest device. One that also asks whether
    it is defined may have other code for the host there, so it is not defined."""
    (tmp_path / "old.h").write_text("""#if __CUDA_ARCH__ < 600 // the book's repair for old GPUs
__device__ int added() { return 0; }
#else
__device__ int added() { return 1; }
#endif
""")
    done = run(simtcc(asked + "#include <cstdio>" + """
#if UNKNOWN // no warning of this one
#endif
#include "old.h"
__host__ __device__ void set(int *seven)
{
    *seven = 0;
#if __CUDA_ARCH__ >= 700
    *seven = 7 * __popc(1); // the host has none
#endif
}
__global__ void k() { int seven; set(&seven), printf("%d %d", seven, added()); }
int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }
""", tmp_path / "x.cu"))
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")


# ---- values as on an H200 ----

# (data/h200, nvcc 13.0, with rows.h 13.5; figures with commas for spaces, or a hash of each row.)

MEASURED = ROOT / "simt/tests/data/h200"
# Lines: what a GPU approximates, and NaN's bits; garbage; products that several sums share, or, of
# two-byte floats, that a variable holds; floats that only an optimised program fuses.
DIFFERENT = {
    "values": "D26 D28 D29 I83 I84 I85 I86 I87 I88", "printf": "a: c: e: f: h: k:",
    "fma": " ".join(f"F{thread}.{i}" for thread in range(8) for i in range(16, 20)),
    "halves": " ".join(f"{type}.{row}" for type in ("half", "bf16") for row in (11, 12, 13)),
    "tiles": "t2.39 t4.39 t8.39 t16.39 t32.39 t8of40.39"}
NOTES = {"values": {"wide-shift"}, "conversions": {"wide-shift"}, "printf": {"printf-format"}}
SLOW = "conversions", "warp", "printf", "exact", "narrow", "special", "halves", "tiles"  # without optimisation


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
    """The CPU backend computes the same, with optimisation and without."""
    if name in ("fma", "values") and not (has_fused_multiply_add() and not options):
        pytest.skip("no fused multiply-add")
    program = tmp_path / name
    assert run(ROOT / "simt/simtcc", *options, MEASURED / f"{name}.cu", "-o", program).returncode == 0
    done = run(program)
    assert done.returncode == 0
    measured, = (file for file in MEASURED.glob(f"{name}.*") if file.suffix != ".cu")
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


# ---- which error each wrong call gives (errors.cu): that of a GPU, or, where the table says so, of the guide ----

SOURCE, TABLE = ROOT / "simt/tests/errors.cu", ROOT / "simt/tests/data/errors_h200.csv"


def rows(text):
    return list(csv.DictReader(line for line in text.splitlines() if line[:1] != "#"))


def test_here(tmp_path):
    done = run(simtcc(SOURCE.read_text(), tmp_path / "errors.cu", "-Wall", "-Wextra"))
    expected = [row for row in rows(TABLE.read_text()) if row["here"] != "ends"]
    for row in expected:
        if row.pop("here") == "documented":
            row["result"] = row["last"] = "cudaErrorInvalidConfiguration"
    assert rows(done.stdout) == expected
    assert done.returncode == 4 and "access to no memory at all" in done.stderr  # it ends there


def test_memory_that_could_not_be_had(tmp_path):
    """A kernel's null pointer is told with the call that nobody looked at."""
    program = simtcc("__global__ void k(int *p) { p[1] = 1; }\nint main()\n{\n    int *p = 0;\n"
                     "    cudaMalloc(&p, 1ul << 50);\n    k<<<1, 1>>>(p);\n}\n", tmp_path / "x.cu")
    assert re.search(r"null pointer plus 4 bytes: the call at \S*x.cu:5 failed, and nobody looked",
                     " ".join(run(program).stderr.split()))


@pytest.mark.parametrize("limit", ["-d", "-v"])
def test_no_address_space(tmp_path, limit):
    """The program has not begun when it is told."""
    program = simtcc("int main() { return 0; }\n", tmp_path / "x.cu")
    done = run("bash", "-c", f'ulimit {limit} 100000; exec "$0"', program)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "simt: no address space: want 368 MiB at least (ulimit -v or -d?)\n"

"""CUDA's names, which simtcc has g++ parse once for all programs (simtcc --precompile)."""

import os
import re
import shutil

import pytest

from backend import READY, ROOT, run, script


@pytest.mark.parametrize("options, told, parsed", [
    (("-std=c++20",), "20 1 0 0", False),
    (("-DNDEBUG", "-DMORE"), "17 0 0 1", True), (("-funsigned-char", "-O2"), "17 1 1 0", False),
    (("-D", "MORE", "-UMORE", "-DNDEBUG", "-U", "NDEBUG", "-std=c++14"), "17 1 0 0", True),
    (("-DMORE=7", "-Dk=other", "-DCALL(x)=x"), "17 1 0 7", True)])
def test_names_parsed_before_are_those_of_the_call(tmp_path, options, told, parsed):
    """CUDA's names are precompiled, which halves the time to compile the programs of the ladder. No
    option of a call may be lost for that: here the standard (17 at least), the headers' own
    switches, and a sign. The program's own includes come on top."""
    script(tmp_path / "g++", 'exec g++ -H "$@"')
    (tmp_path / "x.cu").write_text("""
        #include <cuda_runtime.h>
        #include <cassert>
        #include <cstdio>
        #ifndef MORE
        #define MORE 0
        #endif
        #ifndef CALL
        #define CALL(x) x
        #endif
        __global__ void k(int *p) { *p = (char)-1 > 0; }
        int main()
        {
            int *p, sign, asserted = 0;
            CALL(cudaMalloc(&p, sizeof *p));
            k<<<1, 1>>>(p);
            cudaMemcpy(&sign, p, sizeof sign, cudaMemcpyDeviceToHost);
            assert(++asserted);
            printf("%d %d %d %d\\n", (int)(__cplusplus / 100 % 100), asserted, sign, MORE);
        }
    """)
    done = run(ROOT / "simt/simtcc", *options, "x.cu", "-o", "x", cwd=tmp_path,
               env=READY | {"CXX": tmp_path / "g++"})
    taken = re.search(r"^! .*/cuda\.h\.gch$", done.stderr, re.MULTILINE)  # as -H tells it
    assert done.returncode == 0 and bool(taken) == parsed, done.stderr
    assert run(tmp_path / "x").stdout == told + "\n"


def test_names_that_cannot_be_had_parsed(tmp_path):
    """Missing, or another compiler's: then each program parses them. Here in a folder whose name is odd."""
    tmp_path /= "a, b' $x %s"
    shutil.copytree(ROOT / "simt", tmp_path / "simt")
    shutil.copytree(ROOT / "build/simt", tmp_path / "build/simt",
                    ignore=shutil.ignore_patterns("*.o.*", "run", "watch", "judge"))
    parsed = tmp_path / "build/simt/cuda.h.gch"
    assert parsed.stat().st_size > 1e6  # it was there
    (tmp_path / "x.cu").write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
    for damage in (lambda: parsed.write_bytes(b"gpch.014" * 99)), parsed.unlink:
        damage()
        done = run(tmp_path / "simt/simtcc", "-Wall", "x.cu", "-o", "x", cwd=tmp_path, env=READY)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert run(tmp_path / "x").returncode == 0


def test_names_are_parsed_whole(tmp_path):
    """If a file cannot be moved, none is written. The rest of a killed call goes, and so does the temporary
    folder."""
    (tmp_path / "temporary").mkdir()
    (tmp_path / "cuda.h").write_text("#include <cuda_runtime.h>\n")
    (tmp_path / f"cuda.h.gch.{2**30}").write_text("of a process that is no more")
    script(tmp_path / "bin/mv", "exit 1")
    for path, left in (f"{tmp_path}/bin:", set()), ("", {"cuda.h.gch", "cuda.names"}):
        done = run(ROOT / "simt/simtcc", "--precompile", tmp_path / "cuda.h.gch", env={
            "PATH": path + os.environ["PATH"], "TMPDIR": str(tmp_path / "temporary")})
        assert done.returncode == (0 if left else 1), done
        assert set(os.listdir(tmp_path)) - {"bin", "temporary", "cuda.h"} == left
        assert os.listdir(tmp_path / "temporary") == []

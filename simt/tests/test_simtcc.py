"""simtcc, and programs that know nothing of the backend: SIMT_ settings, exit status, errors."""

import os
import re
import shutil

import pytest

from backend import COUNTERS_HEADER, ROOT, assert_refused, run, simtcc

READY = {"SIMTCC_TOOLS_READY": "1"}
TWO_LAUNCHES = """
#include <cstdio>
static_assert(__cplusplus == 201703L);  // as nvcc has it

__device__ void set(int *p)
{
	p[threadIdx.x] = 1;	/* behind tabs */
}

__global__ void fill(int *p) { set(p); }

int main()
{
    int *p;
    if (cudaMalloc(&p, 256) != cudaSuccess)
        return 1;
    fill<<<1, 64>>>(p);
    fill<<<1, 32>>>(p);
    puts("filled");
    return 7;
}
"""


def test_counters_of_any_program(tmp_path):
    """SIMT_COUNTERS: on standard error, so that the program's output and status are its own."""
    program = simtcc(TWO_LAUNCHES, tmp_path / "kernel.cu")

    def told(style):
        done = run(program, env={"SIMT_COUNTERS": style})
        assert (done.returncode, done.stdout) == (7, "filled\n")
        return done.stderr.splitlines()

    assert told("off") == told("") == []
    assert told("csv") == [COUNTERS_HEADER,
                           f",1,1,64,{tmp_path}/kernel.cu,7,global,store,2,64,8,,",
                           f",2,1,32,{tmp_path}/kernel.cu,7,global,store,1,32,4,,"]
    title, blocks, *rows = told("table")
    assert title.split() == "counters, 2 launches launch 1 launch 2 all".split()
    assert blocks.split() == "blocks x threads 1 x 64 1 x 32".split()
    table = [row.split() for row in rows]
    assert "store requests 2 1 3".split() in table and "sectors 8 4 12".split() in table
    title, _, _, _, *lines = told("annotate")
    assert title == f"{tmp_path}/kernel.cu, launches: 2"
    assert [line.split() for line in lines] == [
        "| 5 __device__ void set(int *p)".split(), "| 6 {".split(),
        "global store 3 32.00 4.00s | 7 p[threadIdx.x] = 1; /* behind tabs */".split(),
        "| 8 }".split()]
    (tmp_path / "ker").mkdir()  # no folder of the file's, though its path begins so
    done = run(program, env={"SIMT_COUNTERS": "csv"}, cwd=tmp_path / "ker")
    assert f",{tmp_path}/kernel.cu,7,global," in done.stderr


def test_bad_settings(tmp_path):
    program = simtcc(TWO_LAUNCHES, tmp_path / "kernel.cu")
    for name, value, remedy in (("SIMT_COUNTERS", "on", "want table, csv, annotate or off"),
                                ("SIMT_CHECKS", "0", "want on or off"),
                                *(("SIMT_WATCHDOG", value, "want seconds, or 0")
                                  for value in ("-1", "soon", "5s")),
                                ("SIMT_ORDER", "-7", "want a seed, a whole number")):
        assert_refused(run(program, env={name: value}), 2, f"simt: {name}={value}: {remedy}")


WRONG_CALLS = [  # what simtcc is called with, its environment, what it says
    (["nowhere.cu"], {}, "nowhere.cu: no such file"), (["no\nthing.cu"], {}, "no?thing.cu: no"),
    (["folder.cu"], {}, "folder.cu: no such file"), (["pipe.cu"], {}, "pipe.cu: no such file"),
    ([], {}, "no .cu file; usage: simtcc"), (["x.cu", "-o"], {}, "-o needs a value"),
    (["x.cu", "-I"], {}, "-I needs a value"), (["x.cu", "-arch"], {}, "-arch needs a value"),
    (["x.cu", "-S"], {}, "-S: simtcc makes objects (-c) and programs"),
    (["-c", "x.cu", "x.cu"], {}, "-c: want one .cu file at a time"),
    (["x.cu", "-o", "x.cu"], {}, "-o x.cu: is the source; want another name"),
    *((["x.cu", "-o", name], {}, f"-o {name}: cannot be written; want the name of a file")
      for name in ("", "folder.cu", "no/where", "/dev/null")),
    (["x.cu"], {"CXX": "/bin/true"}, "CXX=/bin/true is no g++"),
    (["x.cu"], {"CXX": "-m64"}, "CXX=-m64 not found"),
    (["x.cu"], {"TMPDIR": "none"}, "TMPDIR=none: no folder that can be written; want one"),
    (["--strict", "x.cu"], {"SIMTCC_HOOKS": "off"}, "--strict is for the checks, which"),
]


@pytest.mark.parametrize("arguments, env, says", WRONG_CALLS, ids=lambda value: str(value)[:40])
def test_wrong_calls(tmp_path, arguments, env, says):
    """Each is told in one line, and nothing is written."""
    (tmp_path / "folder.cu").mkdir()
    os.mkfifo(tmp_path / "pipe.cu")
    (tmp_path / "x.cu").write_text("int main() {}\n")
    done = run(ROOT / "simt/simtcc", *arguments, cwd=tmp_path, env=READY | env)
    assert_refused(done, 2, f"simtcc: {says}")
    assert (tmp_path / "x.cu").read_text() == "int main() {}\n" and len(os.listdir(tmp_path)) == 3


FILES = {"main.cu": """
#include "near.h"
#include <far.h>
#include <cmath>
#include <cstdio>
#ifdef GONE
#error "-U does nothing"
#endif
int launch(), other();
int main()
{
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads++;
    printf("%d %d %d %d %d %d %.3f %d %d %d\\n", launch(), other(), TWO, NEAR, FAR, FIRST,
           std::min(std::riemann_zeta(2.0), 2.0) /* as <cmath> has them */, threads, (char)-1 > 0,
           (int)(__cplusplus / 100 % 100));
}
""", "kernel.cu": """
__global__ void seven(int *out) { *out = 6 + ONE; }
int launch()
{
    int *out, result;
    if (cudaMalloc(&out, sizeof *out) != cudaSuccess)
        return 1;
    seven<<<1, 1>>>(out);
    return cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost) ? 2 : result;
}
""", "other.cpp": '#include "near.h"\nint other() { return 10 * TWO + NEAR; }\n',
    "a b/near.h": "#define NEAR 3\n", "b/far.h": "#define FAR 4\n", "first.h": "#define FIRST 5\n"}


@pytest.mark.parametrize("options, name, told", [
    ([], "a.out", "1 0 17"), (["-oit"], "it", "1 0 17"), (["-o=it"], "it", "1 0 17"),
    (["-o", "it", "-std", "c++20"], "it", "1 0 20"),
    (["-Xcompiler", "-fopenmp,-funsigned-char"], "a.out", "2 1 17"),
    (["-Xcompiler=-fopenmp"], "a.out", "2 0 17"),
    ("-arch sm_90 -arch=sm_90 -gencode arch=compute_90,code=sm_90 -G -lineinfo -rdc=true -lcudart "
     "--expt-relaxed-constexpr -Xptxas -v --use_fast_math".split(), "a.out", "1 0 17"),
    (["-v", "-O2", "-lm"], "a.out", "1 0 17")], ids=str)
def test_options(tmp_path, options, name, told):
    """Those of g++ that a call needs, which hold for the host's files, too; those for nvcc alone.
    Several files at once, and an object that is linked later."""
    for file, text in FILES.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    common = ["-I", "a b", "-isystem", "b", "-include", "first.h", "-DONE=1", "-D", "TWO=2",
              "-DGONE", "-U", "GONE", *options]
    later = [["-c", "kernel.cu", "-o", "kernel.o"], ["kernel.o", "main.cu", "other.cpp"]]
    for files in [["kernel.cu", "main.cu", "other.cpp"], *later * ("-Xcompiler" in options)]:
        done = run(ROOT / "simt/simtcc", *common, *files, cwd=tmp_path, env=READY)
        assert (done.returncode, done.stdout) == (0, "")
        shown = ["simt-rewrite main.cu", " -O2 ", " -lm "] if options[:1] == ["-v"] else []
        assert done.stderr == "" if not shown else all(
            word in done.stderr for word in shown if "main.cu" in files), done.stderr
        assert not {"it", "a.out"} & set(os.listdir(tmp_path)) - {name}
        if files[0] != "-c":
            assert run(tmp_path / name).stdout == f"7 23 2 3 4 5 1.645 {told}\n"
            (tmp_path / name).unlink()


@pytest.mark.parametrize("uses, all_of_it", [
    ("try { throw 7; } catch (int seven) { delete new int(seven); }", False),
    ("std::string text(argc, 'x'); std::cout << text;", True)])
def test_the_cpp_library_is_linked_where_it_is_needed(tmp_path, uses, all_of_it):
    """It takes half of the time to link."""
    program = simtcc("#include <iostream>\n#include <string>\n" * all_of_it +
                     f"int main(int argc, char **) {{ {uses} return argc - 1; }}", tmp_path / "x.cu",
                     "-Wno-unused-parameter")
    done = run(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "x" * all_of_it, "")
    assert (b"libstdc++.so" in program.read_bytes()) == all_of_it


def test_simtcc_link_options(tmp_path):
    """Libraries in a folder, options for the linker, no shared ones. Nothing is left behind."""
    (tmp_path / "temporary").mkdir()
    (tmp_path / "seven.c").write_text("int seven(void) { return 7; }")
    (tmp_path / "libs").mkdir()
    assert run("gcc", "-c", "seven.c", "-o", "libs/seven.o", cwd=tmp_path).returncode == 0
    assert run("ar", "rcs", "libs/libseven.a", "libs/seven.o", cwd=tmp_path).returncode == 0
    program = simtcc(TWO_LAUNCHES.replace("return 7;", "return seven();").replace(
        "__global__", 'extern "C" int seven(void);\n__global__'), tmp_path / "kernel.cu", "-static",
        f"-L{tmp_path}/libs", "-lseven", f"-Wl,-Map={tmp_path}/map",
        env={"TMPDIR": str(tmp_path / "temporary")})
    assert os.listdir(tmp_path / "temporary") == []
    done = run(program)
    assert (done.returncode, done.stdout, done.stderr) == (7, "filled\n", "")
    linked = (tmp_path / "map").read_text()
    assert "libseven.a" in linked and "libc.a" in linked


def test_simtcc_builds_its_tools(tmp_path):
    """Unless the Makefile, which has built them, says so."""
    (tmp_path / "make").write_text(f'#!/bin/sh\necho "$MAKEFLAGS $@" >>{tmp_path}/log\nexit 3\n')
    (tmp_path / "make").chmod(0o755)
    (tmp_path / "kernel.cu").write_text("not C")
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "MAKEFLAGS": "n"}
    assert run(ROOT / "simt/simtcc", tmp_path / "kernel.cu", env=env).returncode == 3
    assert (tmp_path / "log").read_text() == f" -s -C {ROOT}/simt\n"
    done = run(ROOT / "simt/simtcc", tmp_path / "kernel.cu", env=env | READY)
    assert "kernel.cu:1:1: error: " in done.stderr
    assert (tmp_path / "log").read_text().count("\n") == 1


@pytest.mark.parametrize("name", ["-x", "o'b'; touch X; '", 'größe "测" $(touch X)', "%s\\n"])
def test_names(tmp_path, name):
    """A file may be called so, and a program: it is compiled, and its lines are found. No shell
    runs what it is called."""
    (tmp_path / f"{name}.cu").write_text(TWO_LAUNCHES)
    done = run(ROOT / "simt/simtcc", f"./{name}.cu", "-o", name, cwd=tmp_path, env=READY)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = run(f"./{name}", cwd=tmp_path, env={"SIMT_COUNTERS": "csv"})
    assert f",2,1,32,./{name}.cu,7,global,store,1,32,4,,\n" in done.stderr
    assert sorted(os.listdir(tmp_path)) == sorted([name, f"{name}.cu"])


@pytest.mark.parametrize("options, told, parsed", [
    ((), "17 1 0 0", True), (("-std=c++20",), "20 1 0 0", False),
    (("-std=c++14",), "17 1 0 0", True),
    (("-DNDEBUG", "-DMORE"), "17 0 0 1", True), (("-funsigned-char", "-O2"), "17 1 1 0", False),
    (("-D", "MORE", "-UMORE", "-DNDEBUG", "-U", "NDEBUG"), "17 1 0 0", True),
    (("-DMORE=", "-Dk=other", "-DCALL(x)=x", "-O3"), "17 1 0 1", False),
    (("-DTYPE=float", "-DBLOCK=64", "-DOP=OP_max", "-DFIXED", "-DN=9"), "17 1 0 0", True)])
def test_names_parsed_before_are_those_of_the_call(tmp_path, options, told, parsed):
    """CUDA's names are precompiled, which halves the time to compile the programs of the ladder. No
    option of a call may be lost for that: here the standard (17 at least), the headers' own
    switches, and a sign. What the program includes itself comes on top."""
    (tmp_path / "g++").write_text('#!/bin/sh\nexec g++ -H "$@"\n')
    (tmp_path / "g++").chmod(0o755)
    (tmp_path / "x.cu").write_text("""
        #include <cuda_runtime.h>
        #include <cassert>
        #include <cstdio>
        #ifdef MORE
        enum { more = 1 };
        #else
        enum { more = 0 };
        #endif
        #ifndef CALL
        #define CALL(x) x
        #endif
        #ifdef FIXED
        static_assert(FIXED == 1 && N == 9);
        #endif
        __global__ void k(int *p) { *p = (char)-1 > 0; }
        int main()
        {
            int *p, sign, asserted = 0;
            CALL(cudaMalloc(&p, sizeof *p));
            k<<<1, 1>>>(p);
            cudaMemcpy(&sign, p, sizeof sign, cudaMemcpyDeviceToHost);
            assert(++asserted);
            printf("%d %d %d %d\\n", (int)(__cplusplus / 100 % 100), asserted, sign, more);
        }
    """)
    done = run(ROOT / "simt/simtcc", *options, "x.cu", "-o", "x", cwd=tmp_path,
               env=READY | {"CXX": tmp_path / "g++"})
    taken = re.search(r"^! .*/cuda\.h\.gch$", done.stderr, re.MULTILINE)  # as -H tells it
    assert done.returncode == 0 and bool(taken) == parsed, done.stderr
    assert run(tmp_path / "x").stdout == told + "\n"


@pytest.mark.parametrize("damage", ["missing", "another compiler's"])
def test_names_that_cannot_be_had_parsed(tmp_path, damage):
    """Then each program parses them."""
    shutil.copytree(ROOT / "simt", tmp_path / "simt")
    shutil.copytree(ROOT / "build/simt", tmp_path / "build/simt",
                    ignore=shutil.ignore_patterns("*.o.*", "run", "watch", "judge"))
    parsed = tmp_path / "build/simt/cuda.h.gch"
    assert parsed.stat().st_size > 1e6  # it was there
    if damage == "missing":
        parsed.unlink()
    else:
        parsed.write_bytes(b"gpch.014" * 99)
    (tmp_path / "x.cu").write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
    done = run(tmp_path / "simt/simtcc", "-Wall", "x.cu", "-o", "x", cwd=tmp_path, env=READY)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert run(tmp_path / "x").returncode == 0


def test_simtcc_help():
    for option in "-h", "--help":
        done = run(ROOT / "simt/simtcc", option)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("simtcc: compiles CUDA for the CPU backend")
        assert "simtcc FILE.cu … [-o PROGRAM]" in done.stdout and "set -" not in done.stdout


def test_a_kernel_in_a_header(tmp_path):
    """It is told where it stands, not at that line of the file that includes it."""
    (tmp_path / "kernel.cuh").write_text(
        "\n\n__global__ void k(int *p)\n{\n    *p = threadIdx.x;\n}\n")
    program = simtcc("""#include "kernel.cuh"
        int main() { int *p; return cudaMalloc(&p, 4) || (k<<<1, 64>>>(p), cudaDeviceSynchronize()); }
    """, tmp_path / "main.cu")
    done = run(program, env={"SIMT_COUNTERS": "csv"})
    assert done.returncode == 4
    assert f"  {tmp_path}/kernel.cuh:5  *p = threadIdx.x;\n" in done.stderr
    assert f",{tmp_path}/kernel.cuh,5,global,store,2,64,2,,\n" in done.stderr

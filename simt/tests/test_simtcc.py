"""simtcc, and programs that know nothing of the backend: SIMT_ settings, exit status, errors."""

import os
import re
import shutil

import pytest

from backend import COUNTERS_HEADER, ROOT, assert_refused, compile_together, on_a_terminal, run, simtcc

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
    shown = on_a_terminal(90, program, env={"SIMT_COUNTERS": "annotate"}, status=7, stream="stderr")
    assert "|  7         p[threadIdx.x] = 1;     /* behind tabs */\n" in shown
    (tmp_path / "ker").mkdir()  # no folder of the file's, though its path begins so
    done = run(program, env={"SIMT_COUNTERS": "csv"}, cwd=tmp_path / "ker")
    assert f",{tmp_path}/kernel.cu,7,global," in done.stderr


def test_large_grids_fit_their_column(tmp_path):
    source = TWO_LAUNCHES.replace("<<<1, 64>>>", "<<<100000, 10>>>").replace(
        "<<<1, 32>>>", "<<<1000000, 10>>>")
    done = run(simtcc(source, tmp_path / "kernel.cu"),
               env={"SIMT_COUNTERS": "table", "SIMT_CHECKS": "off"})
    lines = done.stderr.splitlines()
    assert lines[1] == f"{'blocks x threads':27} {'100000 x 10':>11} {'1000000x10':>11}"
    assert lines[0].index("launch 2") + len("launch 2") == len(lines[1])


def test_bad_settings(tmp_path):
    program = simtcc(TWO_LAUNCHES, tmp_path / "kernel.cu")
    for name, value, remedy in (("SIMT_COUNTERS", "on", "want table, csv, annotate or off"),
                                ("SIMT_CHECKS", "0", "want on or off"),
                                ("SIMT_ORDER", "-7", "want a seed, a whole number")):
        assert_refused(run(program, env={name: value}), 2, f"simt: {name}={value}: {remedy}")


# What one thread of many does, and how its report begins.
BUGS = [
    ("s[0] = i;\n    __syncthreads();\n    out[i] = s[0];", "race in shared memory, kernel bug"),
    ("out[0] = i;", "race in global memory, kernel bug"),
    ("s[i] = i;\n    __syncthreads();\n    out[i] = s[i + 1];",
     "out of bounds in shared memory, kernel bug"),
    ("out[i + 1] = i;", "out of bounds in global memory, kernel bug"),
    ("out[i] = s[i];", "uninitialised shared memory, kernel bug"),
    ("out[i] = host[0];", "host pointer in a kernel, kernel bug"),
    ("if (i < 32)\n        __syncthreads();\n    else\n        __syncthreads();",
     "divergent barrier, kernel bug"),
    ("out[i] = __shfl_sync(1u << i % 32, i, i + 1);",
     "warp operation with a wrong mask, kernel bug"),
    ("out[i] = __shfl_sync(1u << (i + 1) % 32, i, i);",
     "warp operation with a wrong mask, kernel bug"),
    ("if (i % 32)\n        __syncwarp();\n    else\n        __syncthreads();",
     "deadlock, kernel bug"),
    ("*(volatile int *)8 = i;", "access to no memory at all, kernel bug"),
    ("if (i == 3)\n        __trap();", "__trap(), kernel bug"),
    ("}\nstatic void on_host(int *out)\n{\n    out[3] = 1;", "device pointer on the host"),
    ("}\nstatic void on_host(int *out)\n{\n    cudaFree(out + 1);", "error nobody looked at"),
    ("}\nstatic void on_host(int *out)\n{\n    bug<<<1, 1025>>>(out, out);",
     "error nobody looked at, kernel bug"),
]


BUG = """
#include <cstdlib>

__global__ void bug(int *out, const int *host)
{
    __shared__ int s[64];
    int i = threadIdx.x;
    if (!host)
        s[i] = out[i];
    BODY
}

int main(int argc, char **argv)
{
    int *out, *host = new int[1], status = argc > 1 ? atoi(argv[1]) : 0;
    *host = 1;
    if (cudaMalloc(&out, 64 * sizeof *out) != cudaSuccess)
        return 9;
    bug<<<1, 64>>>(out, host);
    ON_HOST
    if (status == 3)
        exit(status);
    return status;
}
"""


@pytest.fixture(scope="module")
def bugs(tmp_path_factory):
    """A program each, {body: path}. Behind shared memory that is left lies no other kernel's."""
    folder, files = tmp_path_factory.mktemp("bugs"), []
    for number, (body, _) in enumerate(BUGS):
        on_host = "on_host(out);" if "on_host" in body else ""
        files.append((f"bug{number}", folder / f"{number}.txt"))
        files[-1][1].write_text(BUG.replace("BODY", body).replace("ON_HOST", on_host))
    alone = [file for file, (_, title) in zip(files, BUGS) if "bounds in shared" in title]
    paths = {}
    for number, some in enumerate(([file for file in files if file not in alone], alone)):
        paths |= compile_together(some, folder / str(number) / "together.cu", "-Wno-unused")
    return {body: paths[name] for (body, _), (name, _) in zip(BUGS, files)}


@pytest.mark.parametrize("body, title", BUGS, ids=lambda value: str(value).partition("\n")[0])
def test_a_bug_decides_the_status(bugs, body, title):
    """Whatever the program itself thinks of its result, and however it ends."""
    for status in "0", "1", "3":
        done = run(bugs[body], status)
        assert (done.returncode, done.stdout) == (4, "")
        assert done.stderr.startswith(f"\nsimt: {title}")
        assert done.stderr.count("simt: ") == 1, done.stderr


def test_simtcc_errors(tmp_path):
    """g++'s messages carry the .cu's own lines; a wrong call is told in one line."""
    file = tmp_path / "broken.cu"
    file.write_text("__global__ void k(int *p)\n{\n    *p = undeclared;\n}\n"
                    "int main() { k<<<1, 1>>>(nullptr); }\n")
    simtcc, ready = ROOT / "simt/simtcc", {"SIMTCC_TOOLS_READY": "1"}
    done = run(simtcc, file, "-o", tmp_path / "broken", env=ready)
    assert done.returncode != 0 and not (tmp_path / "broken").exists()
    assert re.findall(r"broken\.cu:(\d+):\d+: error: (.*)", done.stderr) == [
        ("3", "'undeclared' was not declared in this scope")]
    (tmp_path / "folder.cu").mkdir()
    os.mkfifo(tmp_path / "pipe.cu")
    for arguments, word in (["nowhere.cu"], "nowhere.cu"), (
            ["no\nwhere.cu"], "no?where.cu: no such file"), ([], "no .cu file"), (
            [file, "-o"], "-o needs"), ([file, "-I"], "-I needs a value"), (
            [file, "-arch"], "-arch needs a value"), ([file, "-S"], "-S: simtcc makes objects (-c) and programs"), (
            [tmp_path / "folder.cu"], "folder.cu: no such file"), (
            [tmp_path / "pipe.cu"], "pipe.cu: no such file"), (
            [file, "-o", file], "is the source"):
        assert_refused(run(simtcc, *arguments, env=ready), 2, "simtcc: ", word)
    for output in "", tmp_path, tmp_path / "no/where", "/dev/null":
        assert_refused(run(simtcc, file, "-o", output, env=ready), 2, f"simtcc: -o {output}: ",
                       "want the name of a file")
    assert file.read_text().startswith("__global__")
    for variable, value, word in (("CXX", "/bin/true", "is no g++"), ("CXX", "-m64", "not found"), (
            "TMPDIR", tmp_path / "none", "no folder that can be written; want one")):
        assert_refused(run(simtcc, file, env=ready | {variable: str(value)}), 2,
                       f"simtcc: {variable}={value}", word)


MAIN = """
#include "near.h"
#include <far.h>
#include <cmath>
#include <cstdio>

#ifdef GONE
#error "-U does nothing"
#endif

void launch(int *out);

int main()
{
    int *out, result;
    if (cudaMalloc(&out, sizeof *out) != cudaSuccess)
        return 1;
    launch(out);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d %d %d %d %.3f\\n", result, ONE, TWO, NEAR, FAR, FIRST, (int)__cplusplus,
           std::min(std::riemann_zeta(2.0), 2.0)); // as <cmath> has them
}
"""
KERNEL = """
__global__ void seven(int *out) { *out = 7; }
void launch(int *out) { seven<<<1, 1>>>(out); }
"""


def test_simtcc_options(tmp_path):
    """Those of g++ that a call needs, several files, what is for nvcc alone; a.out if no other name
    is given; -v shows the commands."""
    for name, text in {"main.cu": MAIN, "kernel.cu": KERNEL, "a b/near.h": "#define NEAR 3",
                       "b/far.h": "#define FAR 4", "first.h": "#define FIRST 5"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    call = [ROOT / "simt/simtcc", "main.cu", "kernel.cu", "-I", "a b", "-isystem", "b", "-include",
            "first.h", "-DONE=1", "-D", "TWO=2", "-DGONE", "-U", "GONE", "-std=c++20",
            "-arch=sm_90", "-gencode", "arch=compute_90,code=sm_90", "-lineinfo", "-O2", "-lm",
            "-Xcompiler", "-funsigned-char", "-v"]
    done = run(*call, cwd=tmp_path, env={"SIMTCC_TOOLS_READY": "1"})
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert [word for word in ("simt-rewrite main.cu", "simt-rewrite kernel.cu", " -O2 ",
                              " -lm ", " -funsigned-char ")
            if word not in done.stderr] == []
    done = run("./a.out", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "7 1 2 3 4 5 202002 1.645\n", "")


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
    done = run(ROOT / "simt/simtcc", tmp_path / "kernel.cu", env=env | {"SIMTCC_TOOLS_READY": "1"})
    assert "kernel.cu:1:1: error: " in done.stderr
    assert (tmp_path / "log").read_text().count("\n") == 1


@pytest.mark.parametrize("name", ["-x", "o'b'; touch X; '", 'größe "测" $(touch X)', "%s\\n"])
def test_names(tmp_path, name):
    """A file may be called so, and a program: it is compiled, and its lines are found. No shell
    runs what it is called."""
    (tmp_path / f"{name}.cu").write_text(TWO_LAUNCHES)
    done = run(ROOT / "simt/simtcc", f"./{name}.cu", "-o", name, cwd=tmp_path,
               env={"SIMTCC_TOOLS_READY": "1"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = run(f"./{name}", cwd=tmp_path, env={"SIMT_COUNTERS": "csv"})
    assert f",2,1,32,./{name}.cu,7,global,store,1,32,4,,\n" in done.stderr
    assert sorted(os.listdir(tmp_path)) == sorted([name, f"{name}.cu"])


@pytest.mark.parametrize("options, told", [
    ((), "17 1 0 0"), (("-std=c++20",), "20 1 0 0"), (("-std=c++14",), "17 1 0 0"),
    (("-DNDEBUG", "-DMORE"), "17 0 0 1"), (("-funsigned-char", "-O2"), "17 1 1 0"),
    (("-D", "MORE", "-UMORE", "-DNDEBUG", "-U", "NDEBUG"), "17 1 0 0"),
    (("-DMORE=", "-Dk=other", "-DCALL(x)=x", "-O3"), "17 1 0 1")])
def test_names_parsed_before_are_those_of_the_call(tmp_path, options, told):
    """CUDA's names are precompiled, which no option of a call must be lost for: here the standard
    (17 at least), the headers' own switches, and a sign. What the program includes itself comes on
    top."""
    program = simtcc("""
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
    """, tmp_path / "kernel.cu", "-Wno-all", *options)
    assert run(program).stdout == told + "\n"


@pytest.mark.parametrize("options, taken", [
    (["-DTYPE=float", "-DBLOCK=64", "-DOP=OP_max", "-DFIXED", "-DN=9"], True),  # TYPE is libstdc++'s
    (["-DNDEBUG"], False)])
def test_names_are_parsed_once(tmp_path, options, taken):
    """Also for the programs of the ladder: it halves the time to compile them."""
    (tmp_path / "g++").write_text('#!/bin/sh\nexec g++ -Winvalid-pch "$@"\n')
    (tmp_path / "g++").chmod(0o755)
    (tmp_path / "x.cu").write_text(
        "#ifdef FIXED\nstatic_assert(FIXED == 1 && N == 9);\n#endif\nint main() {}\n")
    done = run(ROOT / "simt/simtcc", *options, "x.cu", "-o", "x", cwd=tmp_path,
               env={"SIMTCC_TOOLS_READY": "1", "CXX": tmp_path / "g++"})
    assert done.returncode == 0 and ("-Winvalid-pch" not in done.stderr) == taken, done.stderr


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
    done = run(tmp_path / "simt/simtcc", "-Wall", "-Wextra", "x.cu", "-o", "x", cwd=tmp_path,
               env={"SIMTCC_TOOLS_READY": "1"})
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


def test_a_kernel_behind_a_pointer(tmp_path):
    """It is called by its own name."""
    done = run(simtcc("""
template <int n> __global__ void of(int *p) { p[n] = 1; }
int main()
{
    struct { void (*kernel)(int *); } table[] = {{of<1>}, {of<2>}};
    int *p;
    return cudaMalloc(&p, 4) || (table[1].kernel<<<1, 1>>>(p), cudaDeviceSynchronize());
}
""", tmp_path / "k.cu"))
    assert done.returncode == 4
    assert "simt: out of bounds in global memory, kernel of<2>\n" in done.stderr


# ---- as nvcc is called ----

LIKE_NVCC = """#include <cstdio>
int other();
__global__ void set(int *p) { *p = V; }
int main()
{
    int *p, h = 0, threads = 0;
    cudaMalloc(&p, 4);
    set<<<1, 1>>>(p);
    cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads++;
    printf("%d %d %d\\n", h, other(), threads);
    return cudaFree(p);
}
"""


@pytest.mark.parametrize("options, threads", [
    (["-oit"], 1), (["-o=it"], 1), (["-o", "it", "-std", "c++17"], 1),
    (["-o", "it", "-Xcompiler", "-fopenmp,-O2"], 2), (["-o", "it", "-Xcompiler=-fopenmp"], 2)])
def test_as_nvcc_is_called(tmp_path, options, threads):
    """-I and -D hold for the host's files, too; an object can be linked later."""
    (tmp_path / "main.cu").write_text(LIKE_NVCC)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/w.h").write_text("#define W 3\n")
    (tmp_path / "other.cpp").write_text('#include "w.h"\nint other() { return 10 * V + W; }\n')
    for files in (["main.cu"], ["-c", "main.cu"], ["main.o"]):
        rest = ["-o", "main.o"] if files[0] == "-c" else ["other.cpp", *options]
        done = run(ROOT / "simt/simtcc", "-Ifolder", "-DV=2", *files,
                   *[each for each in options if "openmp" in each or each == "-Xcompiler"]
                   if files[0] == "-c" else [], *rest, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert not (tmp_path / "a.out").exists()
        if files[0] != "-c":
            assert run(tmp_path / "it").stdout == f"2 23 {threads}\n"
            (tmp_path / "it").unlink()

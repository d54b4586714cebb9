"""simtcc, and programs that know nothing of the backend: SIMT_ settings, exit status, errors."""

import csv
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from backend import (COUNTERS_HEADER, ENVIRONMENT, READY, ROOT, assert_refused, replay, run, said, script,
                     simtcc)

TWO_LAUNCHES = """
#include <cstdio>
static_assert(__cplusplus == 201703L);  // as nvcc has it

__device__ void set(int *p)
{
	p[threadIdx.x] = 1;	/**/
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
    (tmp_path / "ker").mkdir()  # no folder of the file's, though its path begins so
    done = run(program, env={"SIMT_COUNTERS": "csv"}, cwd=tmp_path / "ker")
    assert f",{tmp_path}/kernel.cu,7,global," in done.stderr


def test_golden_wrong_calls(tmp_path):
    """Each is told in one line, and nothing is written."""
    (tmp_path / "folder.cu").mkdir()
    os.mkfifo(tmp_path / "pipe.cu")
    (tmp_path / "x.cu").write_text("int main() {}\n")

    def call(typed):
        done = run("bash", "-c", typed, cwd=tmp_path, env=READY | {"PATH": f"{ROOT}/simt:{os.environ['PATH']}"})
        assert_refused(done, 2)
        assert (tmp_path / "x.cu").read_text() == "int main() {}\n" and len(os.listdir(tmp_path)) == 3
        return done

    replay("refused-simtcc.csv", call)


FILES = {"main.cu": """
#include "near.h"
#include <far.h>
#include <cmath>
#include <cstdio>
#ifdef GONE
#error "-U does nothing"
#endif
int launch(), other();
extern "C" int is_unsigned();
int main()
{
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads++;
    printf("%d %d %d %d %d %d %.3f %d %d %d\\n", launch(), other(), TWO, NEAR, FAR, FIRST,
           std::min(std::riemann_zeta(2.0), 2.0) /* as <cmath> has them */, threads, is_unsigned(),
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
    "third.c": "#include <cuda.h>\n"
               "int is_unsigned(void) { int new = (char)-1 > 0; return new + cudaSuccess + EXIT_SUCCESS; }\n",
    "a b/near.h": "#define NEAR 3\n", "b/far.h": "#define FAR 4\n", "first.h": "#define FIRST 5\n"}


FOR_NVCC = ("-arch sm_90 --gencode=arch=compute_90,code=sm_90 -G --lineinfo -rdc true -t4 --threads 4 -res-usage "
            "-lcudart --expt-relaxed-constexpr -Xptxas -v --use_fast_math -maxrregcount=64 -Xcudafe -e177").split()


@pytest.mark.parametrize("options, name, told", [
    (["-v", "-O2", "-lm", "-o=it", "-std", "c++20", *FOR_NVCC], "it", "1 0 20"),
    (["-Xcompiler", "-fopenmp -Wall,-funsigned-char"], "a.out", "2 1 17")], ids=["nvcc", "g++"])
def test_options(tmp_path, options, name, told):
    """Options of g++, which hold for the host's files, too; options for nvcc alone. Several files at once,
    and an object that is linked later."""
    for file, text in FILES.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    common = ["-I", "a b", "-isystem", "b", "-include", "first.h", "-DONE=1", "-D", "TWO=2",
              "-DGONE", "-U", "GONE", *options]
    at_once = ["kernel.cu", "main.cu", "other.cpp", "third.c"]  # the host's as their names say
    later = ["-dc", "kernel.cu", "-oits.o"], ["-c", "other.cpp", "third.c"], ["its.o", "other.o", "main.cu", "third.o"]
    for files in later if "-Xcompiler" in options else [at_once]:
        done = run(ROOT / "simt/simtcc", *common, *files, cwd=tmp_path, env=READY)
        assert (done.returncode, done.stdout) == (0, "")
        shown = ["simt-rewrite main.cu", " -O2 ", " -lm "] if options[:1] == ["-v"] else []
        assert done.stderr == "" if not shown else all(
            word in done.stderr for word in shown if "main.cu" in files), done.stderr
        assert not {"it", "a.out"} & set(os.listdir(tmp_path)) - {name}
        if files[0][0] != "-":
            assert run(tmp_path / name).stdout == f"7 23 2 3 4 5 1.645 {told}\n"


def test_a_file_of_the_host_is_judged(tmp_path):
    (tmp_path / "host.cpp").write_text("#include <cuda_runtime.h>\nvoid f(int *);\nint main()\n{\n"
                                       "    int *p;\n    cudaMalloc(&p, 4), f(p);\n    return *p;\n}\n")
    (tmp_path / "other.cu").write_text("__device__ int own = 1; /* as by nvcc without -rdc=true */\n")
    done = run(simtcc("__device__ int own;\n__global__ void k(int *) { }\nvoid f(int *p) { k<<<1, 1>>>(p); }\n",
                      tmp_path / "kernel.cu", tmp_path / "host.cpp", tmp_path / "other.cu", "-D_FORTIFY_SOURCE=2"))
    assert done.returncode == 4 and re.search(r"device pointer on the host\n.*host\.cpp:7 ", done.stderr)


def test_links(tmp_path):
    """Libraries in a folder, options for the linker, no shared ones; of the C++ library what belongs to
    the language, where that is enough: all of it takes half of the time to link. Nothing is left behind."""
    (tmp_path / "temporary").mkdir()
    (tmp_path / "seven.c").write_text("int seven(void) { return 7; }")
    assert run("gcc", "-c", "seven.c", "-o", "seven.o", cwd=tmp_path).returncode == 0
    assert run("ar", "rcs", "libseven.a", "seven.o", cwd=tmp_path).returncode == 0
    text = ('#include <string>\nextern "C" int seven(void);\nint main(int argc, char **)\n{\n'
            "    try { throw 7; } catch (int n) { delete new int(n); }\n    USES\n    return seven();\n}\n")
    for uses, options, parts in (
            ("(void)argc;", ["-static"], {"libc.a", "libstdc++"}), ("(void)argc;", [], {"libsupc++"}),
            ("std::string(argc, 'x').append(argc, 'y');", [], {"libstdc++"})):
        program = simtcc(text.replace("USES", uses), tmp_path / "x.cpp", f"-L{tmp_path}", *options, "-Wl,-Map="
                         f"{tmp_path}/map", tmp_path / "libseven.a" if not options else "-lseven",
                         env={"TMPDIR": str(tmp_path / "temporary"), "CXX": str(ROOT / "simt/simtcc")})
        assert os.listdir(tmp_path / "temporary") == [] and run(program).returncode == 7
        linked = set(re.findall(r"libc\.a\b|lib(?:std|sup)c\+\+", (tmp_path / "map").read_text()))
        assert parts <= linked and ("libstdc++" in linked) == ("libstdc++" in parts)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_killed(tmp_path, number):
    """The compiler that simtcc has started ends with it."""
    pid, temporary = tmp_path / "pid", tmp_path / "temporary"
    temporary.mkdir()
    script(tmp_path / "g++", f'case "$*" in *.ii*) echo $$ >{pid}; exec sleep 1000 ;; esac; exec g++ "$@"')
    (tmp_path / "x.cu").write_text("int main() {}\n")
    with subprocess.Popen([ROOT / "simt/simtcc", "-c", "x.cu", "-o", "x.o"], cwd=tmp_path, env=(
            ENVIRONMENT | READY | {"CXX": f"{tmp_path}/g++", "TMPDIR": str(temporary)})) as call:
        while not (pid.exists() and pid.read_text().endswith("\n")):
            time.sleep(0.05)
        call.send_signal(number)
    stat, end = pathlib.Path(f"/proc/{pid.read_text().strip()}/stat"), time.monotonic() + 20
    while stat.exists() and ") Z " not in stat.read_text():
        assert time.monotonic() < end, "it runs on"
        time.sleep(0.05)
    assert number == signal.SIGKILL or os.listdir(temporary) == []


@pytest.mark.parametrize("old, new, says", [("    f(p);\n}", "    f(p);", "kernel.cu:4: note: to match this '{'"),
                                            ("f(p);", "f(p;", "kernel.cu:5:8: error: expected ')' before ';'"),
                                            ("f(p);", "p[threadIdx.x] =;", "kernel.cu:5: error: expected primary-"),
                                            ("f(p);", "atomicAdd(&p, 1);", "no matching function for call")])
def test_errors(tmp_path, old, new, says):
    """g++ says which, with a column where it is the source's own; nothing of our headers and functions."""
    (tmp_path / "kernel.cu").write_text("""
__device__ void f(int *) {}
__global__ void k(int *p)
                      {
    f(p);
}
__device__ int x;
int main() { k<<<1, 1>>>(0); }
""".replace(old, new))
    done = run(ROOT / "simt/simtcc", "kernel.cu", cwd=tmp_path, env=READY)
    assert done.returncode == 1 and says in done.stderr, done.stderr
    assert not any(word in done.stderr for word in ("support", "section", "allowed; ", "/include/"))


@pytest.mark.parametrize("name, end", [("-x'; touch X; '", ".CU"), ('größe, "測" $(touch X) %s\\n', ".cuh")])
def test_names(tmp_path, name, end):
    """A file may be called so, and a program: it is compiled, and its lines are found. No shell
    runs what it is called."""
    (tmp_path / f"{name}{end}").write_text(TWO_LAUNCHES)
    done = run(ROOT / "simt/simtcc", f"./{name}{end}", "-o", name, cwd=tmp_path, env=READY)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = run(f"./{name}", cwd=tmp_path, env={"SIMT_COUNTERS": "csv"})
    [*_, row] = csv.reader(done.stderr.splitlines())
    assert row == ["", "2", "1", "32", f"./{name}{end}", *"7 global store 1 32 4".split(), "", ""]
    assert sorted(os.listdir(tmp_path)) == sorted([name, f"{name}{end}"])


def test_help():
    text = said(run(ROOT / "simt/simtcc", "--help"))
    assert re.match("(?s)simtcc: compiles CUDA for the CPU.*simtcc FILE.cu … ", text) and "set -" not in text


def test_a_kernel_in_a_header(tmp_path):
    """A finding names the header's line, not the same line of the file that includes it."""
    (tmp_path / "kernel.cuh").write_text("\n\n__global__ void k(int *p)\n{\n    *p = threadIdx.x;\n}\n")
    program = simtcc("""#include "kernel.cuh"
        int main() { int *p; return cudaMalloc(&p, 4) || (k<<<1, 64>>>(p), cudaDeviceSynchronize()); }
    """, tmp_path / "main.cu")
    done = run(program, env={"SIMT_COUNTERS": "csv"})
    assert done.returncode == 4
    assert f"  {tmp_path}/kernel.cuh:5  *p = threadIdx.x;\n" in done.stderr
    assert f",{tmp_path}/kernel.cuh,5,global,store,2,64,2,,\n" in done.stderr


def test_warnings(tmp_path):
    """Of what nvcc warns of: no value yet, arguments of a kernel's printf, no effect, always true."""
    (tmp_path / "x.cu").write_text("""#include <cstdio>
__global__ void kernel(double x, unsigned u, int *p) { int i; *p = i + 1;
    printf("%d", x);
    u == 1;
    if (u >= 0) printf("%u", u); }\n""")
    done = run(ROOT / "simt/simtcc", "-c", tmp_path / "x.cu", "-o", tmp_path / "x.o")
    kinds = set(re.findall(r"\[-W([a-z-]*)", done.stderr))
    assert (done.returncode, kinds) == (0, {"uninitialized", "format", "unused-value", "type-limits"})

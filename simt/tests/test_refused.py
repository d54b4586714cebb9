"""simtcc refuses a feature by its name, in one line with file and line and status 2, or 1 if nvcc refuses it,
too, before g++'s errors; and takes what nvcc takes."""

import os
import re
import shutil

import pytest

from backend import READY, ROOT, assert_refused, data_rows, run, said, script, simtcc

REFUSED = [tuple(row.values()) for row in data_rows("simt/tests/data/refused.csv")]


def refused(source, tmp_path, *words, options=(), status=2):
    file = tmp_path / "ä x.cu"
    file.write_text("#include <cstdio>\n\n" + source + "\nint main() { return 0; }\n")
    done = run(ROOT / "simt/simtcc", *options, file, "-o", tmp_path / "x", env=READY)
    assert_refused(done, status, *words)
    assert not (tmp_path / "x").exists()
    return done


@pytest.mark.parametrize("source, name, what, status", REFUSED, ids=[row[1] for row in REFUSED])
def test_refused(tmp_path, source, name, what, status):
    line = 3 + source.count("\n")
    refused(source, tmp_path, f"x.cu:{line}: error: {name}{': ' * bool(name)}", what, status=int(status or 2))


def test_each_name_of_cuda(tmp_path):
    """Each name of CUDA's own headers (compile/cuda_names.csv) exists here, or is refused by its name: all go one
    way, so every ninth is tried."""
    names = (ROOT / "simt/compile/cuda_names.csv").read_text().partition("\n")[2].split()
    there = {*names} & {*(ROOT / "build/simt/cuda.names").read_text().partition('# 1 "nvidia"')[0].split("\n")}
    (tmp_path / "lacking").write_text("\n".join(['# 1 "nvidia" 3', *sorted({*names} - there), ""]))
    asked = run("bash", "-c", """for name in $(sed -n '2~9p' lacking); do
        "$0" $name lacking <<<"int x = $name(1);" 2>&1 >/dev/null
    done""", ROOT / "build/simt/simt-rewrite", cwd=tmp_path).stdout
    lines = re.findall(r"^(\w+):1: error: (\w+): .+$", asked, re.M)
    assert len(lines) == asked.count("\n") > 110 and all(place == name for place, name in lines)
    assert len(there) > 800
    (tmp_path / "x.cu").write_text("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cstdio>\nnamespace all {"
                                   + "".join(f"\n#ifndef {name}\nusing ::{name};\n#endif\n"
                                             for name in sorted(there)) + "}\nint main() {}\n")
    said(run(ROOT / "simt/simtcc", tmp_path / "x.cu", "-o", tmp_path / "x", env=READY))


def test_one_array_of_two_types(tmp_path):
    """One name in a template, which nvcc compiles for one type alone; two names, for two types."""
    source = """template <class T, int n> __global__ void k(T *p) { T *s; SHARED; s[0] = *p; *p = s[n - 1]; }
template <class T> void run(T *p) { k<T, 1><<<1, 1, 8>>>(p); k<T, 2><<<1, 1, 8>>>(p); }
int x = (run<float>(nullptr), run<OTHER>(nullptr), 0);"""
    for shared, other in ("extern __shared__ T x[]; s = x", "float"), (
            "extern __shared__ char x[]; s = (T *)x", "double"):
        simtcc(source.replace("SHARED", shared).replace("OTHER", other) + "int main() {}",
               tmp_path / "right.cu")
    refused(source.replace("SHARED", "extern __shared__ T x[]; s = x").replace("OTHER", "double"),
            tmp_path, 'x.cu:3: error: declaration is incompatible with previous "x"', "want extern", status=1)


def test_what_nvcc_takes(tmp_path):
    """A member that changes the meaning of a name, a backslash in front of a comment; a static const float with
    its value in the class; kernels whose type is void in another way; raw strings, here with what only looks like
    code; what only looks like arrays of variable size, or the other side's; && in a type; assembly without text."""
    program = simtcc("""struct dims { int n; }; template <class T> struct sum { static const T zero = T(0); };
struct shape { dims dims; int go() { return run(); } int run() { return 0; } }; __device__ int run(int);
template <class T> __device__ std::enable_if_t<sizeof(T) == 4 && sizeof 'c' == 1, T> same(T t) { return t; }
__global__ void k(int n) { shape s = {{n}}; int a = s.dims.n + \\ // more
    1; \\ /* and more */
    bool b = n < a, c = a > s.dims.n; a + b == c + 4 ? 0 : printf("%d", a); }
typedef struct { int n; } one, *ones; typedef void nothing; int done;
template <int N, int M> __global__ __maxnreg__(64) void d(int *p, int n)
{ if (n > M) return; enum E { e = 1 }; int a[E::e], b[N + sizeof n], *c[2]; typeof(n) d[sizeof *p * N];
  a[0] = (n * N); p[0] = n > b[n] or n and b[n]; bool q[] = {n < N, M > p[n]}; }
__global__ auto a(int *p) -> void { ones o = 0; goto done; done: p[0] = same(1 + sum<float>::zero) + !!o; }
__global__ nothing b(int *p) { p[1] = sizeof R"x(}" __shared__ )")x" + __LINE__ + (__CUDACC_VER_MAJOR__ > 12); }
template <class T> requires requires(T t) { t + 1; } __global__ void c(T *p)
{ asm volatile("" ::: "memory"); extern __shared__ T s[]; s[0] = R"(
}'"{)"[1]; p[2] = s[0]; }
int main()
{
    int *p, h[3]; dim3 grid(1), run(1); if (false) asm("rdtsc" ::: "memory");
    if (cudaMalloc(&p, sizeof h)) return 1; else __asm__("" : "+r"(p));
    k<<<grid, run>>>(3), a<<<1, 1>>>(p), b<<<1, 1>>>(p), c<<<1, 1, 4>>>(p);
    return cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost) || h[0] != 1 || h[1] != 30 || h[2] != '}';
}
""", tmp_path / "x.cpp", "-std=c++20", "-x", "cu", "-include", "cstdio")
    assert said(run(program)) == ""


def test_refused_in_a_header(tmp_path):
    """The line is the header's own; only what is compiled counts."""
    (tmp_path / "mine.h").write_text("#ifdef NEVER\n#include <thrust/sort.h>\n#endif\n\n#include <cub/cub.cuh>\n")
    refused('#include "mine.h"', tmp_path, "mine.h:5: error: cub/cub.cuh: ", "device libraries")


def test_a_missing_header(tmp_path):
    refused("\t#\tinclude \"nowhere.h\"", tmp_path, "x.cu:3: error: nowhere.h: no such file", "-I FOLDER", status=1)


# ---- CUDA's names, parsed once for all programs ----

@pytest.mark.parametrize("options, told, parsed", [
    (("-std=c++20",), "20 1 0 0", False),
    (("-DNDEBUG", "-DMORE"), "17 0 0 1", True), (("-funsigned-char", "-O2"), "17 1 1 0", False),
    (("-D", "MORE", "-UMORE", "-DNDEBUG", "-U", "NDEBUG", "-std=c++14"), "17 1 0 0", True),
    (("-DMORE=7", "-Dk=other", "-DCALL(x)=x"), "17 1 0 7", True)])
def test_names_parsed_before_are_those_of_the_call(tmp_path, options, told, parsed):
    """CUDA's names are precompiled, which halves the time to compile the programs of the ladder. No
    option of a call may be lost for that: here the standard (17 at least), the headers' own
    switches, and a sign. The program's own includes come on top."""
    script(tmp_path / "g++", f'exec {os.environ.get("CXX", "g++")} -H "$@"')
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

"""simtcc refuses a feature by its name, in one line with file and line and status 2, or 1 if nvcc refuses it,
too, before g++'s errors; and takes what nvcc takes."""

import re

import pytest

from backend import READY, ROOT, assert_refused, data_rows, run, said, simtcc

REFUSED = [tuple(row.values()) for row in data_rows("simt/tests/data/refused.csv")]


def refused(source, tmp_path, *words, options=(), status=2):
    file = tmp_path / "x.cu"
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
    lacking = (ROOT / "build/simt/cuda.names").read_text().partition('# 1 "lacking"')
    (tmp_path / "lacking").write_text("".join(lacking[1:]))  # alone: it is read a thousand times
    asked = run("bash", "-c", f"""for name in $(sed -n '2~9p' lacking); do
        {ROOT}/build/simt/simt-rewrite $name lacking <<<"int x = $name(1);" 2>&1 >/dev/null
    done""", cwd=tmp_path).stdout
    lines = re.findall(r"^(\w+):1: error: (\w+): .+$", asked, re.M)
    assert len(lines) == asked.count("\n") > 110 and all(place == name for place, name in lines)
    there = set(names) - {*(tmp_path / "lacking").read_text().splitlines()[1:]}
    assert len(there) > 800
    (tmp_path / "x.cu").write_text("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\nnamespace all {\n"
                                   + "".join(f"#ifndef {name}\nusing ::{name};\n#endif\n"
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
    """A member that changes the meaning of a name, a backslash in front of a comment; a static const float
    with its value in the class; kernels whose type is void in another way; raw strings, here with what only
    looks like code."""
    program = simtcc("""struct dims { int n; };
template <class T> struct sum { static const T zero = T(0); };
struct shape { dims dims; };
__global__ void k(int n) { shape s = {{n}}; int a = s.dims.n + \\ // more
    1; \\ /* and more */
    a == 4 ? 0 : printf("%d", a); }
typedef void nothing;
__global__ auto a(int *p) -> void { p[0] = 1 + sum<float>::zero; }
__global__ nothing b(int *p) { p[1] = sizeof R"x(}" __shared__ )")x" + __LINE__ + (__CUDACC_VER_MAJOR__ > 12); }
template <class T> requires requires(T t) { t + 1; } __global__ void c(T *p)
{ extern __shared__ T s[]; s[0] = R"(
}'"{)"[1]; p[2] = s[0]; }
int main()
{
    int *p, h[3];
    if (cudaMalloc(&p, sizeof h))
        return 1;
    k<<<1, 1>>>(3), a<<<1, 1>>>(p), b<<<1, 1>>>(p), c<<<1, 1, 4>>>(p);
    return cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost) || h[0] != 1 || h[1] != 27 || h[2] != '}';
}
""", tmp_path / "x.cu", "-std=c++20")
    assert said(run(program)) == ""


def test_refused_in_a_header(tmp_path):
    """The line is the header's own; only what is compiled counts."""
    (tmp_path / "mine.h").write_text("#ifdef NEVER\n#include <thrust/sort.h>\n#endif\n\n"
                                     "#include <cub/cub.cuh>\n")
    refused('#include "mine.h"', tmp_path, "mine.h:5: error: cub/cub.cuh: ", "device libraries")


def test_a_missing_header(tmp_path):
    refused("\t#\tinclude \"nowhere.h\"", tmp_path, "x.cu:3: error: nowhere.h: no such file", "-I FOLDER", status=1)

"""simtcc refuses a feature by its name, in one line with file and line and status 2, before g++'s errors;
and takes what nvcc takes."""

import re

import pytest

from backend import READY, ROOT, assert_refused, run, said, simtcc

# Line 3 of the source, the name in the refusal, and a part of its sentence
REFUSED = [
    ("texture<float, 2> image;", "texture", "textures"),
    ("__global__ void k(cudaTextureObject_t t, float *o) { *o = tex2D<float>(t, 0, 0); }",
     "cudaTextureObject_t", "textures"),
    ("__device__ float f(int t) { return tex1Dfetch(t, 3); }", "tex1Dfetch", "textures"),
    ("surface<void, 2> out;", "surface", "surfaces"),
    ("#include <cooperative_groups.h>\n__device__ unsigned rank() { return "
     "cooperative_groups::this_cluster().block_rank(); }", "this_cluster", "no clusters"),
    ("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups; __device__ void f() { auto t = "
     "cg::tiled_partition<64>(cg::this_thread_block()); }", "tiled_partition", "more than 32 threads"),
    ("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups; __device__ void f() { auto t = "
     "cg::block_tile_memory<64> &m = *(cg::block_tile_memory<64> *)0; (void)m; }", "block_tile_memory", "more than 32 threads"),
    ("#include <thrust/device_vector.h>", "thrust/device_vector.h", "device libraries"),
    ("#include <cub/cub.cuh>", "cub/cub.cuh", "device libraries"),
    ("#include <curand_kernel.h>", "curand_kernel.h", "CUDA libraries"),
    ("#include \"cublas_v2.h\"", "cublas_v2.h", "CUDA libraries"),
    ("#include <mma.h>", "mma.h", "tensor cores"),
    ("#include <cuda_fp8.h>", "cuda_fp8.h", "floats of one byte"),
    ("#  include \"helper_cuda.h\" // checkCudaErrors", "helper_cuda.h", "NVIDIA's samples"),
    ("__device__ int lane() { int l; asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(l)); "
     "return l; }", "asm", "inline PTX"),
    ("__device__ void stop(int x) { if (x) return; else asm(\"trap;\"); }", "asm", "inline PTX"),
    ("extern \"C\" __device__ void *get(void *, const void *, int) asm(\"mempcpy\");", "asm",
     "no other assembly"),
    ("__device__ int get(int *p) { int v; asm(\"movl (%1), %0\" : \"=r\"(v) : \"r\"(p)); return v; }",
     "asm", "no other assembly"),
    ("[[gnu::no_sanitize(\"thread\")]] __device__ void f() { }", "no_sanitize", "hide"),
    ("[[using gnu: no_sanitize_thread]] __device__ void f() { }", "no_sanitize_thread", "hide"),
    ("#define HIDE __attribute__((__no_sanitize__(\"thread\")))\nHIDE __device__ void f() { }",
     "__no_sanitize__", "hide"),
    ("int n = cudaGraphLaunch(0, 0);", "cudaGraphLaunch", "graphs"),
    ("int f() { return cudaLaunchCooperativeKernelMultiDevice(0, 1, 0); }",
     "cudaLaunchCooperativeKernelMultiDevice", "does not have it"),
    ("__global__ void __cluster_dims__(2, 1, 1) k() {}", "__cluster_dims__", "clusters"),
    ("void f() { cudaFuncSetAttribute(0, cudaFuncAttributeNonPortableClusterSizeAllowed, 1); }",
     "cudaFuncAttributeNonPortableClusterSizeAllowed", "clusters"),
    ("int v() { return __shfl_down(3, 1); }", "__shfl_down", "want its form with _sync"),
    ("void f() { const cudaSomethingNew *p = 0; }", "cudaSomethingNew", "does not have it"),
    ('__device__ __attribute__((no_sanitize("address", "thread"))) int f(int i) { return i; }',
     "no_sanitize", "hide"),
    ("#include <cuda.h>\nint status = cuInit(0);", "cuInit", "driver API"),
    ("int n;\n__global__ void k(int *a) { *a = n; }", "error",
     'identifier "n" is undefined in device code'),
    ("int f(void) { return 1; }\n__device__ int g(void) { return f(); }", "error",
     'calling a __host__ function("f") from a __device__ function("g") is not allowed'),
    ("__device__ float *f() { extern __shared__ float s[]; return s; }\n"
     "__device__ int *g() { extern __shared__ int s[]; return s; }", "error",
     'declaration is incompatible with previous "s"'),
    ("void f() <% int a<:1:>; %>", "<", "want { } [ ]"),
    ("__global__ void a() {}\n__global__ void b() { a<<<1, 1>>>(); }", "error",
     "a kernel launched by a kernel is not supported"),
    ("void k(int) {}\nvoid run(void (*f)(int)) { f<<<1, 1>>>(1), k<<<1, 1>>>(1); }", "error",
     'a host function call cannot be configured: "k" lacks __global__'),
]


def refused(source, tmp_path, *words, options=()):
    file = tmp_path / "x.cu"
    file.write_text("#include <cstdio>\n\n" + source + "\nint main() { return 0; }\n")
    done = run(ROOT / "simt/simtcc", *options, file, "-o", tmp_path / "x", env=READY)
    assert_refused(done, 2, *words)
    assert not (tmp_path / "x").exists()
    return done


@pytest.mark.parametrize("source, name, what", REFUSED, ids=[name for _, name, _ in REFUSED])
def test_refused(tmp_path, source, name, what):
    line = 3 + source.count("\n")
    refused(source, tmp_path, f"x.cu:{line}: error: ", f"{name}: " if name != "error" else "", what)


def test_each_name_of_cuda(tmp_path):
    """Each name of CUDA's own headers (compile/cuda_names.csv) exists here, or is refused by its name."""
    names = (ROOT / "simt/compile/cuda_names.csv").read_text().partition("\n")[2].split()
    lacking = (ROOT / "build/simt/cuda.names").read_text().partition('# 1 "lacking"')
    (tmp_path / "lacking").write_text("".join(lacking[1:]))  # alone: it is read a thousand times
    asked = run("bash", "-c", f"""for name in $(sed 1d lacking); do
        {ROOT}/build/simt/simt-rewrite $name lacking <<<"int x = $name(1);" 2>&1 >/dev/null
    done""", cwd=tmp_path).stdout
    lines = re.findall(r"^(\w+):1: error: (\w+): .+$", asked, re.M)
    assert len(lines) == asked.count("\n") > 1000 and all(place == name for place, name in lines)
    there = set(names) - {name for name, _ in lines}
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
            tmp_path, 'x.cu:3: error: declaration is incompatible with previous "x"', "want extern")


def test_what_nvcc_takes(tmp_path):
    """A member that changes the meaning of a name, a backslash in front of a comment."""
    program = simtcc("""struct dims { int n; };
struct shape { dims dims; };
__global__ void k(int n) { shape s = {{n}}; int a = s.dims.n + \\ // more
    1; \\ /* and more */
    a == 4 ? 0 : printf("%d", a); }
int main() { k<<<1, 1>>>(3); return cudaDeviceSynchronize(); }
""", tmp_path / "x.cu")
    assert said(run(program)) == ""


def test_what_else_nvcc_takes(tmp_path):
    """Kernels whose type is void in another way; raw strings, here with what only looks like code."""
    program = simtcc("""typedef void nothing;
__global__ auto a(int *p) -> void { p[0] = 1; }
__global__ nothing b(int *p) { p[1] = sizeof R"x(}" __shared__ )")x" + __LINE__ + (__CUDACC_VER_MAJOR__ > 12); }
template <class T> requires requires(T t) { t + 1; } __global__ void c(T *p)
{ extern __shared__ T s[]; s[0] = R"(
}'"{)"[1]; p[2] = s[0]; }
int main()
{
    int *p, h[3];
    if (cudaMalloc(&p, sizeof h))
        return 1;
    a<<<1, 1>>>(p), b<<<1, 1>>>(p), c<<<1, 1, 4>>>(p);
    return cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost) || h[0] != 1 || h[1] != 21 || h[2] != '}';
}
""", tmp_path / "x.cu", "-std=c++20")
    assert said(run(program)) == ""


def test_refused_in_a_header(tmp_path):
    """The line is the header's own; only what is compiled counts."""
    (tmp_path / "mine.h").write_text("#ifdef NEVER\n#include <thrust/sort.h>\n#endif\n\n"
                                     "#include <cub/cub.cuh>\n")
    refused('#include "mine.h"', tmp_path, "mine.h:5: error: cub/cub.cuh: ", "device libraries")


def test_a_missing_header(tmp_path):
    refused('#include "nowhere.h"', tmp_path, "x.cu:3: error: nowhere.h: no such file", "-I FOLDER")

"""What simtcc takes and what it refuses: by its name, in one line with file and line, status 2, and
not by g++'s errors."""

import pytest

from backend import PRELUDE, ROOT, assert_refused, outcome, run, simtcc

READY = {"SIMTCC_TOOLS_READY": "1"}
# What stands in line 3, and what the refusal names and says of it
REFUSED = [
    ("texture<float, 2> image;", "texture", "textures"),
    ("__global__ void k(cudaTextureObject_t t, float *o) { *o = tex2D<float>(t, 0, 0); }",
     "cudaTextureObject_t", "textures"),
    ("__device__ float f(int t) { return tex1Dfetch(t, 3); }", "tex1Dfetch", "textures"),
    ("surface<void, 2> out;", "surface", "surfaces"),
    ("#include <cooperative_groups.h>", "cooperative_groups.h", "cooperative groups"),
    ("#include <thrust/device_vector.h>", "thrust/device_vector.h", "device libraries"),
    ("#include <cub/cub.cuh>", "cub/cub.cuh", "device libraries"),
    ("#include <curand_kernel.h>", "curand_kernel.h", "CUDA libraries"),
    ("#include \"cublas_v2.h\"", "cublas_v2.h", "CUDA libraries"),
    ("#include <mma.h>", "mma.h", "tensor cores"),
    ("#include <cuda_fp16.h>", "cuda_fp16.h", "half-precision"),
    ("#  include \"helper_cuda.h\" // checkCudaErrors", "helper_cuda.h", "NVIDIA's samples"),
    ("__device__ int lane() { int l; asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(l)); "
     "return l; }", "asm", "inline PTX"),
    ("__device__ void stop() { asm(\"trap;\"); }", "asm", "inline PTX"),
    ("__device__ int get(int *p) { int v; asm(\"movl (%1), %0\" : \"=r\"(v) : \"r\"(p)); return v; }",
     "asm", "no other assembly"),
    ("[[gnu::no_sanitize(\"thread\")]] __device__ void f() { }", "no_sanitize", "hide"),
    ("[[using gnu: no_sanitize_thread]] __device__ void f() { }", "no_sanitize_thread", "hide"),
    ("#define HIDE __attribute__((__no_sanitize__(\"thread\")))\nHIDE __device__ void f() { }",
     "__no_sanitize__", "hide"),
    ("int n = cudaGraphLaunch(0, 0);", "cudaGraphLaunch", "graphs"),
    ("int f() { return cudaLaunchCooperativeKernelMultiDevice(0, 1, 0); }",
     "cudaLaunchCooperativeKernelMultiDevice", "cooperative launches over several devices"),
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
    ("__global__ void k(int *a)\n{ if (!a)\n throw 1; }", "error",
     'device code does not support exception handling: "throw" in function("k"); want an error code'),
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
    refused(source, tmp_path, f"x.cu:{line}: ", f"{name}: ", what)


def test_refused_in_a_header(tmp_path):
    """The line is the header's own; only what is compiled counts."""
    (tmp_path / "mine.h").write_text("#ifdef NEVER\n#include <thrust/sort.h>\n#endif\n\n"
                                     "#include <cub/cub.cuh>\n")
    refused('#include "mine.h"', tmp_path, "mine.h:5: cub/cub.cuh: ", "device libraries")


def test_a_missing_header(tmp_path):
    refused('#include "nowhere.h"', tmp_path, "x.cu:3: nowhere.h: no such file", "-I FOLDER")


# What only looks like it: the user's own names, host assembly, names in strings and in comments
OWN = """
// texture<float> cudaGraphLaunch
#if !defined __DRIVER_TYPES_H__ || !defined __CUDA_RUNTIME_H__
#error helper_cuda.h asks for these before it says what checkCudaErrors is
#endif
#include <cuda.h>
#include <device_functions.h>
#include <vector>
struct texture { int x; };
template <class T> struct surface { T x; };
static int cudaCheck(cudaError_t e) { return e != cudaSuccess; }
#define cudaCheckAll(call) cudaCheck(call)
struct cudaTimer { int start; int cudaTicks() const { return start; } };
static void cuMultiply(int *p) { *p *= 2; }
static int tex2D(int a, int b) { return a + b; }
static int __any(int v) { return v; }
__global__ void k(int *out) { out[threadIdx.x] = blockDim.x; }

static int own_names(dim3 gridDim, int *out)
{
    dim3 threads(2, 1), blockDim(16, 1);
    k << <gridDim, blockDim >> >(out);
    { dim3 blockDim = 3; k <<< gridDim, blockDim >>> (out); }
    { const dim3 two(1, 2), blockDim = 3; threads.x += two.y - blockDim.x + 1; }
    return blockDim.x + gridDim.x + threads.x;
}
struct grid { dim3 blockDim; };
namespace own { dim3 blockDim(16, 1); unsigned twice() { return 2 * blockDim.x; } }
static unsigned of_grid(const grid *a, grid b) { return a->blockDim.x - b.blockDim.x; }

int main()
{
    texture t = {1};
    surface<int> s = {tex2D(2, 3)};
    cudaTimer cudaClock = {3};
    const char *text = "cudaGraphLaunch(tex2D)";
    CUdeviceptr pointer = 0;
    std::vector<int> v(1, 4);
    cuMultiply(&t.x);
    int *out = device<int>(64), device = cudaCheckAll(cudaGetLastError());
    grid g = {3};
    EXPECT(own_names(dim3(1), out) == 19 && own::twice() == 32 && of_grid(&g, g) == 0);
    int first = host(out, 1)[0];
    printf("%d %d %d %d %zu %d %d %d %d\\n", t.x, s.x, cudaClock.cudaTicks(), v[0], sizeof pointer,
           device, text[0] == 'c', __any(7), first);
}
"""


def test_own_names_are_no_cuda(tmp_path):
    assert outcome(OWN, tmp_path) == "2 5 3 4 8 0 1 7 3\n"


ARITHMETIC = """
#include <cuComplex.h>
#include <math_constants.h>
#include <nvtx3/nvToolsExt.h>
#include <nvToolsExt.h>
#include <sm_30_intrinsics.h>
#include <vector>
#define IS(a, b) (*bad += (a) != (b))
#define NEAR(a, b) (*bad += !(fabs((a) - (b)) <= 1e-6 * fabs(b)))

__global__ void integers(int *bad)
{
    IS(__brevll(1ull << 40 | 4), 1ull << 61 | 1ull << 23);
    IS(__byte_perm(0xf0, 0x11223344, 0x5140), 0x330044f0u);
    IS(__byte_perm(0x80, 0, 0x0008), 0x808080ffu);
    IS(__funnelshift_l(0xf0, 0xabcdef01, 8), 0xcdef0100u);
    IS(__funnelshift_r(0xf0, 0xabcdef01, 40), 0x01000000u);
    IS(__funnelshift_lc(5, 6, 99), 5u);
    IS(__funnelshift_rc(5, 6, 32), 6u);
    IS(__mul64hi(-3, 5), -1), IS(__umul64hi(~0ull, 2), 1ull);
    IS(__usad(3, 9, 1), 7u), IS(__hadd(-4, 3), -1), IS(__rhadd(3, 4), 4);
    IS(__uhadd(~0u, ~0u), ~0u), IS(__urhadd(~0u, 0), 1u << 31);
    IS(__dp4a(0x010203ff, 0x01010102, 5), 9), IS(__dp4a(0xffu, 0x02u, 1u), 511u);
    IS(umin(1, ~0u) + umax(2, 3), 4u), IS(llmin(-1, 5), -1), IS(ullmax(1, ~0ull), ~0ull);
    IS(__float2uint_rz(3.7f), 3u), IS(__double2int_rn(2.5), 2), IS(__float2int_ru(-0.5f), 0);
    IS(__float2ll_rd(-1e10f), -10000000000), IS(__double2uint_ru(1.1), 2u);
    IS(__hiloint2double(__double2hiint(0.1), __double2loint(0.1)), 0.1);
    IS(__ll2float_rn(1ll << 40), 0x1p40f), IS(__double2float_rn(0.1), 0.1f);
    long4 l = make_long4(1, 2, 3, 4);
    ulong2 u = make_ulong2(5, 6);
    IS(l.w + (long)u.y, 10), IS(sizeof l, 32u);
    __stcs(bad + 1, 7);
    IS(__ldcv(bad + 1), 7);
    IS(__float2int_rn(2.5f), 2), IS(__float2int_rd(-0.5f), -1), IS(__sad(3, 5, 1u), 3u);
}

__global__ void reals(int *bad, float f, double d)
{
    NEAR(rcbrtf(f), 0.5), NEAR(rcbrt(d), 1 / cbrt(3)), NEAR(rhypotf(f, 6), 0.1);
    NEAR(norm3df(2, 3, 6), 7), NEAR(norm4d(1, 1, 1, 1), 2), NEAR(rnorm3d(2, 3, 6), 1. / 7);
    NEAR(rnorm4df(1, 1, 1, 1), 0.5), NEAR(sinpi(0.5), 1), NEAR(cospif(7), -1);
    for (double y = -5; y < 6; y += 0.375)
        NEAR(erfinv(erf(y < 3 ? y : 1)), y < 3 ? y : 1), NEAR(erfcinv(erfc(y)), y);
    NEAR(erfinvf(0.5f), 0.47693627), NEAR(normcdf(1), 0.84134474607);
    NEAR(normcdfinv(normcdf(-3)), -3), NEAR(normcdfinvf(0.7f), 0.5244005);
    IS(erfinv(1), CUDART_INF), IS(normcdfinv(0), -CUDART_INF), IS(erfinv(0), 0);
    *bad += !isnan(erfinv(2)) + !isnan(erfcinv(-1));
    double s, c;
    sincospi(0.25, &s, &c);
    NEAR(s, c), NEAR(CUDART_PI_F, CUDART_PI);
    IS(min(d, f), 3), IS(max(f, d), 8), IS(rsqrtf(4), 0.5f), IS(__sinf(0), 0);
    float sine, cosine;
    __sincosf(0, &sine, &cosine);
    IS(sine, 0), IS(cosine, 1), IS(__fdividef(1, 4), 0.25f), IS(__expf(0), 1), IS(__logf(1), 0);
    IS(__powf(2, 3), 8), IS(__fsqrt_rn(16), 4), IS(__int2float_rn(3), 3);
    cuFloatComplex z = cuCfmaf(make_cuFloatComplex(1, 2), make_cuComplex(3, -1), cuConjf({0, 1}));
    IS(cuCrealf(z), 5), IS(cuCimagf(z), 4);
    cuDoubleComplex q = cuCdiv(make_cuDoubleComplex(-5, 10), make_cuDoubleComplex(3, 4));
    NEAR(q.x, 1), NEAR(q.y, 2), NEAR(cuCabs(q), sqrt(5.));
}

int main()
{
    nvtxEventAttributes_t event = {};
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    nvtxRangePushA("all"), nvtxRangePushEx(&event), nvtxMark("here");
    int *bad = device<int>(2);
    integers<<<1, 1>>>(bad), reals<<<1, 1>>>(bad, 8, 3);
    EXPECT(host(bad, 1)[0] == 0 && nvtxRangePop() == 0);
}
"""


# C23's functions that CUDA has, too: what a C library has not yet, the next may have.
C23 = "".join(f'extern "C" {type} {name}{suffix}({type}) noexcept;\n' for name in (
    "exp10", "rsqrt", "sinpi", "cospi") for type, suffix in (("double", ""), ("float", "f")))


@pytest.mark.parametrize("library", ["this", "C23"])
def test_arithmetic(library, tmp_path):
    """Also where the C library declares functions that this one may not have yet."""
    env = {}
    if library == "C23":
        (tmp_path / "c23.h").write_text(C23)
        env["CXX"] = str(tmp_path / "cxx")
        (tmp_path / "cxx").write_text(f'#!/bin/sh\nexec g++ -include {tmp_path}/c23.h "$@"\n')
        (tmp_path / "cxx").chmod(0o755)
    program = simtcc(PRELUDE + ARITHMETIC, tmp_path / "kernel.cu", env=env)
    done = run(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

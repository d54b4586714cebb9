"""CUDA's syntax: a launch, however written, is reported at its own line; simt-rewrite passes all other
source unchanged. (Declarations: programs/declarations.cu.)"""

import re
import subprocess

import pytest

from backend import ROOT, once, run, simtcc, withstands

SIMT = ROOT / "simt"
NAMES = ROOT / "build/simt/cuda.names"  # of what CUDA's headers declare

# A launch of too many threads that nobody looks at is told by its kernel's name and its line.
LAUNCHES = r"""
#include <memory>
#include <stdio.h>
#define MANY 1, 1025
template <class T> struct A { enum { n = sizeof(T) }; };
__global__ void k(int *) {}
template <class T> __global__ void typed(T *) {}
template <long... n> __global__ void num(int *) {}
template <class T> __global__ void sized(int *) {}
namespace a { namespace b { template <int n, class T> __global__ void k(int *) {} } }
typedef void (*kernel_t)(int *);
struct step {
    kernel_t kernel;
    void go(int *p) { this->kernel<<<MANY>>>(p); } // told: k
};
template <class T> void launch(T *p) { typed<T><<<MANY>>>(p); } // told: typed<T> [T = float]
static int f(int x) { return x; }
static kernel_t choose(int n) { static int calls; return calls++ == 0 && n == 3 ? k : nullptr; }
template <class T> kernel_t chosen() { return sized<T>; }
static int at_first = (k<<<MANY>>>(nullptr), 1); // told: k

static void some(int *p, int n, cudaStream_t s)
{
    step steps[] = {{k}, {num<3>}, {sized<unsigned>}};
    kernel_t variable = k;
    k<<<1, 1025>>>(p); // told: k
    if (n > 1) k <<< dim3(1, 2), n > 4 ? 1 : 1025, 0, s >>> (p); // told: k
    else ::a::b::k<256, A<A<int>>><<<MANY>>>(p);
    if (n > 2) k<<<1, 1>>>(p);
    else ::a::b::k<(3 > 2), A<A<int>>><<<MANY>>>(p); // told: ::a::b::k<(3 > 2), A<A<int>>>
    num<A<int>::n, 1 << 3, sizeof "\\\""><<<MANY>>>(p); // told: num<A<int>::n, 1 << 3, sizeof "\\\"">
    steps[1].kernel<<<MANY>>>(p); // told: num<3l>
    steps[2].kernel<<<MANY>>>(p); // told: sized<unsigned int>
    variable<<<MANY>>>(p); // told: k
    steps[0].go(p), launch((float *)p);
    choose(n + 1)<<<MANY>>>(p); // told: k
    chosen<long>()<<<MANY>>>(p); // told: sized<long>
    (*steps).kernel<<<MANY>>>(p); // told: k
    static_cast<kernel_t>(num<4>)<<<MANY>>>(p); // told: num<4l>
    std::unique_ptr<step>(new step{k})->kernel<<<MANY>>>(p); // told: k
    /* 1
       2 */ (void)"3\
"; // 4\
    5
    typed << <1, f({1025})>> >(p); // told: typed
    k < <<dim3(1'0 >> 2), A<A<int> >::n + 1'024>>>(p + 0x1'f); // told: k
}

static void others(int *p, int n)
{
    switch (n) {
    case 2:k<<<MANY>>>(p); break; // told: k
    default: num < // told: num < 256 >
            256 /* threads */
        ><<<1,
            1025
        >>>
        (p);
    }
# 60 "dir/other.cu"
    k<<<1,
# 90 "dir/other.cu"
        1025>>>(p); typed<<<MANY>>>(p);
    return ::a::b::k<1, int><<<MANY>>>(p);
}

int main(int argc, char **)
{
    argc > 1 ? some(nullptr, 2, 0) : others(nullptr, 2);
    if (argc > 1)
        others(nullptr, 1);
}
"""


def test_launches(tmp_path):
    program = simtcc(LAUNCHES, tmp_path / "x.cu")
    marked = [("x.cu", number, name) for number, line in enumerate(LAUNCHES.splitlines(), 1)
              for name in re.findall("// told: (.*)", line)]
    elsewhere = [("other.cu", 60, "k"), ("other.cu", 90, "typed"),
                 ("other.cu", 91, "::a::b::k<1, int>")]
    found = set()
    for arguments in [], ["all"]:
        done = run(program, *arguments)
        assert done.returncode == 4
        found |= {(file, int(line), name) for name, file, line in re.findall(
            r"^simt: error nobody looked at, kernel (.*)\n  \S*?(\w+\.cu):(\d+)", done.stderr,
            re.MULTILINE)}
    assert found == {*marked, *elsewhere}


# ---- simt-rewrite alone ----

@pytest.fixture(scope="session")
def program():
    def build(folder):
        flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-g", "-fsanitize=address,undefined"]
        files = sorted(SIMT.glob("compile/*.c"))
        subprocess.run(["gcc", *flags, f"-I{SIMT}", f"-I{ROOT}/build/simt", *files, "-o", folder / "simt-rewrite"],
                       check=True)
    return once("rewrite", build) / "simt-rewrite"


def rewritten(program, source, *arguments):
    """Bytes in, bytes out: text mode would hide a changed line break."""
    return subprocess.run([program, *arguments], input=source.encode(), capture_output=True)


def rewrite(program, source, *arguments):
    done = rewritten(program, source, *arguments)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


# Calls that are sent through a function of the backend; the comment names the function.
SENT = r"""
void values(V *a, V (*b)[4], int i) {
a[i] = make(i); *a = make(2); // value, value
a->x = 1; a[i] = a[0]; V v = make(i); V *p = place(a); v = add(a[i], b[i][1], i);
a[0] = i ? add(b[i][i + 1], a[1], 0) : v.plus(v); a[1] = a[i].plus(a[0]); // value, value
a[2] = make(1), v = v; a[3].x += make(1).x; a[i] = {make(1)}; if (a[i].x == make(i).x) set(*a);
const V &r = make(3); p[i] = table[i](2); a[1] = (v); // value
auto [x] = make(1); auto &&[y] = make(2); a[i] = v; p->v = make<int>(3) ; // value
}
__device__ void f() { v = __shfl_sync(__activemask(), v, 0); // of_form
v += __shfl_xor_sync(__activemask ( ), f(a, b), 1); } // of_form
__device__ void f() { __syncwarp(__activemask()); } // of_form
__device__ void f() const { unsigned m = __activemask(); if (m1) { __syncwarp(m); } } // of_form
__device__ void f() { const auto m(__activemask());
__shfl_up_sync(m, __shfl_down_sync(m, v, 1), 2, 16); } // of_form, of_form
__device__ void f() { unsigned m{__activemask()}, n = 3; __syncwarp(m); } // of_form
__device__ void f() { unsigned m; m = __activemask(); __syncwarp(m); } // of_form
__device__ void f() { auto f = [&](int i) { auto m = __activemask(); v += __shfl_sync(m, v, i); }; } // of_form
__device__ void f() { unsigned m = __activemask(); __syncwarp(m); v = __popc(m); }
__device__ void f() { unsigned m = __activemask(); __syncwarp(m); v = __any_sync(m, v); }
__device__ void f() { unsigned m = __activemask(); __syncwarp(m); f(m); }
__device__ void f() { unsigned m = __activemask(); __syncwarp(m); g = &m; }
__device__ void f() { unsigned m = __activemask(); __syncwarp(m); return m; }
__device__ void f() { unsigned m = __activemask(); __syncwarp(m); m &= 3; }
__device__ void f() { unsigned m = __activemask() & 7; __syncwarp(m); }
__device__ void f() { unsigned m = 1, n = __activemask(); __syncwarp(m); }
__device__ void f() { unsigned m; __syncwarp(m); }
__device__ void f() { g.m = __activemask(); __syncwarp(g.m); } // value
__device__ void f() { v = __shfl_sync(__activemask() & 3, v, 0); __ballot_sync(__activemask(), v); }
__device__ void f() { v = __activemask() == m ? __shfl_sync(m, v, 1) : 0; __syncwarp(~0u); }
void thrown_away() { CALL; ; CALL; if (a) CALL; // discard, discard, discard
if (a) b(); else CALL; do CALL; while (a); for (;;) CALL; // discard, discard, discard
{ { CALL; } } while (a) { b(); CALL; } CALL, f(x), CALL; // discard, discard, discard, discard
b, CALL; if (a) f(CALL), CALL; (void)f(x), CALL; k<<<1, 2>>>(p), CALL; // discard, discard, discard, discard, launch, pointer_to
e = CALL; return CALL; (void)CALL; if (a) (void) CALL; f(CALL); CALL == 0; a ? CALL : 0; !CALL;
cudaError_t e{CALL}; return b, CALL; e = (b, CALL); a ? b : CALL; case 1 ? 2 : CALL; if (a, CALL) b();
e[] = {CALL, f(x), CALL}; for (; a; b, CALL) f(a, CALL); (CALL, CALL) == 0;
case 3: CALL; label: CALL; default: CALL; } // discard, discard, discard
void f() { cudaError_t e = CALL; e = cudaFree(q); f(e); } // discard
void f() { e = CALL; k<<<1, dim3(2, 2)>>>(q); e = cudaGetLastError(); } // discard, launch, pointer_to
void f() { auto e = CALL; e = cudaMemcpy(&e, b, n); e |= cudaFree(q); }
void f() { cudaError_t e = CALL; e = e ? e : cudaFree(q); }
void f() { cudaError_t e = CALL; if (x) e = cudaFree(q); }
void f() { cudaError_t e = CALL; g(e); e = cudaFree(q); }
void f() { for (;;) { e = CALL; } e = cudaFree(q); }
void f() { a.e = CALL; a.e = cudaFree(q); // value, value
a[0] = CALL; a[1] = cudaFree(q); } // value, value
struct V { float x; V plus(V o) const; };
"""


def test_what_goes_through_the_backend(program):
    """All else stays as it is."""
    text = SENT.replace("CALL", "cudaMemset(p, 0, n)")
    lines = [line.partition("// ") for line in text.splitlines()]
    rewritten = rewrite(program, "".join(f"{line[0]}\n" for line in lines), "x.cu", NAMES)
    ours = r'\n#pragma .*\n# \d+ "x.cu"\n *|__attribute__\(\(deprecated.*?\)\)\) '
    outputs = re.sub(ours, "", rewritten).splitlines()
    for (source, _, marks), output in zip(lines, outputs):
        sent = re.findall(r"::simt::(\w+)", output)
        assert sorted(sent) == sorted(re.findall(r"\w+", marks)), output
        assert marks or output.replace(" ", "") == source.replace("__device__", "").replace(" ", "")


@pytest.mark.parametrize("source", [
    '"k<<<1, 2>>>(); __shared__ int x; \\" __device__"; \'"\'; u8"__shared__"; \'\\\'\'; L\'<\';',
    'R"(k<<<1, 2>>>() " } \n)x" __device__)"; u8R"x({)" __shared__)x" LR"()" R"(unterminated" {\n',
    "# define D __device__ don't\n#pragma __device__",
    "int x = i < n ? in[i] : 0; y = 1'000 + 0xA'B + 1e+5 + .5'0; char c = '\\n';\r\n\tint y;",
    "a << b; a >> c; std::vector<std::vector<std::vector<int>>> v; x >>= 3; x <<= 1; a->b;",
    "operator<<<char, T>(a); operator<< <char>(a); friend ostream &operator<<<>(ostream &);",
    "__global__ void k(); __host__ int f(); __device__x; x__shared__; é = 1; \"unterminated\n'",
    "", "\\", "/*", "//", "\"\\", "'", "#", "# 1", '# 1 "', "1'", "/", "<", ">", ".",
])
def test_untouched(program, source):
    assert rewrite(program, source) == source


@pytest.mark.parametrize("text, row", [
    ("__device__ int f(int); __simt_kernel__ void k(int *p) {ROWS}", "*p += f(*p);\n"),
    ("struct R { int a; float b; }; __device__ const R t[] = {ROWS};", "R{1, (float)2},\n")],
    ids=["calls", "rows"])
def test_large_sources(text, row):
    """They take seconds, not minutes."""
    done = subprocess.run(["bash", "-c", 'ulimit -t 20; "$@"', "", ROOT / "build/simt/simt-rewrite", "x.cu", NAMES],
                          input=text.replace("ROWS", row * 20000), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.count("\n") >= 20000


@pytest.mark.parametrize("source, line", [
    ("\nk<<<1, 2>>>;", 2), ("k<<<1,\n2\n>>>\n;(", 1), ("\n\nk<<<1, 2>>(x);", 3),
    ("f(k<<<1, 2); j<<<1, 2>>>();", 1), ("k<<<(1, 2>>>();", 1), ("k<<<>>>();", 1),
    ("k<<<1, 2>>>();\n= <<<1, 2>>>();", 2), ("return <<<1, 2>>>();", 1), ("><<<1, 2>>>();", 1),
    ("]<<<", 1)])
def test_error(program, source, line):
    expected = (f"a.cu:{line}: error: '<<<' begins no launch; "
                "expected NAME<<<GRID, BLOCK>>>(ARGUMENTS)\n")
    done = rewritten(program, source, "a.cu")
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", expected)


@pytest.mark.slow
def test_changed_sources(program):
    """Of the programs and tests that are there."""
    texts = [path.read_bytes() for path in ROOT.glob("**/*.cu") if "build" not in path.parts]
    withstands(texts, lambda text: subprocess.run([program, "x.cu", NAMES], input=text,
                                                  capture_output=True, timeout=20))

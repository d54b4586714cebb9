"""simt-rewrite: what becomes of CUDA's syntax, and that all else passes byte for byte."""

import pathlib
import random
import re
import subprocess

import pytest

from backend import once

SIMT = pathlib.Path(__file__).parents[1]
POINTER = "[=](auto simt_how) -> decltype(::simt::pointer_to(simt_how, %s)) { return %s; }, "
CALL = ("[=](auto &&...simt_args) __attribute__((no_sanitize_thread, no_sanitize_coverage)) "
        "-> decltype(%s(static_cast<decltype(simt_args)>(simt_args)...)) { ")
TAIL = "(static_cast<decltype(simt_args)>(simt_args)...); }, "
ASM = ' __asm__("simt_dynamic_shared")'
SECTIONS = {f"{{{kind[0].upper()}}}": f'__attribute__((section("simt_{kind}")))'
            for kind in ("device", "constant", "managed", "unset")}


@pytest.fixture(scope="session")
def program():
    def build(folder):
        flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-fsanitize=address,undefined"]
        files = sorted(set(SIMT.glob("compile/*.c")) - {SIMT / "compile/guard.c"})
        subprocess.run(["gcc", *flags, f"-I{SIMT}", *files, "-o", folder / "simt-rewrite"],
                       check=True)
    return once("rewrite", build) / "simt-rewrite"


def run(program, source, *arguments):
    """Bytes in, bytes out: text mode would hide a changed line break."""
    return subprocess.run([program, *arguments], input=source.encode(), capture_output=True)


def rewrite(program, source, *arguments):
    done = run(program, source, *arguments)
    assert (done.returncode, done.stderr) == (0, b"")
    output = re.sub(r'__asm__\("\.weak simt_structures.*\n$', "", done.stdout.decode())
    assert output.count("\n") == source.count("\n")
    return output


def without_sections(output):
    """With a section's name, which also says what lies in front of the variable, as its kind."""
    return re.sub(r'section\("(simt_\w+)[^()]*"\)', r'section("\1")', output)


def syntax_check(source):
    command = ["g++", "-std=c++17", "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("call", ["cudaLaunchKernel", "cudaLaunchCooperativeKernel"])
def test_a_kernel_that_is_launched_by_a_call(program, call):
    """It loses a cast to void *, and nothing else does."""
    same = f"int {call}(void (*)()); f({call}(k, g, b, (void **)a), {call}((T *)k), (void *)k); "
    source = f"f({call}((void *)k<int>, g, b, (void *)a), {call} ( (const void\n* )& k));"
    assert rewrite(program, same + source) == (
        f"{same}f({call}( k<int>, g, b, (void *)a), {call} (  \n & k));")


# What is sent through simt::value.
SHOWN = """struct V { float x; V plus(V o) const; };
V make(int i); V add(V a, const V &b, int n); float *place(V *v); void set(V &v); void set(V v, int);
V V::plus(V o) const { return add(*this, o, 1); }
void f(V *a, V (*b)[4], int i)
{
    a[i] = «make(i)»; a->x = 1; a[i] = a[0]; V v = make(i); *a = «make(2)»; V *p = place(a);
    v = add(a[i], b[i][1], i); a[0] = «i ? add(b[i][i + 1], a[1], 0) : v.plus(v)»;
    a[1] = «a[i].plus(a[0])»; a[2] = make(1), v = v; a[3].x += make(1).x; a[i] = {make(1)};
    if (a[i].x == make(i).x) set(*a); const V &r = make(3); p[i] = «table[i](2)»; a[1] = (v);
    auto [x] = make(1); auto &&[y] = make(2); a[i] = v; p->v = «make<int>(3)» ;
}
"""


def test_values_between_memory_and_functions(program):
    """What calls return, on its way to memory."""
    source = SHOWN.replace("«", "").replace("»", "")
    assert rewrite(program, source) == SHOWN.replace("«", "::simt::value(").replace("»", ")")


# What becomes of a mask within a function: handed on as an unseen one, or left as it is.
UNSEEN = """v = __shfl_sync(__activemask(), v, 0);
v += __shfl_xor_sync(
    __activemask ( ), f(a, b), 1);
__syncwarp(__activemask());
unsigned m = __activemask(); if (m1) { __syncwarp(m); }
const auto m(__activemask()); v = __shfl_up_sync(m, __shfl_down_sync(m, v, 1), 2, 16);
unsigned m{__activemask()}, n = 3; __syncwarp(m);
unsigned m; m = __activemask(); __syncwarp(m);
auto f = [&](int i) { unsigned m = __activemask(); v += __shfl_sync(m, v, i); };"""
SEEN = """unsigned m = __activemask(); __syncwarp(m); v = __popc(m);
unsigned m = __activemask(); __syncwarp(m); v = __any_sync(m, v);
unsigned m = __activemask(); __syncwarp(m); f(m);
unsigned m = __activemask(); __syncwarp(m); g = &m;
unsigned m = __activemask(); __syncwarp(m); return m;
unsigned m = __activemask(); __syncwarp(m); m &= 3;
unsigned m = __activemask() & 7; __syncwarp(m);
unsigned m = 1, n = __activemask(); __syncwarp(m);
unsigned m; __syncwarp(m);
g.m = __activemask(); __syncwarp(g.m);
v = __shfl_sync(__activemask() & 3, v, 0);
v = __ballot_sync(__activemask(), v);
v = __activemask() == m ? __shfl_sync(m, v, 1) : 0;
__syncwarp(); __shfl_sync<int>(m, v, 0); __syncwarp(~0u);"""


def test_masks(program):
    for word, bodies in ("unseen", UNSEEN), ("seen", SEEN):
        # a line a body, but for one that breaks within its call
        for body in bodies.replace("(\n", "(\r").split("\n"):
            source = f"void f(unsigned m) {{ v = 1; }} int k(unsigned of) const {{ {body} }}"
            source = source.replace("\r", "\n")
            output = rewrite(program, source)
            assert (output != source) == (word == "unseen"), output
            assert re.sub(r"::simt::unseen\{(\w+|__activemask ?\( ?\))\}", r"\1", output) == (
                source), output


def launch(name, blank="", file="<stdin>", line=1, on_one_line=None, more=""):
    """blank: between the name and its <<<, and behind that."""
    one = on_one_line or name
    spelled = one.replace("\\", "\\\\").replace('"', '\\"')
    return (f'::simt::launch({{"{spelled}", "{file}", {line}{more}}}, ' + POINTER % (one, one)
            + CALL % one + name + blank + TAIL + blank)


LAUNCHES = {
    "k<<<1, 2>>>(x);": launch("k") + "1, 2)(x);",
    "if (a > b) k <<< dim3(1, 2), n > 4 ? 1 : 2, 0, s >>> (x);": "if (a > b) "
    + launch("k", " ") + "dim3(1, 2), n > 4 ? 1 : 2, 0, s ) (x);",
    "else ::a::b<int>::k<256, (3 > 2), A<B<int>>><<<1, 2>>>();": "else "
    + launch("::a::b<int>::k<256, (3 > 2), A<B<int>>>") + "1, 2)();",
    "k<A<int>::n, 1 << 3, 'c', sizeof(\"\\n\")><<<1, 2>>>();": launch(
        "k<A<int>::n, 1 << 3, 'c', sizeof(\"\\n\")>") + "1, 2)();",
    "int n = 1'000; k<<<1'0, 2>>>(0x1'f);": "int n = 1'000; " + launch("k") + "1'0, 2)(0x1'f);",
    "k<a->n><<<1, 2>>>();": launch("k<a->n>") + "1, 2)();",
    "T::template k<n><<<1, 2>>>();": launch("T::template k<n>") + "1, 2)();",
    "steps[i].kernel<<<1, 2>>>();": launch(
        "steps[i].kernel") + "1, 2)();",
    "this->kernel<<<1, 2>>>();": launch(
        "this->kernel") + "1, 2)();",
    "k_t k = j; k<<<1, 2>>>();": "k_t k = j; " + launch("k")
    + "1, 2)();",
    "void k(); int k; k<<<1, 2>>>();": "void k(); int k; " + launch("k") + "1, 2)();",
    "template <class T> void f() { k<T><<<1, 2>>>(); }": "template <class T> void f() { " + launch(
        "k<T>", more=", nullptr, __PRETTY_FUNCTION__") + "1, 2)(); }",
    "k << <1, 2>> >(x);": launch("k", " ") + "1, 2) (x);",
    "k < <<dim3(1 >> 2), f<A<int> >(3)>>>(x);": launch("k", " ")
    + "dim3(1 >> 2), f<A<int> >(3))(x);",
    "return ::k<<<1, 2>>>();": "return " + launch("::k") + "1, 2)();",
    "case 1:k<<<1, 2>>>();": "case 1: " + launch("k") + "1, 2)();",
    "a<<<1, 2>>>(); b<<<3, f[g<int>({4})]>>>();": launch("a") + "1, 2)(); "
    + launch("b") + "3, f[g<int>({4})])();",
    "\n\nk <\n  256\n><<<1,\n2\n>>>\n(x);": "\n\n" + launch(
        "k <\n  256\n>", line=3, on_one_line="k < 256 >") + "1,\n2\n)\n(x);",
    '# 12 "dir/\\"a\\".cu" 2\n\n  k<<<1, 2>>>();\n# 7 "b.cu"\nk<<<1, 2>>>();':
        '# 12 "dir/\\"a\\".cu" 2\n\n  ' + launch("k", file='dir/\\"a\\".cu', line=13)
        + '1, 2)();\n# 7 "b.cu"\n' + launch("k", file="b.cu", line=7) + "1, 2)();",
    'k<<<1,\n# 40 "a.cu"\n2>>>(); j<<<1, 2>>>();': launch("k") + '1,\n# 40 "a.cu"\n2)(); '
    + launch("j", file="a.cu", line=40) + "1, 2)();",
    "1 R\"(2\n)\";\nk<<<1, 2>>>();": "1 R\"(2\n)\";\n" + launch("k", line=3) + "1, 2)();",
}

# Each also compiles once rewritten: {D} is the device's section, {C} the constant one,
# {U} that of constants without a value, {M} the managed one.
SHARED = {
    "extern __shared__ float a1[];": f"extern __thread float a1[]{ASM};",
    "__shared__ extern float a2[];": f" extern __thread float a2[]{ASM};",
    "extern __shared__ int a3[][32], a4[] ;": f"extern __thread int a3[][32]{ASM}, a4[]{ASM} ;",
    "volatile extern __attribute__((aligned(16))) __shared__ int a5[];":
        f"volatile extern __attribute__((aligned(16))) __thread int a5[]{ASM};",
    "alignas(16) __shared__ volatile extern int a6[];":
        f"alignas(16)  volatile extern __thread int a6[]{ASM};",
    "extern __shared__ __align__(16) unsigned char a7[];":
        f"extern __thread __align__(16) unsigned char a7[]{ASM};",
    "extern __shared__ int a8[] __attribute__((aligned(16)));":
        f"extern __thread int a8[]{ASM} __attribute__((aligned(16)));",
    "__device__ extern __shared__ P<int, 3> a9[\n];": f" extern __thread P<int, 3> a9[\n]{ASM};",
    "__shared__ int b1[64];": "static __thread int b1[64];",
    "volatile __shared__ int b2[64];": "volatile static __thread int b2[64];",
    "__shared__ volatile int b3[64], b4;": "static __thread volatile int b3[64], b4;",
    "static __shared__ int b5;": "static __thread int b5;",
    "__shared__ static int b6;": " static __thread int b6;",
    "static __device__ __shared__ int b7;": "static  __thread int b7;",
    "int __shared__ b8[2][33];": "int static __thread b8[2][33];",
    "__align__(8) __shared__ P<float, 4> b9;": "__align__(8) static __thread P<float, 4> b9;",
}
VARIABLES = {
    "__device__ int c1;": "{D} int c1;",
    "__device__ float c2[16];": "{D} float c2[16];",
    "static __device__ unsigned c3 = (3);": "static {D} unsigned c3 = (3);",
    "__constant__ float c4[4] = {1, 2};": "{C} float c4[4] = {1, 2};",
    "__device__ int2 c5{1, 2};": "{D} int2 c5{1, 2};",
    "__device__ P<int, (3 > 2)> c6;": "{D} P<int, (3 > 2)> c6;",
    "__device__ __managed__ int c7, c8;": "{M}  int c7, c8;",
    "__managed__ decltype(1 + 2) c9;": "{M} decltype(1 + 2) c9;",
    "__device__ __constant__ int d1;": "{U}  int d1;",
    "__constant__ int u1, u2[2][3];": "{U} int u1, u2[2][3];",
    "__constant__ int u3, u4{1};": "{C} int u3, u4{1};",
    "extern __constant__ int u5[]; __constant__ int u5[2];": "extern  int u5[]; {U} int u5[2];",
    "extern __constant__ int u6; __constant__ int u6 = 3;": "extern  int u6; {C} int u6 = 3;",
    "extern __device__ int d2;": "extern {D} int d2;",
    "__device__ __align__(16) int d3;": "{D} __align__(16) int d3;",
    "__device__ inline int d4;": "{D} inline int d4;",
    "constexpr __device__ int d5 = 3;": "constexpr {D} int d5 = 3;",
    "[[maybe_unused]] __device__ int d6;": "[[maybe_unused]] {D} int d6;",
    "__device__ int (*d7)(int);": "{D} int (*d7)(int);",
    "struct S1 { static __device__ int m; };": "struct S1 { static {D} int m; };",
}
FUNCTIONS = {
    "__device__ int e1(int x = 3);": " int e1(int x = 3);",
    "__device__ __host__ inline P<int, 3> e2(int);": " __host__ inline P<int, 3> e2(int);",
    "template <class T, int n = 3>\n__device__\nT e3(T x) { return x; }":
        "template <class T, int n = 3>\n\nT e3(T x) { return x; }",
    'extern "C" __device__ void e4();': 'extern "C"  void e4();',
    "__device__ __attribute__((noinline)) decltype(1) e5();":
        " __attribute__((noinline)) decltype(1) e5();",
    "struct S2 { __device__ S2(int x); __device__ ~S2(); __device__ operator int(); };":
        "struct S2 {  S2(int x);  ~S2();  operator int(); };",
    "struct S3 { __device__ int operator[](int); __device__ bool operator<(S3) const; };":
        "struct S3 {  int operator[](int);  bool operator<(S3) const; };",
    "void e6() { auto f = [=] __device__ (int x) { return x; }; }":
        "void e6() { auto f = [=]  (int x) { return x; }; }",
    "auto e7 = [] __host__ __device__ { return 1; };": "auto e7 = [] __host__  { return 1; };",
    "[[nodiscard]] __device__ int e8();": "[[nodiscard]]  int e8();",
    "__launch_bounds__(256) __device__ void e9();": "  void e9();",
}
DECLARATIONS = {**SHARED, **VARIABLES, **FUNCTIONS}
STUBS = """
#define __align__(n) __attribute__((aligned(n)))
#define __host__
#define __launch_bounds__(n)
struct int2 { int x, y; };
template <class T, int n> struct P { T values[n]; };
namespace simt {
struct site {
    const char *kernel, *file; int line; const void *function = 0; const char *within = 0;
};
template <class T> T value(T v) { return v; }
extern "C" int printf(const char *, ...);
template <class T> auto pointer_to(int, T *k) -> T *;
template <class P, class K, class... C> auto launch(site s, P, K k, C...) {
    return [=](auto... a) { printf("%s ", s.kernel); k(a...); };
}
}
extern "C" __thread int simt_dynamic_shared[];
"""
PROGRAM = r"""
#define __global__
#define RUN(kernel) kernel<<<1, 2>>>
extern "C" { __thread int simt_dynamic_shared[8] = {1, 2, 3, 4}; }
__device__ unsigned counter; __constant__ int c[2] = {-1, 1};
__device__ __host__ inline int twice(int x) { return 2 * x; }
template <int n, class T> __global__ void kernel(T factor) {
    extern __shared__ __align__(16) T tile[];
    __shared__ T copy[8];
    copy[n] = twice(tile[n] * factor);
    tile[n] = copy[n] + c[0];
    counter++;
    simt::printf("%d\n", tile[n]);
}
namespace {
__global__ void plain() {
    extern __shared__ int tile[];
    counter++;
    simt::printf("%d\n", tile[0] + tile[1] + tile[2] - c[1]);
}
}
int main() {
    kernel<3,
           int><<<1, 2>>>(1);
    RUN(plain)();
    simt::printf("counter %u\n", counter);
}
"""


@pytest.mark.parametrize("source", LAUNCHES)
def test_launch(program, source):
    assert rewrite(program, source) == LAUNCHES[source]


def test_file_name_is_spelled_as_a_string(program):
    expected = launch("k", file='a \\"b\\"\\\\c.cu') + "1, 2)();"
    assert rewrite(program, "k<<<1, 2>>>();", 'a "b"\\c.cu') == expected


@pytest.mark.parametrize("source", DECLARATIONS)
def test_declaration(program, source):
    expected = DECLARATIONS[source]
    for kind, section in SECTIONS.items():
        expected = expected.replace(kind, section)
    assert without_sections(rewrite(program, source)) == expected
    assert without_sections(rewrite(program, f"{{ g(1); {source}\n}}")) == (
        f"{{ g(1); {expected}\n}}")


OWN = [  # B is CUDA's, C is the program's own
    "__device__ void g() { f(B); } void h() { dim3 C(16, 1); k(C, a.C, a->C); }",
    "dim3 C(16, 1); void f() { k(C); }",
    "__device__ void j(int i = B.x) { l(B); } void f(dim3 a, uint3 C) { k(C.x); }",
    "void f() { const dim3 a(1), C = 3; g(C); } auto l = [] __device__ { return B; };",
    "struct S { int i; __device__ S() : i(B.x) {} }; void f(dim3 C);",
    "int i = B.x; void f() { g(B); }",
]


@pytest.mark.parametrize("source", OWN)
def test_variables_called_as_cuda_s(program, source):
    written = re.sub(r"\b[BC]\b", "blockDim", source)
    expected = re.sub(r"\bB\b", "(simt_block_dim())", source).replace("__device__", "")
    assert rewrite(program, written) == re.sub(r"\bC\b", "blockDim", expected)


def test_declarations_compile(program):
    shared = "\n".join(SHARED)
    template = f"template <class T> void f() {{\n{shared}\n}}\ntemplate void f<int>();"
    syntax_check(STUBS + rewrite(program, "\n".join(DECLARATIONS) + "\n"))
    syntax_check(STUBS + rewrite(program, f"void f() {{\n{shared}\n}}\n"))
    syntax_check(STUBS + rewrite(program, template))


def test_dynamic_shared_in_a_template_is_a_reference(program):
    source = "template <class T> struct A { void f() { if (1) {\n extern __shared__ %s; } } };"
    memory = " = reinterpret_cast<decltype(%s)>(::simt_dynamic_shared)"
    after = "\nint i = 1; void g() { extern __shared__ int s[]; }"
    references = f"T *(&s)[][4]{memory % 's'}, (&t)[]{memory % 't'}"
    assert rewrite(program, source % "T *s[][4], t[]" + after) == (
        source.replace("extern __shared__", " ") % references
        + after.replace("__shared__ int s[]", "__thread int s[]" + ASM))


def test_program_runs(program, tmp_path):
    """From g++ -E to a running program: g++ may accept a declaration and yet not link it."""
    (tmp_path / "main.cu").write_text(STUBS + PROGRAM)
    command = ["g++", "-E", "-x", "c++", "main.cu"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    command = ["g++", "-std=c++17", "-O1", "-x", "c++", "-", "-o", tmp_path / "main"]
    subprocess.run(command, input=rewrite(program, done.stdout), text=True, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    assert done.stdout == "kernel<3, int> 7\nplain 5\ncounter 2\n"


def test_launches_compile(program):
    syntax_check(STUBS + rewrite(program, """
        namespace a { template <class T> struct b { template <int n> static void k(T *, int) {} }; }
        void plain() {}
        void (*table[])() = {plain, plain};
        struct M { void (*kernel)(); void go() { this->kernel<<<1, 2>>>(); } };
        template <class T> void launch_all(T *x, int how) {
            T local = 3;
            a::b<T>::template k<(4 > 3)><<<1, 2 * local, 0>>>(x, 5);
            for (int i = 0; i < 2; i++) table[i]<<<1, 2>>>();
            switch (how) { case 1:plain<<<1, 2>>>(); break; default: ::plain<<<1,
                2>>>(); }
            if (how) plain<<<1, 2>>>(); else ::a::b<int>::k<3><<<1, 2>>>(nullptr, how);
        }
        template void launch_all(float *, int);
    """))


@pytest.mark.parametrize("source", [
    '"k<<<1, 2>>>(); __shared__ int x; \\" __device__"; \'"\'; u8"__shared__"; \'\\\'\'; L\'<\';',
    'R"of_16_characters(" __shared__)of_16_characters";',
    'R"(")" __x; u8R"x(k<<<1>>>; )" \n\\)x"; R"()__device__)"; LR"--(\n__shared__ )-)--"',
    "# define D __device__ don't\n#pragma __device__",
    "int x = 1'000'000 + 0xA'B + 1e+5 + .5'0; char c = '\\n';\r\n\tint y;",
    "a << b; a >> c; std::vector<std::vector<std::vector<int>>> v; x >>= 3; x <<= 1; a->b;",
    "operator<<<char, T>(a); operator<< <char>(a); friend ostream &operator<<<>(ostream &);",
    "__global__ void k(); __host__ int f(); __device__x; x__shared__; é = 1; \"unterminated\n'",
    "", "\\", "/*", "//", "R\"x(", "\"\\", "'", "#", "# 1", '# 1 "', "1'", "/", "<", ">", ".",
])
def test_untouched(program, source):
    assert rewrite(program, source) == source


@pytest.mark.parametrize("source, line, message", [
    ("\nk<<<1, 2>>>;", 2, "no '(' after '>>>'"),
    ("k<<<1,\n2\n>>>\n;(", 3, "no '(' after '>>>'"),
    ("\n\nk<<<1, 2>>(x);", 3, "'<<<' without its '>>>'"),
    ("f(k<<<1, 2); j<<<1, 2>>>();", 1, "'<<<' without its '>>>'"),
    ("k<<<(1, 2>>>();", 1, "'<<<' without its '>>>'"),
    ("k<<<>>>();", 1, "nothing between '<<<' and '>>>'"),
    ("k<<<1, 2>>>();\n= <<<1, 2>>>();", 2, "no kernel's name before '<<<'"),
    ("return <<<1, 2>>>();", 1, "no kernel's name before '<<<'"),
    ("<<<1, 2>>>();", 1, "no kernel's name before '<<<'"),
    ("><<<1, 2>>>();", 1, "no kernel's name before '<<<'"),
    ("]<<<", 1, "no kernel's name before '<<<'"),
])
def test_error(program, source, line, message):
    expected = f"a.cu:{line}: error: {message}; expected NAME<<<GRID, BLOCK>>>(ARGUMENTS)\n"
    done = run(program, source, "a.cu")
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", expected)


@pytest.mark.parametrize("source", [
    "__device__", "__shared__", "extern __shared__", "extern __shared__ int x", "__device__ P<",
    "__device__ (", "extern __shared__ int x[", "] __device__", ") __device__ x;",
    "#define D \\\n__device__", "__constant__ operator",
])
def test_half_a_declaration_is_no_crash(program, source):
    rewrite(program, source)


@pytest.mark.slow
def test_standard_headers_pass_unchanged(program):
    includes = "".join(f"#include <{name}>\n" for name in ("iostream", "map", "algorithm", "regex"))
    command = ["g++", "-std=c++17", "-E", "-x", "c++", "-"]
    done = subprocess.run(command, input=includes, capture_output=True, text=True, check=True)
    source = done.stdout
    assert len(source) > 1_000_000
    assert rewrite(program, source) == source


def test_soup_without_cuda_passes_unchanged(program):
    dice = random.Random(20)
    pieces = ["k", "static", "operator", "é", "1'0", "0x1p-3", "'", "\\'", '"', 'R"x(', ')x"', "#",
              '# 7 "f"', "//", "/*", "*/", "\\", "\n", "\\\n", "\r\n", "\t", "<<", ">>>", "->",
              "::", *" <>()[]{};,=.\0"]
    for _ in range(50):
        soup = re.sub("<<<+", "<<", "".join(dice.choices(pieces, k=dice.randrange(200))))
        assert rewrite(program, soup) == soup


def test_soup_with_cuda_keeps_its_lines(program):
    """Whatever becomes of it: no crash, and as many lines as before or an error."""
    dice = random.Random(21)
    pieces = ["k", "extern", "static", "operator", "template", "alignas", "__shared__",
              "__device__", "__constant__", "<<<", ">>>", "[[", "]]", "::", "->", "\n",
              *"<>()[]{};,=."]
    for _ in range(100):
        soup = " ".join(dice.choices(pieces, k=dice.randrange(40)))
        done = run(program, soup)
        assert done.returncode in (0, 1) and done.stderr.count(b"\n") == done.returncode
        assert done.stdout.count(b"\n") == (soup.count("\n") if done.returncode == 0 else 0)


# ---- errors that nobody looks at ----

DISCARDED = ["{}", "; {}", "if (a) {}", "if (a) b(); else {}", "do {} while (a);", "for (;;) {}",
             "{{ {} }}", "while (a) {{ b(); {} }}"]
LOOKED_AT = ["e = {}", "return {}", "(void){}", "if (a) (void) {}", "f({})", "{} == 0",
             "a ? {} : 0",
             "cudaError_t e{{{}}}", "!{}", "b, {}", "a ? b : {}", "case 1 ? 2 : {}",
             "e[] = {{f(x), {}}}", "int i = f(x), {}", "(void)f(x), {}"]
# What asks for something, or waits, may be told, too; all else must be.
MAY_BE = re.compile("cuda(Get|Peek|DriverGet|RuntimeGet|PointerGet|FuncGet|MemGetInfo|Occupancy|"
                    "ChooseDevice|Device(Reset|Sync|CanAccess|Get(?!Attribute))|Thread(Sync|Exit)|"
                    "Event(Query|CreateWith)|Stream(CreateWith|Query|Sync))"
                    "(?!SymbolAddress|DeviceProp)")


@pytest.fixture
def names(tmp_path):
    """The calls that the backend declares, in the file that says so."""
    header = (SIMT / "include/cuda_runtime_api.h").read_text()
    declared = re.findall(r"^cudaError_t (\w+)\(", header, re.MULTILINE)
    known = tmp_path / "cuda.names"
    known.write_text('# 1 "cuda.h" 3\n' + "\n".join([*declared, "cudaError", "cudaError_t",
                                                     "cudaSuccess"]) + "\n")
    return declared, known


def test_discarded_errors(program, names):
    """A call that is a whole statement is wrapped, with its place; one whose result goes somewhere,
    be it to (void), is left alone."""
    declared, known = names
    wrapped = '::simt::discard({"", "<stdin>", 1}, cudaFree(p));'
    for form in DISCARDED:
        source = "{ " + form.format("cudaFree(p);") + " }"
        assert rewrite(program, source, "<stdin>", known) == source.replace(
            "cudaFree(p);", wrapped), form
    for form in LOOKED_AT:
        source = "{ " + form.format("cudaFree(p)") + "; }"
        assert rewrite(program, source, "<stdin>", known) == source, form
    names = [name for name in declared if not MAY_BE.match(name)]
    rewritten = rewrite(program, "{" + "\n".join(f"{name}(x);" for name in names) + "}",
                        "<stdin>", known)
    assert len(names) > 20
    assert [name for name in names if f"}}, {name}(x));" not in rewritten] == []


# What stands in front of a call's result, and behind it.
OVERWRITTEN = [
    ("cudaError_t e = {} e = cudaFree(q); f(e);", 1),
    ("cudaError_t e; e = {} int i = 3; e = cudaGetLastError();", 1),
    ("auto e = {} k<<<1, dim3(2, 2)>>>(q); e = cudaMemcpy(a, b, n);", 1),
    ("cudaError_t e; e = {} g(); e = cudaGetLastError();", 0),
    ("auto e = {} if (x) {{ g(); }} e = cudaMemcpy(a, b, n);", 0),
    ("cudaError_t d, e; if (x) {{ e = {} e = cudaFree(q); }}", 1),
    ("enum cudaError e; e = {} e = cudaFree(q); if (e) g();", 1),
    ("cudaError_t e = {} f(e); e = cudaFree(q);", 0),
    ("cudaError_t e = {} if (e != cudaSuccess) g(); e = cudaFree(q);", 0),
    ("cudaError_t e = {} if (x) return; e = cudaFree(q);", 0),
    ("cudaError_t e = {} if (x) {{ goto f; }} e = cudaFree(q);", 0),
    ("cudaError_t e = {} e = f(e) + cudaFree(q);", 0),
    ("cudaError_t e = {} e = e ? e : cudaFree(q);", 0),
    ("cudaError_t e = {} e = cudaMemcpy(&e, b, n);", 0),
    ("cudaError_t e = {} e |= cudaFree(q);", 0),
    ("cudaError_t e = {} e = cudaSuccess;", 0),
    ("cudaError_t e = {} if (x) e = cudaFree(q);", 0),
    ("cudaError_t e = {} {{ cudaError_t e; e = cudaFree(q); }}", 0),
    ("cudaError_t e; switch (x) {{ case 1: e = {} break; case 2: e = cudaFree(q); }}", 0),
    ("cudaError_t e; for (; e = {} e = cudaFree(q)) g();", 0),
    ("cudaError_t e; for (;;) {{ e = {} }} e = cudaFree(q);", 0),
    ("cudaError_t e, *p = &e; e = {} g(*p); e = cudaFree(q);", 0),
    ("cudaError_t e, &r = e; e = {} g(r); e = cudaFree(q);", 0),
    ("cudaError_t e; auto f = [&] {{ g(e); }}; e = {} f(); e = cudaFree(q);", 0),
    ("e = {} e = cudaFree(q);", 1),
    ("a.e = {} a.e = cudaFree(q);", 0),
    ("a[0] = {} a[1] = cudaFree(q);", 0),
]


@pytest.mark.parametrize("form, count", OVERWRITTEN)
def test_overwritten_errors(program, names, form, count):
    """A variable that gets another call's result next, with launches between at most."""
    done = rewrite(program, "void f() { " + form.format("cudaMalloc(&p, n);") + " }", "<stdin>",
                   names[1])
    wrapped = '= ::simt::overwrite({"", "<stdin>", 1}, cudaMalloc(&p, n));'
    assert (done.count("::simt::overwrite("), done.count(wrapped)) == (count, count), done

"""Host variables and plain host functions in device code, which nvcc refuses. A comment in the wrong
program names the word that is told at its line; the right program is clean."""

import re

import pytest

from backend import ROOT, run, simtcc

WRONG = """
int plain = 1;
const int primes[3] = {2, 3, 5};
constexpr float factors[2][2] = {{1, 2}, {3, 4}};
namespace a { struct Sizes { static const long all[2]; }; }
const long a::Sizes::all[2] = {1, 2};
extern float elsewhere[4];
namespace a { namespace b { unsigned nested; inline int helper(int x) { return x; } } }
namespace { struct { short x; } hidden = {3}; }
int twice(int x) { return 2 * x; }
int declared(int x);
template <class T> T generic(T x) { return x; }
extern "C" { int with_c_linkage(int x) { return x; } }
auto on_host = [](int x) { return x; };
struct Device {
    int value;
    __device__ int get(int x) { return value + twice(x); } // told: twice
    __device__ int of_own(int x) { return half(x) + // told: half
                                          plain; } // told: plain
    int half(int x) { return x / 2; }
};
template <class T> __device__ T template_on_device(T x)
{
    return x + a::b::nested; // told: nested
}
template <> __device__ char template_on_device(char x) { return plain; } // told: plain
__global__ void variables(int *out)
{
    out[0] = plain; // told: plain
    elsewhere[threadIdx.x] = 1; // told: elsewhere
    hidden.x++; // told: hidden
    out[5] = primes[threadIdx.x]; // told: primes
    out[6] = (int)factors[threadIdx.x][1]; // told: factors
    out[8] = (int)a::Sizes::all[threadIdx.x]; // told: all
    auto lambda = [&](int x) { return x + plain; }; // told: plain
    out[4] = lambda(1) + template_on_device(2) + template_on_device(2.5f);
}
constexpr int cube(int x) { return x * x * x; }
struct Own {
    static int half(int x) { return x / 2; }
    static __device__ int half(float x) { return x / 2; }
};
__global__ void functions(int *out, int n)
{
    out[0] = twice(n); // told: twice
    out[1] = declared(n); // told: declared
    out[2] = generic(n) + (int)generic(1.5); // told: generic
    out[5] = a::b::helper(n) + // told: helper
             on_host(n); // told: on_host
    Device device = {n};
    out[7] = device.get(n) + cube(n); // told: cube
    out[5] = Own::half(n); // told: half
    out[12] = with_c_linkage(n); // told: with_c_linkage
}
struct Made {
    int value;
    Made(int x) : value(x) {}
    int half() const { return value / 2; }
    template <class T> T times(T x) const;
    __device__ int device() const { return value; }
    friend Made operator+(Made a, Made b) { return Made(a.value + b.value); }
    int &operator[](int) { return value; }
};
struct Kept {
    int x;
    __device__ Kept(int x) : x(twice(x)) {} // told: twice
    ~Kept() { x = 0; }
};
bool operator<(const Made &a, const Made &b) { return a.value < b.value; }
template <class T> T Made::times(T x) const { return value * x; }
template <class T> struct Pair {
    T x;
    __host__ Pair() {}
    T sum() const { return x; }
    __device__ T on_device() const { return sum(); } // told: sum
};
__global__ void objects(int *out, Made *m, Pair<int> *p, int n)
{
    __shared__ Pair<int> shared; // told: Pair
    Made made(3), copy(*m); // told: Made
    out[0] = copy.half() + m->device() + // told: half
             m->times(2) + // told: times
             p[1].sum() + p[1].on_device(); // told: sum
    out[2] = Pair<int>().x; // told: Pair
    made = m[1] + copy; // told: operator+
    made[0] = // told: operator[]
              m[0] < m[1]; // told: operator<
    Kept kept(n); // told: ~Kept
}
template <class T> __global__ void instance(T *out)
{
    *out = twice(*out); // told: twice
}
int main()
{
    instance<int><<<1, 1>>>(NULL), functions<<<1, 1>>>(NULL, twice(plain));
}
"""

LIBRARY = """
#include <algorithm>
#include <array>
#include <limits>
#include <stdlib.h>
#include <string.h>
__device__ int catches(int x)
{
    try { // told: try
        return x;
    } catch (...) {
        return 0;
    }
}
__global__ void library(int *out, int n)
{
    std::array<int, 3> own; // told: operator[]
    own[n] = max(n, 3);
    out[0] = std::max(n, 3) + own[1]; // told: max
    std::inclusive_scan(out, out + 2, out + 1); // told: inclusive_scan
    out[3] = std::numeric_limits<int>::lowest(); // told: lowest
    constexpr int least = std::min<int>(2, 3); // told: min
    out[4] = least;
    out[7] = ::std::atoi("7"); // told: atoi
    std::vector<int> grown(n); // told: vector
    cout << n; // told: cout
    auto lambda = [] __device__(int x) { return std::clamp(x, 0, 1); }; // told: clamp
}
__global__ void heap(int **out)
{
    out[0] = (int *)malloc(4); // told: malloc
    out[1] = new int[4]; // told: new
    delete out[1]; // told: delete
    free(out[0]); // told: free
}
template <class T> __global__ void functions(T *out, int n)
{
    out[0] = n < 0 ? throw n : catches(n); // told: throw
    out[9] = rand(); // told: rand
    out[1] = memcmp(out, out, 4) + // told: memcmp
             __builtin_ctz(n); // told: __builtin_ctz
    functions(out, n); // told: functions
    cudaMemcpy(out, out, n, cudaMemcpyDeviceToDevice); // told: cudaMemcpy
}
__device__ int on_device(int x) { return x; }
__global__ void kernel(int *) {}
int main()
{
    int plain = on_device(1); // told: on_device
    kernel(&plain); // told: kernel
    functions<int>(&plain, 3); // told: functions
    atomicAdd(&plain, 1); // told: atomicAdd
    __syncthreads(); // told: __syncthreads
}
"""

RIGHT = """
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>
#define BOTH __host__ __device__
template <int warpSize> __device__ int own(int blockDim) { return blockDim % warpSize ? warpSize : blockDim; }
const int size(32), largest = std::numeric_limits<int>::max();
template <class T> constexpr T half = 0.5;
const int lengths[4] = {1, 2, 3, 4};
__device__ const int on_device_too[2] = {1, 2};
static __constant__ const char word[] = "word";
const struct { int x, y; } origin = {1, 2};
__device__ int index(int x) { return x; }
__device__ int counter, of_both;
__constant__ float weights[4] = {0};
__managed__ int managed;
int shadowed = 1, of_host = 2, threads = 64, unused_in_kernels;
template <class T> __device__ T without_instance(T x) { return x + of_host; }
struct Owned { int v; __device__ Owned() : v(1) {} ~Owned() {} };
struct Owner : Owned { int n; __device__ Owner(int n) : n(n) {} };
namespace other { inline namespace one { int of_both; } int value(int x) { return x; } }
struct Plain { int x, y; Plain operator&(Plain) { return *this; } int operator*(int i) { return x * i; } };
struct alignas(16) Aligned { int x; };
void __global__ __launch_bounds__(64) bounded(Aligned *a) { Aligned b; a->x = b.x = 1; }
struct Defaulted { Plain p; float f = 2; Defaulted() = default; };
struct Both {
    int value;
    static constexpr int limit = std::max(8, 7);
    static __device__ int twice(int x) { return 2 * x; }
    BOTH Both(int v) : value(v) {}
    BOTH int get() const { return value; }
    BOTH Both operator+(const Both &other) const { return Both(value + other.value); }
    int on_host() const { return value + of_host; }
};
template <class T> struct Functor {
    __device__ T operator()(T a, T b) const { return a + b; }
    T print() const { return T(); }
};
template <class T> struct Unused {
    T x;
    __device__ T square() const { return index(x * x); }
    T root() const { return sqrt(square()); }
    __device__ T least() const { return std::min(x, T(1)); }
};
template <class T> __device__ T square(Unused<T> of) { return of.square(); }
BOTH int for_both(int x) { return std::max(x, x + 1); }
BOTH constexpr int square(int x) { return x * x; }
int overloaded(const char *text) { return text[0]; }
__device__ int overloaded(int x) { return x; }
int max(const std::vector<int> &of) { return *std::max_element(of.begin(), of.end()); }
float abs(const Plain &p) { return sqrtf(p.x * p.x + p.y * p.y); }
[[deprecated("of the source")]] __device__ int rand(int x);
namespace mine { __device__ int value(int x) { return x; } __device__ int round(int x) { return x; } }
int value(int x) { return x + of_host; }
template <class T> T checked(T x) { return x < 0 ? throw x : x; }
constexpr int positive(int x) { return x > 0 ? x : throw x; }
int caught(int x)
{
    try {
        return positive(x) + checked(x) + std::vector<int>(3).at(x);
    } catch (...) {
        return 0;
    }
}
template <class T, class Op> __device__ T apply(T a, T b, Op op) { return op(a, b); }
struct Counts { int v; int atomicAdd(int x) { return v += x; } int go() { return atomicAdd(0); } };
template <class T> BOTH T counted(T *p) { return atomicAdd(p, 1); } int host_only(int x) { return x; }
__device__ int uses_static(int x) { static int of_host; return of_host + x; }
__global__ void kernel(int *out, int shadowed)
{
    using mine::value;
    int threads = blockDim.x, plain = value(1);
    __shared__ int unused_in_kernels[size];
    unused_in_kernels[threadIdx.x] = shadowed;
    auto host_only = [threads](int x) { return x + threads; };
    Defaulted d;
    assert(shadowed != threads - 1000);
    struct Cleaned { int value; __device__ Cleaned() : value(1) {} BOTH ~Cleaned() { value = 0; } };
    Cleaned some;
    some.~Cleaned();
    struct Local { int threads_of, of_host; __device__ int get() const { return of_host; } } own = {1, 2};
    Both both = Both(3) + Both(4);
    Plain copy = {1, 2}, assigned;
    assigned = copy;
    Plain *at = &copy, *one = &assigned + 0;
    at->x = copy.x * one[0].y & copy.x; { Plain plain = copy; at = &plain; } one->x = plain * 3;
    out[threadIdx.x] = size + abs((int)half<float>) + counter + managed + of_both +
                       (int)weights[1] + for_both(plain) + square(plain) + overloaded(3) +
                       max(plain, 2) + square(Unused<int>{2}) + abs(-plain) + (int)sqrtf(d.f) + both.get() + Both::limit +
                       host_only(1) + own.get() + assigned.y + (int)sizeof(::host_only(1)) + min(size, plain) +
                       apply(1, 2, Functor<int>()) + std::move(plain) + rand(2) +
                       apply(1, 2, [&plain](int a, int b) { return a * b * plain; }) + uses_static(1) +
                       (int)fmax(half<double>, 2.0) + unused_in_kernels[threadIdx.x] + mine::value(3) + mine::round(3);
    std::remove_const<int>::type *less = out;
    if (less[threadIdx.x] < 0)
        printf("%d %s\\n", threads, __func__);
    if (out[threadIdx.x] < -1) {
        printf("\\n"), printf("line\\n"), printf("%s\\n", "words"), printf("x");
        char bytes[8];
        memset(bytes, 0, 8), memcpy(bytes, word, 4);
        out[0] = bytes[0] + abs(-plain) + (int)clock() + index(on_device_too[threadIdx.x % 2]) +
                 origin.y + (int)(sizeof lengths / sizeof lengths[0]) + std::abs(-3) +
                 (int)std::pow(2.0, 3) + (largest < 0) + Both::twice(1) + (int)std::size_t(1) +
                 (int)sizeof(bytes[0] + std::max(plain, 1)) +
                 std::numeric_limits<int>::digits + std::is_same<int, int>::value;
    }
}
__device__ int rand(int x) { return x; }
enum missing { NONE, ONE };
__global__ void of_enum(int *out, enum missing missing) { out[0] = missing == ONE; }
int main()
{
    int *out;
    Both both(of_host);
    if (caught(3) + caught(-1) != 0 || cudaMalloc(&out, 1024) != cudaSuccess)
        return 1;
    auto on_device = [=] BOTH(int i) { return index(i); };
    auto index = [](int i) { return 2 * i; };
    threads = decltype(rand(1))(threads + index(0));
    kernel<<<1, size>>>(out, shadowed + value(overloaded("a")) + both.on_host() + on_device(1) +
                                 other::value(other::of_both) + ::max({1, 2}) +
                                 (int)abs(Plain{3, 4}) + Functor<int>().print());
    return cudaDeviceSynchronize() != cudaSuccess || threads + unused_in_kernels != 64 ||
           lengths[rand() % 4] == 9 || round(1.5) != 2;
}
"""


@pytest.mark.parametrize("source", [WRONG, LIBRARY], ids=["g++", "tokens"])
def test_told_where_it_is_used(tmp_path, source):
    """By g++, who knows what a name of the source means, or by the words alone."""
    (tmp_path / "wrong.cu").write_text(source)
    done = run(ROOT / "simt/simtcc", "wrong.cu", "-o", "wrong", cwd=tmp_path)
    found = re.findall(r'^wrong\.cu:(\d+): error: (?:identifier|calling a __\w+__ function\(|)'
                       r' ?"?([^" ]+)(?:"|: the CPU|: device code)', done.stderr, re.MULTILINE)
    wanted = [(str(number), line.partition("// told: ")[2])
              for number, line in enumerate(source.splitlines(), 1) if "// told: " in line]
    assert sorted(found) == sorted(wanted), done.stderr
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == len(wanted), done.stderr
    assert not (tmp_path / "wrong").exists()


def test_what_is_allowed(tmp_path):
    done = run(simtcc(RIGHT, tmp_path / "right.cu"))
    assert (done.returncode, done.stderr) == (0, "")

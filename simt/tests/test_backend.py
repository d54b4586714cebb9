"""The CPU backend, kernels: threads, barriers, shared memory, variables, templates, atomics."""

from backend import outcome


def test_every_thread_once(tmp_path):
    """In one to three dimensions: each thread runs once, its indices and its lane are right."""
    assert outcome("""
__device__ bool is_in(uint3 index, dim3 size)
{
    return index.x < size.x && index.y < size.y && index.z < size.z;
}

__global__ void mark(int *count)
{
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    size_t i = (size_t)block * blockDim.x * blockDim.y * blockDim.z + thread;
    /* lanes follow each other along x, then y, then z */
    bool first = __shfl_sync(0xffffffff, (int)thread, 0) == (int)(thread & ~31u);
    atomicAdd(&count[i], is_in(blockIdx, gridDim) && is_in(threadIdx, blockDim) && first ? 1 : 9);
}

static void check(dim3 grid, dim3 block)
{
    size_t n = (size_t)grid.x * grid.y * grid.z * block.x * block.y * block.z;
    int *count = device<int>(n);
    mark<<<grid, block>>>(count);
    int *c = host(count, n);
    for (size_t i = 0; i < n; i++)
        EXPECT(c[i] == 1);
    free(c);
    OK(cudaFree(count));
}

int main()
{
    check(1, 1);
    check(7, 33);
    check(3, 1024);
    check({2, 3}, {16, 16});
    check({5, 1, 2}, {7, 9, 3});
    check({2, 3, 4}, {1, 1, 64});
    check({1, 4}, {1, 1024});
    check({1, 1, 9}, {32, 2, 16});
}
""", tmp_path) == ""


def test_barriers(tmp_path):
    """Early returns, loops of barriers, and the three voting forms."""
    assert outcome("""
__global__ void rotate(int *out, int n)
{
    __shared__ int s[256];
    int tid = threadIdx.x;
    if (tid >= n)
        return; /* before any barrier */
    s[tid] = tid;
    __syncthreads();
    for (int round = 0; round < 10; round++) {
        int next = s[(tid + 1) % n];
        __syncthreads();
        s[tid] = next;
        __syncthreads();
    }
    out[tid] = s[tid];
}

__global__ void vote(int *out, int n)
{
    int tid = threadIdx.x;
    int odd = __syncthreads_count(tid % 2), any = __syncthreads_or(tid == n),
        none = __syncthreads_or(tid == -1), all = __syncthreads_and(tid < (int)blockDim.x),
        most = __syncthreads_and(tid != n), count = __syncthreads_count(tid < n ? 8 : 0);
    out[tid] = odd == (int)blockDim.x / 2 && any == 1 && none == 0 && all == 1 && most == 0 &&
               count == n;
}

int main()
{
    for (int n : {1, 31, 32, 33, 200, 256}) {
        int *out = device<int>(256, -1);
        rotate<<<1, 256>>>(out, n);
        int *o = host(out, 256);
        for (int i = 0; i < 256; i++)
            EXPECT(o[i] == (i < n ? (i + 10) % n : -1));
    }
    int *out = device<int>(1024);
    for (int n : {3, 40, 1023}) {
        vote<<<1, 1024>>>(out, n);
        int *o = host(out, 1024);
        for (int i = 0; i < 1024; i++)
            EXPECT(o[i] == 1);
    }
}
""", tmp_path) == ""


def test_shared_memory(tmp_path):
    """Dynamic, of any type, in templates, opted into; how it is declared: test_rewrite.py."""
    assert outcome("""
__global__ void dynamic(int *out, int ints)
{
    extern __shared__ int buffer[];
    double *doubles = (double *)(buffer + ints); /* one allocation, two arrays */
    buffer[threadIdx.x] = threadIdx.x;
    doubles[threadIdx.x] = 0.5 * threadIdx.x;
    __syncthreads();
    int other = blockDim.x - 1 - threadIdx.x;
    out[threadIdx.x] = buffer[other] + (int)(2 * doubles[other]);
}

template <class T, int N> __global__ void reverse(T *out)
{
    extern __shared__ char bytes[];
    T *s = reinterpret_cast<T *>(bytes);
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        s[i] = (T)i;
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        out[blockIdx.x * N + i] = s[N - 1 - i];
}

template <class T, int N> static void check()
{
    T *out = device<T>(2 * N);
    OK(cudaFuncSetAttribute(reverse<T, N>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            N * sizeof(T)));
    reverse<T, N><<<2, 100, N * sizeof(T)>>>(out);
    T *o = host(out, 2 * N);
    for (int i = 0; i < 2 * N; i++)
        EXPECT(o[i] == (T)(N - 1 - i % N));
}

int main()
{
    int *out = device<int>(100);
    dynamic<<<1, 100, 100 * (sizeof(int) + sizeof(double))>>>(out, 100);
    int *o = host(out, 100);
    for (int i = 0; i < 100; i++)
        EXPECT(o[i] == 2 * (99 - i));
    check<float, 1000>();
    check<double, 6144>();
    check<unsigned char, 200>();
    check<int, 16 * 1024>(); /* 64 KiB */
}
""", tmp_path) == ""


def test_variables(tmp_path):
    """__device__ and __constant__: initial values, copies to, from and into the middle."""
    assert outcome("""
__device__ int counter = 40, table[8];
__constant__ float weights[4] = {1, 2, 3, 4};
__constant__ struct { int a; double b; } pair;
__device__ static unsigned long long big;
template <typename T, int N = 4> __constant__ T mask[N];
template <typename T> __device__ T sums[2] = {5, 6};
template <typename T> __global__ void of_templates(T *out)
{
    static T a, b[2], c = 3;
    a += 1;
    b[1] = sizeof(T) * a;
    sums<T>[1] += c;
    *out = mask<T>[3] + b[1] + sums<T>[0];
}
__device__ int tick() { static int n = 5; return atomicAdd(&n, 1); }
__global__ void of_kernel(int *out)
{
    static int launches, unused[4], *last;
    static const int of_constants[2] = {1, 2};
    last = ++launches == 1 ? out : last;
    *out = launches + unused[1] + (last == out) + of_constants[threadIdx.x] + 10 * tick();
}

__global__ void use(float *out)
{
    atomicAdd(&counter, 1);
    atomicAdd(&big, 1ull << 32);
    table[threadIdx.x] += threadIdx.x;
    out[threadIdx.x] = weights[threadIdx.x % 4] + pair.a + (float)pair.b;
}

int main()
{
    float *out = device<float>(8), new_weights[2] = {30, 40};
    int values[8] = {100, 101, 102, 103, 104, 105, 106, 107}, count = 0, three = 0;
    struct { int a; double b; } p = {1000, 0.5};
    unsigned long long b = 0;
    OK(cudaMemcpyToSymbol(table, values, sizeof values));
    OK(cudaMemcpyToSymbol(weights, new_weights, sizeof new_weights, 2 * sizeof(float)));
    OK(cudaMemcpyToSymbol(pair, &p, sizeof p));
    use<<<1, 8>>>(out);
    float *o = host(out, 8);
    const float w[4] = {1, 2, 30, 40};
    for (int i = 0; i < 8; i++)
        EXPECT(o[i] == w[i % 4] + 1000.5f);
    OK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    OK(cudaMemcpyFromSymbol(&three, table, sizeof three, 3 * sizeof three));
    OK(cudaMemcpyFromSymbol(&b, big, sizeof b));
    EXPECT(count == 48 && three == 106 && b == 8ull << 32);

    float masks[4] = {0, 0, 0, 7};
    OK(cudaMemcpyToSymbol(mask<float>, masks, sizeof masks));
    of_templates<<<1, 1>>>(out), of_templates<<<1, 1>>>(out);
    EXPECT(host(out, 1)[0] == 7 + 8 + 5);
    OK(cudaMemcpyFromSymbol(masks, sums<float>, 2 * sizeof(float)));
    EXPECT(masks[1] == 12);
    of_kernel<<<1, 1>>>((int *)out), of_kernel<<<1, 1>>>((int *)out);
    EXPECT(*host((int *)out, 1) == 2 + 1 + 1 + 10 * 6);

    static int ordinary[8];
    EXPECT(cudaMemcpyToSymbol(ordinary, values, sizeof values) == cudaErrorInvalidSymbol);
    EXPECT(cudaMemcpyToSymbol(pair, values, 4, 0, cudaMemcpyDeviceToHost) ==
           cudaErrorInvalidMemcpyDirection);
}
""", tmp_path) == ""


def test_templates(tmp_path):
    """Arguments explicit, deduced, by value and null; kernels in namespaces and pointers."""
    assert outcome("""
template <class T> struct add { __device__ T operator()(T a, T b) const { return a + b; } };

template <class T, int N, class Op> __global__ void fold(const T *in, T *out, Op op)
{
    T sum = in[0];
#pragma unroll
    for (int i = 1; i < N; i++)
        sum = op(sum, in[i]);
    *out = sum;
}

template <class T> __global__ void fill(T *out, T value) { out[threadIdx.x] = value; }
namespace outer { namespace inner { __global__ void seven(int *out) { *out = 7; } } }
static __global__ void eight(int *out) { *out = 8; }
__global__ void by_value(int *out, dim3 d, int4 v) { *out = d.x * 100 + d.y * 10 + v.w; }
__global__ void given(int *out, const int *a, const int *b) { *out = 10 * (a == NULL) + !b; }

template <class T> static void launch_generic(T *out, T value) { fill<T><<<1, 4>>>(out, value); }

int main()
{
    float *f = device<float>(4), *fo = device<float>(1);
    int *i = device<int>(4), *io = device<int>(1);
    fill<<<1, 4>>>(f, 1.5f);
    launch_generic(i, 9);
    fold<float, 4, add<float>><<<1, 1>>>(f, fo, add<float>());
    fold<int, (1 << 2), add<int>> <<<dim3(1), dim3(1)>>> (i, io, add<int>());
    EXPECT(*host(fo, 1) == 6 && *host(io, 1) == 36);
    outer::inner::seven<<<1, 1>>>(io);
    EXPECT(*host(io, 1) == 7);
    void (*pointer)(int *) = eight;
    pointer<<<1, 1>>>(io);
    EXPECT(*host(io, 1) == 8);
    by_value<<<1, 1>>>(io, dim3(1, 2), make_int4(3, 4, 5, 6));
    EXPECT(*host(io, 1) == 126);
    given<<<1, 1>>>(io, NULL, nullptr);
    EXPECT(*host(io, 1) == 11);
}
""", tmp_path) == ""


def test_atomics(tmp_path):
    """Each operation, from all threads of many blocks."""
    assert outcome("""
enum { BLOCKS = 50, THREADS = 128, ALL = BLOCKS * THREADS };
typedef unsigned u;
typedef unsigned long long ull;
typedef long long ll;
/* of thread i: type, name, what is there before, operation, operand, what is there in the end; the
   lower half of `large` is in another order */
#define OPERATIONS(X) \\
    X(int, add, 0, Add, 1, ALL) X(int, sub, 0, Sub, 2, -2 * ALL) X(int, min, 0, Min, -i, 1 - ALL) \\
    X(int, max, 0, Max, i - 5, ALL - 6) X(u, uadd, 0, Add, 3, 3 * ALL) \\
    X(u, umin, ~0u, Min, 4000000000u - i, 4000000000u - ALL + 1) \\
    X(u, umax, 0, Max, 4000000000u + i, 4000000000u + ALL - 1) \\
    X(u, ands, ~0u, And, ~(1u << i % 31), 1u << 31) \\
    X(u, ors, 0, Or, 1u << i % 20, (1u << 20) - 1) \\
    X(u, xors, 0, Xor, i + 1, ALL) X(u, inc, 0, Inc, 98, ALL % 99) \\
    X(u, dec, 0, Dec, 98, (99 - ALL % 99) % 99) \\
    X(ull, ladd, 0, Add, 1ull << 33, (ull)ALL << 33) \\
    X(ull, lmin, ~0ull, Min, (1ull << 40) - i, (1ull << 40) - ALL + 1) \\
    X(ull, lmax, 0, Max, (1ull << 40) + i, (1ull << 40) + ALL - 1) \\
    X(ull, land, ~0ull, And, ~(1ull << i % 63), 1ull << 63) \\
    X(ull, lor, 0, Or, 1ull << i % 64, ~0ull) \\
    X(ull, lxor, 0, Xor, (i + 1ull) << 20, (ull)ALL << 20) \\
    X(ll, smin, 0, Min, large, 5 - (2ll << 40)) \\
    X(ll, smax, -(1ll << 50), Max, large, (2ll << 40) + ALL - 4) \\
    X(float, fadd, 0, Add, 0.5f, ALL / 2) X(double, dadd, 0, Add, 0.25, ALL / 4) \\
    X(float, fexch, 0, Exch, 2.5f, 2.5f)
#define FIELD(type, name, start, ...) type name = start;
#define OPERATE(type, name, start, op, operand, end) atomic##op(&a->name, (type)(operand));
#define CHECK(type, name, start, op, operand, end) EXPECT(r.name == (type)(end));
struct all {
    OPERATIONS(FIELD)
    int order = 0, exch = 0, cas = 0;
    ull lcas = 0;
};

__global__ void every(all *a, int *taken, int *order)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ll large = (i % 5 - 2) * (1ll << 40) + ALL - i;
    OPERATIONS(OPERATE)
    order[atomicAdd(&a->order, 1)]++; /* each old value once */
    taken[atomicExch(&a->exch, i + 1)]++; /* each value is found by the next one */
    int seen = 0, old; /* an addition made of compare-and-swap */
    while ((old = atomicCAS(&a->cas, seen, seen + 2)) != seen)
        seen = old;
    ull lseen = 0, lold;
    while ((lold = atomicCAS(&a->lcas, lseen, lseen + (1ull << 32))) != lseen)
        lseen = lold;
}

int main()
{
    all start, *a = device<all>(1);
    int *taken = device<int>(ALL + 1), *order = device<int>(ALL);
    OK(cudaMemcpy(a, &start, sizeof start, cudaMemcpyHostToDevice));
    every<<<BLOCKS, THREADS>>>(a, taken, order);
    all r = *host(a, 1);
    OPERATIONS(CHECK)
    EXPECT(r.cas == 2 * ALL && r.lcas == (ull)ALL << 32);
    int *o = host(order, ALL), *t = host(taken, ALL + 1);
    t[r.exch]++; /* the last one is still there */
    for (int i = 0; i < ALL; i++)
        EXPECT(o[i] == 1 && t[i] == 1);
    EXPECT(t[ALL] == 1);
}
""", tmp_path) == ""


def test_vectors(tmp_path):
    """Sizes and alignments of CUDA's vector types, loads of them, __ldg, a few bit tricks."""
    sizes = {"char1": (1, 1), "char2": (2, 2), "char3": (3, 1), "uchar4": (4, 4),
             "short3": (6, 2), "ushort4": (8, 8), "int1": (4, 4), "int2": (8, 8), "int3": (12, 4),
             "int4": (16, 16), "uint4": (16, 16), "float2": (8, 8), "float3": (12, 4),
             "float4": (16, 16), "double2": (16, 16), "longlong2": (16, 16), "dim3": (12, 4)}
    checks = "".join(f"    EXPECT(sizeof({name}) == {size} && alignof({name}) == {alignment});\n"
                     for name, (size, alignment) in sizes.items())
    assert outcome("""
__global__ void sum(const int *in, const float *f, int *out, float4 *fout)
{
    const int4 *vectors = reinterpret_cast<const int4 *>(in);
    int4 v = vectors[threadIdx.x], w = __ldg(&vectors[threadIdx.x]);
    int2 halves = make_int2(v.x + v.y, v.z + v.w);
    out[threadIdx.x] = halves.x + halves.y + (v.w == w.w) + __ldg(in);
    float2 pair = reinterpret_cast<const float2 *>(f)[threadIdx.x];
    fout[threadIdx.x] = make_float4(pair.x, pair.y, pair.x + pair.y, __ldg(f + threadIdx.x));
}

__global__ void bits(int *out)
{
    out[0] = __popc(0xf0f0u) == 8 && __popcll(~0ull) == 64 && __clz(1) == 31 && __clz(0) == 32 &&
             __ffs(8) == 4 && __ffs(0) == 0 && __brev(1u) == 0x80000000u &&
             __umulhi(1u << 31, 6u) == 3u && __float_as_int(1.0f) == 0x3f800000 &&
             __int_as_float(0x40000000) == 2.0f && min(-1, 2) == -1 && max(1u, 2u) == 2u &&
             min(1.5f, 2.5f) == 1.5f && warpSize == 32;
}

int main()
{
""" + checks + """
    int values[256], *in = device<int>(256), *out = device<int>(64);
    float floats[256], *f = device<float>(256);
    float4 *fout = device<float4>(64);
    for (int i = 0; i < 256; i++)
        values[i] = 1000 + i, floats[i] = 0.5f * i;
    EXPECT((size_t)in % 256 == 0 && (size_t)out % 256 == 0);
    OK(cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(f, floats, sizeof floats, cudaMemcpyHostToDevice));
    sum<<<1, 64>>>(in, f, out, fout);
    int *o = host(out, 64);
    float4 *fo = host(fout, 64);
    for (int i = 0; i < 64; i++) {
        EXPECT(o[i] == 4 * 1000 + 16 * i + 6 + 1 + 1000);
        EXPECT(fo[i].x == i && fo[i].y == i + 0.5f && fo[i].z == 2 * i + 0.5f);
        EXPECT(fo[i].w == 0.5f * i);
    }
    bits<<<1, 1>>>(out);
    EXPECT(*host(out, 1) == 1);
}
""", tmp_path) == ""


def test_printf(tmp_path):
    """Of every thread, in one piece each, behind what the host printed before."""
    lines = outcome("""
__global__ void hello(float x)
{
    printf("block %u thread %u of %u: %.2f %s\\n", blockIdx.x, threadIdx.x, blockDim.x, x, "100 %");
}

int main()
{
    puts("before");
    hello<<<3, 4>>>(1.5f);
    cudaDeviceSynchronize();
    puts("after");
}
""", tmp_path).splitlines()
    assert (lines[0], lines[-1]) == ("before", "after")
    assert sorted(lines[1:-1]) == [f"block {block} thread {thread} of 4: 1.50 100 %"
                                   for block in range(3) for thread in range(4)]


def test_atomics_of_the_host(tmp_path):
    """The C++ library's, those of shared_ptr, and the guard of a local static variable; its headers
    beside CUDA's names."""
    headers = ("algorithm atomic chrono functional future iostream map memory mutex numeric random "
               "string thread vector")
    assert outcome("".join(f"#include <{name}>\n" for name in headers.split()) + """
using namespace std;
static std::vector<int> &table()
{
    static std::vector<int> numbers(5, 1);
    return numbers;
}

template <class T> static void check()
{
    std::atomic<T> value{0};
    value += 3, value -= 2, value |= 4, value ^= 1, value &= (T)-1;
    T expected = 5;
    EXPECT(value.load() == 4 && value.exchange(1) == 4);
    EXPECT(!value.compare_exchange_strong(expected, 7) && expected == 1);
    EXPECT(value.compare_exchange_strong(expected, 7) && value == 7);
}

int main()
{
    auto p = std::make_shared<int>(3), q = p;
    EXPECT(*q == 3 && p.use_count() == 2 && max(0, min(1, 0)) == 0);
    EXPECT(table().size() == 5);
    check<signed char>(), check<unsigned short>(), check<int>(), check<long long>();
}
""", tmp_path) == ""

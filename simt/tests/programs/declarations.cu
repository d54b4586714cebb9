/* Every way to declare a variable or function of the device, each a statement of its own. */
template <class T, int n> struct P { T values[n]; };
#define EXTERN_SHARED(a) \
    extern __shared__ float a##1[]; __shared__ extern float a##2[]; \
    extern __shared__ int a##3[][32], *a##4[] ; \
    volatile extern __attribute__((aligned(16))) __shared__ int a##5[]; \
    alignas(16) __shared__ volatile extern int a##6[]; \
    extern __shared__ __align__(16) unsigned char a##7[]; \
    extern __shared__ int a##8[] __attribute__((aligned(16))); \
    __device__ extern __shared__ P<int, 3> a##9[]; \
    void *all[] = {a##1, a##2, a##3, a##4, (void *)a##5, (void *)a##6, a##7, a##8, a##9}; \
    for (void *each : all) *bad += each != all[0] || (unsigned long)each % 16
#define SHARED(b) \
    __shared__ int b##1[64]; volatile __shared__ int b##2[64]; \
    __shared__ volatile int b##3[64], b##4; static __shared__ int b##5; \
    __shared__ static int b##6; static __device__ __shared__ int b##7; \
    int __shared__ b##8[2][33]; __align__(8) __shared__ P<float, 4> b##9; \
    __shared__ alignas(64) int b##10[3]; __shared__ P<int, (3 > 2)> b##11, b##12[2]; \
    all_see(b##1, bad), all_see(b##2, bad), all_see(b##3, bad), all_see(b##4, bad); \
    all_see(b##5, bad), all_see(b##6, bad), all_see(b##7, bad), all_see(b##8, bad); \
    all_see(b##9, bad), all_see(b##10, bad), all_see(b##11, bad), all_see(b##12, bad)

template <class T> __device__ void all_see(T &shared, int *bad)
{
    if (threadIdx.x == 1)
        memset((void *)&shared, 1, sizeof shared);
    __syncthreads();
    if (*(char *)&shared != 1)
        atomicAdd(bad, 1);
    __syncthreads();
}
__global__ void plain(int *bad) { SHARED(b); if (threadIdx.x == 0) { EXTERN_SHARED(a); } }
template <class T> struct in_template {
    static __device__ void run(T *bad) { SHARED(b); if (threadIdx.x == 0) { EXTERN_SHARED(t); } }
};
template <class T> __global__ void of_template(T *bad) { in_template<T>::run(bad); }

__device__ int c1; __device__ float c2[16]; static __device__ unsigned c3 = (3);
__constant__ float c4[4] = {1, 2}; __device__ int2 c5{1, 2}; __device__ P<int, (3 > 2)> c6;
__device__ __managed__ int c7, c8; __managed__ decltype(1 + 2) c9; __device__ __constant__ int d1;
extern __device__ int d2; __device__ int d2; __device__ __align__(16) int d3;
__device__ inline int d4; constexpr __device__ int d5 = 3; [[maybe_unused]] __device__ int d6;
typedef int R; __device__ R (*d7)(R); __device__ int no(R); namespace n { const int c = 2; } __device__ int d8(n::c);
__constant__ int u1, u2[2][3]; __constant__ int u3, u4{0};
extern __constant__ int u5[]; __constant__ int u5[2];
extern __constant__ int u6; __constant__ int u6 = 3;
__constant__ P<int, 2> l1 = {{1, 2}}, l2[] = {{{3, 4}}}, l3{{5, 6}}; __device__ int l4{7}, l5[] = {8, 9}, l6(10);
template <class T> void is_device(const T &variable)
{
    void *p = NULL;
    char byte;
    OK(cudaGetSymbolAddress(&p, variable));
    OK(cudaMemcpy(&byte, p, 1, cudaMemcpyDeviceToHost));
    EXPECT(p == &variable);
}
static void variables()
{
    is_device(c1), is_device(c2), is_device(c3), is_device(c4), is_device(c5), is_device(c6);
    is_device(c7), is_device(c8);
    is_device(c9), is_device(d1), is_device(d2), is_device(d3);
    is_device(d4), is_device(d5), is_device(d6), is_device(d7), is_device(d8), is_device(u1);
    is_device(u2), is_device(u3), is_device(u4), is_device(u5), is_device(u6);
    is_device(l1), is_device(l2), is_device(l3), is_device(l4), is_device(l5), is_device(l6);
}

__device__ int e1(int x = 3); __device__ int e1(int x) { return x; }
__device__ __host__ inline P<int, 3> e2(int x) { return {x, x, x}; }
template <class T, int n = 3>
__device__
T e3(T x) { return x + n; }
extern "C" __device__ int e4() { return 4; }
__device__ __attribute__((noinline)) decltype(1) e5() { return 5; }
struct S2 {
    int x;
    __device__ S2(int y) : x(y) {} __device__ ~S2() {} __device__ operator int() { return x; }
    __device__ int operator[](int i) { return i; } __device__ bool operator<(S2) const { return x; }
};
struct S3 : S2 {
    int a[2], b;
    __device__ S3() : S2{1}, a{1, 2}, b{int(threadIdx.x)} { b += blockDim.x; }
};
auto e7 = [] __host__ __device__ { return 1; };
[[nodiscard]] __device__ int e8() { return 8; }
__launch_bounds__(256) __device__ int e9() { return 9; }
__global__ void functions(int *bad)
{
    auto e6 = [=] __device__ (int x) { return x; };
    *bad += e1() + e2(1).values[2] + e3(4) + e4() + e5() + S2(6) + S2(1)[7] + (S2(1) < S2(2)) +
            e7() + e8() + e9() + e6(10) + u4 - (3 + 1 + 7 + 4 + 5 + 6 + 7 + 1 + 1 + 8 + 9 + 10);
    *bad += l1.values[1] + l2[0].values[1] + l3.values[1] + l4 + l5[1] + l6 + S3().b - (2 + 4 + 6 + 7 + 9 + 10 + 1);
}
/* Letters beyond ASCII, as g++ takes them (nvcc in other names alone). */
__device__ int größe = 3;
template <class T> __device__ T Ähnlich(T x) { return x; }
__global__ void __launch_bounds__(64) käse測(int *bad)
{
    __shared__ int töpfe[32];
    töpfe[threadIdx.x] = Ähnlich(größe);
    *bad += töpfe[threadIdx.x] - 3;
}
/* Overloaded with a kernel without arguments; with noexcept, which is part of a function's type, and a
 * constant of an outer lambda, over which g++ 12 may break, and which newer ones may not find. */
__global__ void overloaded();
__global__ void overloaded(int *bad) { ++*bad; }
template <int N> __global__ void minus(int *bad) noexcept { *bad -= N; }

int main()
{
    int *bad = device<int>(1);
    overloaded<<<1, 1>>>(bad);
    EXPECT(*host(bad, 1) == 1);
    overloaded<<<1, 1>>>(bad), overloaded<<<1, 1>>>(bad);
    [&](auto four) {
        constexpr int one = 1, two = sizeof four / 2;
        [&] { minus<one><<<1, 1>>>(bad), minus<two><<<1, 1>>>(bad); }();
    }(3);
    void *arguments[] = {&bad};
    plain<<<1, 40, 64>>>(bad), of_template<<<1, 40, 64>>>(bad), functions<<<1, 1>>>(bad);
    käse測<<<1, 1>>>(bad);
    OK(cudaLaunchKernel((void *)of_template<int>, 1, 40, arguments, 64, 0));
    OK(cudaLaunchKernel ( (const void
                           * )& plain, 1, 40, (void **)arguments, 64, 0));
    EXPECT(*host(bad, 1) == 0);
    variables();
}

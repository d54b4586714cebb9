/* Arguments explicit, deduced, by value and null; kernels in namespaces and pointers. */
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

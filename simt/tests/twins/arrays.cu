/* Indices that leave a local array, a row or a member, and such as only look as if they did. */
// nvcc: --expt-relaxed-constexpr
#include "cases.h"

#include <algorithm>

struct Members {
    int first[4], second[4];
};
struct Nested {
    char tag;
    Members inner[2];
    double last[3];
};
struct List {
    int length, element[1]; /* the first of many */
};
struct Open {
    int length, element[];
};
template <class T, int N> struct Array {
    T element[N];
    __host__ __device__ T get(int i) const { return element[i]; } // BUG template_member
    __host__ __device__ T &operator[](int i) { return element[i]; }
};

__device__ int table[2][4][8];
template <class T> __device__ int generic(int i)
{
    Array<T, 5> array = {};
    array[i - 1] = 1;
    return (int)array.get(i);
}
__device__ double unrolled(int from)
{
    double ring[6] = {1, 2, 3, 4, 5, 6}, sum = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        sum += ring[from + i]; // BUG unroll, negative: double [6] has 0 to 5.
    return sum;
}
/* A thread has 512 KiB of local memory, wherever in it the kernel writes. */
template <int size> __global__ void large(int *out, int at) // BUG large, larger, largest: needs more than the 512
{
    volatile char bytes[size];
    at = at < 0 ? (int)threadIdx.x : at;
    bytes[at] = 1;
    out[threadIdx.x] = bytes[at];
}
__global__ void dynamic_rows(int *out, int column)
{
    extern __shared__ int d[][16];
    d[threadIdx.x / 16][threadIdx.x % 16] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = d[0][threadIdx.x % 16 + column]; // BUG dynamic_row
}

int main(int, char **argv)
{
    int *out = (int *)device(1024), one = argv[1] != NULL;
    Nested *in = (Nested *)device(64 * sizeof(Nested));
    Members *all = (Members *)in;
    List *list = (List *)in;
    Open *open = (Open *)in;

    /* ---- local arrays ---- */
    TWINS(local_end, "index out of an array")
    run<<<1, 64>>>([=] __device__(int i) {
        int window[8];
        for (int k = 0; k < (right ? 8 : 9); k++)
            window[k] = k; // BUG x64
        out[i] = window[i % 8];
    });
    CASE(unroll, "index out of an array") DO(32, out[i] = unrolled(2 + one));
    CASE(negative, "index out of an array") DO(32, out[i] = unrolled(-one)); // says The index is -1;
    CASE(a_constant, "index out of an array")
        DO(32, int three[3] = {1, 2, 3}; out[i] = three[3]); // BUG
    CASE(template_member, "index out of an array") DO(32, out[i] = generic<char>(5 * one));
    CASE(array_of_pointers, "index out of an array")
    run<<<1, 4>>>([=] __device__(int i) {
        int *part[4] = {out, out + 32, out + 64, out + 96};
        if (i == 3)
            part[4 * one] = out + 128; // BUG x1: The index is 4; int *[4] has 0 to 3.
        *part[i % 4] = 1;
    });

    CASE(large, "not judged") large<580000><<<1, 32>>>(out, 0);
    CASE(larger, "not judged") large<1000000><<<1, 32>>>(out, 999999);
    CASE(largest, "not judged") large<3000000><<<1, 32>>>(out, -1);
    CASE(as_large_as_can_be, "nothing") large<500 * 1024><<<1, 32>>>(out, 500 * 1024 - 1);

    /* ---- members, rows ---- */
    TWINS(next_member, "index out of an array")
        DO(32, for (int k = 0; k < (right ? 4 : 5); k++) all[i].first[k] = k); // BUG
    CASE(next_structure, "index out of an array") DO(32, out[i] = in[i].last[3 * one]); // BUG
    CASE(variable, "index out of an array") DO(32, out[i] = table[0][1][8 * one]); // BUG
    CASE(plane, "index out of an array")
        DO(32, out[i] = table[0][4 * one][0]); // BUG: The index is 4; int [4][8] has 0 to 3.
    CASE(dynamic_row, "index out of an array") dynamic_rows<<<1, 64, 256>>>(out, 1);

    /* ---- memory that the array's is a part of ---- */
    CASE(and_shared, "out of bounds in shared memory")
    run<<<1, 32>>>([=] __device__(int i) {
        __shared__ int s[4][8];
        s[i / 8][i % 8] = 1;
        __syncthreads();
        out[i] = s[400 * one][i % 8]; // BUG: of s, which has 128 bytes.
    });
    CASE(and_global, "out of bounds in global memory")
        DO(1, all[i].second[4096 * one] = 1); // BUG: lies 16400 bytes past the start of an allocation

    /* ---- allowed ---- */
    CASE(last, "nothing")
        DO(32, out[i] = unrolled(2 * one) + table[0][3 * one][7 * one] + generic<double>(4 * one)),
            dynamic_rows<<<1, 64, 256>>>(out, 0);
    CASE(one_past_the_end, "nothing")
    run<<<1, 32>>>([=] __device__(int i) {
        int four[4] = {1, 2, 3, 4}, sum = 0;
        for (const int *p = four; p < &four[4]; p++)
            sum += *p;
        for (const int *p = four + 4; p-- > four;)
            sum += *p;
        out[i] = sum + (int)(std::max_element(four, four + 4) - four) + (int)sizeof four[9];
    });
    CASE(by_pointer, "nothing")
    run<<<1, 32>>>([=] __device__(int i) {
        __shared__ int s[4][8];
        int square[2][4], *p = &square[0][0], *q = s[0], sum = 0;
        q[i] = i;
        for (int k = 0; k < 8; k++)
            p[k] = k;
        __syncthreads();
        for (int k = 0; k < 8; k++)
            sum += p[k] + q[4 * k];
        out[i] = sum;
    });
    CASE(structures_end, "nothing") DO(32, out[i] = list->element[i] + open->element[i]);
    CASE(behind_a_test, "nothing")
    run<<<1, 32>>>([=] __device__(int i) {
        int four[4] = {1, 2, 3, 4}, left = i % 4 > 0 ? four[i % 4 - 1] : 0;
        out[i] = left + (i < 4 * one && four[i] > 0) + (i >= 4 ? 0 : four[i]);
    });
    CASE(reinterpreted, "nothing")
    run<<<1, 128>>>([=] __device__(int i) {
        __shared__ __align__(16) int s[2][64];
        s[i / 64][i % 64] = 1;
        __syncthreads();
        int4 v = *(int4 *)&s[1][60];
        if (i < 64)
            ((int4 *)out)[i] = make_int4(v.x, v.y, v.w, ((int *)s)[127]);
    });
    CASE(on_the_host, "nothing")
    {
        List *of_five = (List *)calloc(5, sizeof *of_five);
        int rows[2][4] = {}, *p = rows[0];
        of_five->element[3] = 3;
        for (volatile int i = 0; i < 8; i++)
            of_five->element[3] += p[i] + rows[0][i];
        return finish(of_five->element[3] != 3);
    }
    return finish(0);
}

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
    __host__ __device__ T get(int i) const { return element[i]; }
    __host__ __device__ T &operator[](int i) { return element[i]; }
};

/* ---- local arrays ---- */

__global__ void local(int *out, int elements)
{
    int window[8];
    for (int i = 0; i < elements; i++)
        window[i] = i;
    out[threadIdx.x] = window[threadIdx.x % 8];
}
__global__ void unrolled(double *out, int from)
{
    double ring[6] = {1, 2, 3, 4, 5, 6}, sum = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        sum += ring[from + i];
    out[threadIdx.x] = sum;
}
__global__ void constant(int *out)
{
    int three[3] = {1, 2, 3};
    out[threadIdx.x] = three[3];
}
template <class T> __global__ void generic(int *out, int i)
{
    Array<T, 5> array = {};
    array[i - 1] = 1;
    out[threadIdx.x] = (int)array.get(i);
}
__global__ void pointers(int *out, int which)
{
    int *part[4] = {out, out + 32, out + 64, out + 96};
    if (threadIdx.x == 3)
        part[which] = out + 128;
    *part[threadIdx.x % 4] = 1;
}

/* ---- members, rows ---- */

__global__ void member(Members *all, int elements)
{
    for (int i = 0; i < elements; i++)
        all[threadIdx.x].first[i] = i;
}
__global__ void trailing(Nested *all, int *out, int i)
{
    out[threadIdx.x] = (int)all[threadIdx.x].last[i];
}
__device__ int table[2][4][8];
__global__ void row_of_variable(int *out, int row, int column)
{
    out[threadIdx.x] = table[0][row][column];
}
__global__ void dynamic_rows(int *out, int column)
{
    extern __shared__ int d[][16];
    d[threadIdx.x / 16][threadIdx.x % 16] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = d[0][threadIdx.x % 16 + column];
}
/* ---- memory that the array's is a part of ---- */

__global__ void over_shared(int *out, int row)
{
    __shared__ int s[4][8];
    s[threadIdx.x / 8][threadIdx.x % 8] = 1;
    __syncthreads();
    out[threadIdx.x] = s[row][threadIdx.x % 8];
}
__global__ void over_global(Members *all, int i) { all[threadIdx.x].second[i] = 1; }

/* ---- allowed ---- */

__global__ void ends(int *out)
{
    int four[4] = {1, 2, 3, 4}, sum = 0;
    for (const int *p = four; p < &four[4]; p++)
        sum += *p;
    for (const int *p = four + 4; p-- > four;)
        sum += *p;
    out[threadIdx.x] = sum + (int)(std::max_element(four, four + 4) - four) + (int)sizeof four[9];
}
__global__ void linear(int *out)
{
    __shared__ int s[4][8];
    int square[2][4], *p = &square[0][0], *q = s[0], sum = 0;
    q[threadIdx.x] = threadIdx.x;
    for (int i = 0; i < 8; i++)
        p[i] = i;
    __syncthreads();
    for (int i = 0; i < 8; i++)
        sum += p[i] + q[4 * i];
    out[threadIdx.x] = sum;
}
__global__ void flexible(List *list, Open *open, int *out)
{
    out[threadIdx.x] = list->element[threadIdx.x] + open->element[threadIdx.x];
}
__global__ void guarded(int *out, int n)
{
    int four[4] = {1, 2, 3, 4}, i = threadIdx.x, left = i % 4 > 0 ? four[i % 4 - 1] : 0;
    out[i] = left + (i < n && four[i] > 0) + (i >= 4 ? 0 : four[i]);
}
__global__ void wide(int4 *out)
{
    __shared__ __align__(16) int s[2][64];
    s[threadIdx.x / 64][threadIdx.x % 64] = 1;
    __syncthreads();
    int4 v = *(int4 *)&s[1][60];
    if (threadIdx.x < 64)
        out[threadIdx.x] = make_int4(v.x, v.y, v.w, ((int *)s)[127]);
}

static int check_host(void)
{
    struct List *list = (struct List *)calloc(1, sizeof *list + 4 * sizeof(int));
    list->element[3] = 3;
    int rows[2][4] = {}, *p = rows[0], sum = list->element[3];
    for (volatile int i = 0; i < 8; i++)
        sum += p[i] + rows[0][i];
    free(list);
    return sum != 3;
}

/* ---- one of two ---- */

__global__ void either(int *a, int *b)
{
    (threadIdx.x ? a : b)[blockIdx
                              .x] = 1;
}

int main(int, char **argv)
{
    int *out = (int *)device(1024);
    void *in = device(64 * sizeof(Nested));

    CASE(local_end, "index out of an array") local<<<1, 64>>>(out, 9);
    CASE(local_all, "nothing") local<<<1, 64>>>(out, 8);
    CASE(one_of_two, "nothing") either<<<8, 2>>>(out, out + 8);
    CASE(unroll, "index out of an array") unrolled<<<1, 32>>>((double *)out, 3);
    CASE(negative, "index out of an array") unrolled<<<1, 32>>>((double *)out, -1);
    CASE(a_constant, "index out of an array") constant<<<1, 32>>>(out);
    CASE(template_member, "index out of an array") generic<char><<<1, 32>>>(out, 5);
    CASE(template_last, "nothing") generic<double><<<1, 32>>>(out, 4);
    CASE(array_of_pointers, "index out of an array") pointers<<<1, 4>>>(out, 4);
    CASE(next_member, "index out of an array") member<<<1, 32>>>((Members *)in, 5);
    CASE(member_all, "nothing") member<<<1, 32>>>((Members *)in, 4);
    CASE(next_structure, "index out of an array") trailing<<<1, 32>>>((Nested *)in, out, 3);
    CASE(variable, "index out of an array") row_of_variable<<<1, 32>>>(out, 1, 8);
    CASE(plane, "index out of an array") row_of_variable<<<1, 32>>>(out, 4, 0);
    CASE(dynamic_row, "index out of an array") dynamic_rows<<<1, 64, 256>>>(out, 1);
    CASE(and_shared, "out of bounds in shared memory") over_shared<<<1, 32>>>(out, 400);
    CASE(and_global, "out of bounds in global memory") over_global<<<1, 1>>>((Members *)in, 4096);

    CASE(last, "nothing")
    {
        unrolled<<<1, 32>>>((double *)out, 2), row_of_variable<<<1, 32>>>(out, 3, 7);
        dynamic_rows<<<1, 64, 256>>>(out, 0);
    }
    CASE(one_past_the_end, "nothing") ends<<<1, 32>>>(out);
    CASE(by_pointer, "nothing") linear<<<1, 32>>>(out);
    CASE(structures_end, "nothing") flexible<<<1, 32>>>((List *)in, (Open *)in, out);
    CASE(behind_a_test, "nothing") guarded<<<1, 32>>>(out, 4);
    CASE(reinterpreted, "nothing") wide<<<1, 128>>>((int4 *)out);
    CASE(on_the_host, "nothing") return finish(check_host());
    return finish(0);
}

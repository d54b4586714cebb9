/* Accesses of kernels and the host to __device__ and __constant__ variables and to memory that does
 * not exist; integer divisions by zero and failed assertions; and the same done right. With
 * -DELSEWHERE a variable is another file's, which is compiled with it. */
// nvcc: -rdc=true
#include "cases.h"
#include <cassert>
#include <climits>

struct pair { int key; double value; };
int kinds; /* the backend has one of its own */

__device__ int before[32];
__device__ int a[32];
__device__ float grid[4][8];
__device__ pair pairs[8];
__device__ const int table[3] = {1, 2, 3};
__device__ unsigned char bytes[5];
__constant__ float weights[4] = {0};
__constant__ const int limits[2] = {4, 8};
__managed__ int shared_with_host(3);
extern __device__ double elsewhere[16];
__device__ int after[256];
#ifndef ELSEWHERE
__device__ double elsewhere[16];
#endif

__device__ void put(int *p, int v) { *p = v; } // BUG null_in_call x1: null pointer plus 0
__host__ __device__ int both(int n) { return n < 31 ? n : rand(); }
__device__ int over(int x, int y) { return x / y; } // BUG in_call x1: thread (7,3,0) of block

__global__ void nothing(int *) {}

__global__ void right(int zero, int *p)
{
    int i = threadIdx.x;
    before[i] = a[i] = i;
    grid[i / 8][i % 8] = (float)i;
    if (i < 8)
        pairs[i].key += i;
    if (i < 5)
        bytes[i] = table[i % 3];
    if (i < 16)
        elsewhere[i] = weights[i % 4] + limits[i % 2];
    assert(i < 32);
    p[i] = i / (zero + 1);
    p[i] += (short)(i - 40) / (short)(zero + 3) == (i - 40) / 3 ? 0 : 100;
    after[i] = 2 * i;
    if (i == 0)
        shared_with_host++;
}

/* By the host, which knows zero and no compiler does. */
static int do_right(int zero, int *d)
{
    static int h[32];
    int *p, wrong = 0;
    float four[4] = {1, 2, 3, 4};
    wrong += cudaMemcpyToSymbol(weights, four, sizeof four);
    wrong += cudaGetSymbolAddress((void **)&p, a) ||
             cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice) || cudaMemset(p + 1, 1, 4);
    right<<<1, 32>>>(zero, d), nothing<<<1, 1>>>(p);
    wrong += cudaDeviceSynchronize() || cudaMemcpyFromSymbol(h, after, 31 * sizeof(int), 4);
    for (int i = 0; i < 31; i++)
        wrong += h[i] != 2 * (i + 1);
    wrong += shared_with_host != 4 || sizeof a + sizeof table != 140;
    memset(&shared_with_host, 0, sizeof shared_with_host);
    memcpy(h, &shared_with_host, 4 * (zero + 1));
    return wrong + h[0] + differ(d, 32, [](int i) { return i; });
}

int main(int argc, char **argv)
{
    int zero = argc - 2, one = argc - 1, h[32] = {}, *p = (int *)device(128);

    CASE(behind, "out of bounds in global memory")
        DO(dim3(8, 4), a[i + 1] = table[i % 3]); // BUG x1: byte 128 of a, a __device__ variable of 128 bytes
    CASE(in_front, "out of bounds in global memory")
        DO(dim3(8, 4), (&grid[0][0])[i - 1] = 1); // BUG x1: It lies 4 bytes before grid
    CASE(row, "out of bounds in global memory")
        DO(dim3(8, 4), grid[threadIdx.y][threadIdx.x + 1] += 1); // BUG x2: byte 128 of grid
    CASE(structures, "out of bounds in global memory")
        DO(dim3(8, 4), pairs[i].value = 2); // BUG x24: byte 136 of pairs
    CASE(bytes, "out of bounds in global memory")
        DO(dim3(8, 4), bytes[i] = 1); // BUG x27: byte 5 of bytes, a __device__ variable of 5 bytes.
    CASE(constant, "out of bounds in global memory")
        DO(dim3(8, 4), p[i] = (int)weights[i % 5]); // BUG x6: byte 16 of weights, a __constant__
    CASE(constant_written, "out of bounds in global memory")
        DO(dim3(8, 4), *(float *)&weights[i % 4] = 1); // BUG x32: A kernel can only read such
    CASE(other_file, "out of bounds in global memory")
        DO(dim3(8, 4), if (i < 17) elsewhere[i] = 1); // BUG x1: byte 128 of elsewhere
    CASE(far_behind, "out of bounds in global memory")
        DO(dim3(8, 4), a[(1 << 14) + i] = 1); // BUG: variable of
    CASE(far_in_front, "out of bounds in global memory")
        DO(dim3(8, 4), a[-(1 << 14)] = 1); // BUG: variable of
    CASE(last, "out of bounds in global memory")
        DO(dim3(8, 4), after[i + 225] = 1); // BUG x1: byte 1024 of after
    CASE(managed, "out of bounds in global memory")
        DO(dim3(8, 4), (&shared_with_host)[i] = 1); // BUG x31: byte 4 of shared_with_host, a __managed__
    CASE(cleared, "out of bounds in global memory")
        DO(dim3(8, 4), if (i == 3) memset(a, 0, sizeof a + 4 * i)); // BUG x3: byte 128 of a
    CASE(copied, "out of bounds in global memory")
        DO(dim3(8, 4), if (i == 3) memcpy(p, weights, sizeof weights + i - 1)); // BUG x2: of weights
    p = strcmp(argv[1], "null") ? p : NULL;
    CASE(null, "access to no memory at all") DO(dim3(8, 4), *p = 1); // BUG x1: null pointer plus 0
    CASE(null_in_call, "access to no memory at all") DO(dim3(8, 4), put(nullptr, i));
    CASE(near_null, "access to no memory at all")
        DO(dim3(8, 4), if (i == 20) p[i] = *(volatile int *)16); // BUG x1: a null pointer plus 16
    CASE(wrapped, "out of bounds in global memory")
        DO(dim3(8, 4), if (i == 20) p[i - 23u] = 1); // BUG x1: an unsigned index gone below 0
    CASE(by_zero, "integer division by zero") DO(dim3(8, 4), p[i] = 7 / zero); // BUG x1
    CASE(rest, "integer division by zero") DO(dim3(8, 4), p[i] = (unsigned)i % zero); // BUG x1
    CASE(by_zero_64, "integer division by zero") DO(dim3(8, 4), p[i] = (int)((long long)i / zero)); // BUG x1
    CASE(in_call, "integer division by zero") DO(dim3(8, 4), p[i] = i == 31 ? over(i, p[i]) : over(i, 1));
    CASE(smallest, "not judged") DO(dim3(8, 4), p[i] = (INT_MIN + i) / (zero - 1)); // BUG
    CASE(of_host, "not judged") DO(dim3(8, 4), p[i] = both(i)); // says kernel run calls rand, a function
    CASE(assert, "failed assert")
        DO(dim3(8, 4), assert(i < 30 && "few")); // BUG x1: i < 30 && "few" does not hold.

    CASE(stored, "__device__ variable on the host")
        a[3] = 1; // BUG x1: of a, a __device__ variable
    CASE(read, "__device__ variable on the host")
        zero = a[one] + (int)weights[one]; // BUG x2
    CASE(copy_to, "__device__ variable on the host")
        (void)!cudaMemcpy(a, h, sizeof h, (cudaMemcpyKind)1); // BUG x1: cudaMemcpy gets the host's
    CASE(copy_from, "__device__ variable on the host")
        (void)!cudaMemcpy(h, &a[2], 4, (cudaMemcpyKind)2); // BUG x1: the host's address of a,
    CASE(filled, "__device__ variable on the host")
        (void)!cudaMemset(&grid, 0, sizeof grid); // BUG x1: cudaMemset gets the host's address of g
    CASE(argument, "__device__ variable on the host")
        nothing<<<1, 1>>>(a); // BUG x1: The kernel gets the host's address of a
    CASE(member, "__device__ variable on the host")
        pairs[1].key = 4; // BUG x1: of pairs
    CASE(set, "__device__ variable on the host")
        memset(pairs, 0, 17 * one); // BUG x1: byte 0 of pairs
    CASE(taken, "__device__ variable on the host")
        memcpy(h, grid, 12 * one), one = h[1]; // BUG x1: byte 0 of grid
    CASE(given, "__device__ variable on the host")
        memcpy(bytes, h, sizeof bytes); // BUG x1: byte 0 of bytes
    CASE(moved, "__device__ variable on the host")
        memmove(h, weights + 1, 8), one = h[1]; // BUG: byte 4 of weights
    CASE(set_device, "device pointer on the host") memset(p, 1, 4 * one); // BUG x1
    CASE(given_device, "device pointer on the host") memcpy(p + 1, h, 120); // BUG x1
    CASE(moved_device, "device pointer on the host") memmove(h + 1, p, 4), one = h[1]; // BUG x1
    CASE(right, "nothing") return do_right(zero, p);
    return finish(one == INT_MIN);
}

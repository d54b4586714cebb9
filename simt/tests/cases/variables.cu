/* What a kernel or the host does to __device__ and __constant__ variables and to memory that is not
 * there; integer divisions by zero and failed assertions; and the same done right. The argument says
 * which. A mark `// xTIMES: words` stands at the line that is told. With -DELSEWHERE a variable is
 * another file's, which is compiled with it. */
// nvcc: -rdc=true
// run: 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 21, 22, 23 = out of bounds in global memory
// run: 12, 13, 14 = access to no memory at all
// run: 15, 16, 17, 18, 19 = integer division by zero
// run: 20 = failed assert
// run: 30, 31, 32, 33, 34, 35, 36, 41, 42, 43, 44 = __device__ variable on the host
// run: 45, 46, 47 = device pointer on the host
// run: 40 = nothing
#include <cassert>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct pair { int key; double value; };

__device__ int before[32];
__device__ int a[32];
__device__ float grid[4][8];
__device__ pair pairs[8];
__device__ const int table[3] = {1, 2, 3};
__device__ unsigned char bytes[5];
__constant__ float weights[4] = {0};
__constant__ const int limits[2] = {4, 8};
__managed__ int shared_with_host = 3;
extern __device__ double elsewhere[16];
__device__ int after[256];
#ifndef ELSEWHERE
__device__ double elsewhere[16];
#endif

__device__ void put(int *p, int v) { *p = v; } // 13 x1: address is (nil)
__device__ int over(int x, int y) { return x / y; } // 19 x1: thread (31,0,0) of block (0,0,0)

__global__ void wrong(int how, int zero, int *p)
{
    int i = threadIdx.x + threadIdx.y * blockDim.x;
    switch (how) {
    case 0: a[i + 1] = table[i % 3]; break; // x1: byte 128 of a, a __device__ variable of 128 bytes
    case 1: a[i - 1] = 1; break; // x1: It lies 4 bytes before a
    case 2: grid[threadIdx.y][threadIdx.x + 1] += 1; break; // x2: byte 128 of grid
    case 3: pairs[i].value = 2; break; // x24: byte 136 of pairs
    case 4: bytes[i] = 1; break; // x27: byte 5 of bytes, a __device__ variable of 5 bytes.
    case 5: p[i] = (int)weights[i % 5]; break; // x6: byte 16 of weights, a __constant__
    case 7: *(float *)&weights[i % 4] = 1; break; // x32: byte 0 of weights, a __constant__
    case 8: elsewhere[i] = 1; break; // x1: byte 128 of elsewhere
    case 9: a[(1 << 14) + i] = 1; break; // x: variable of
    case 10: a[-(1 << 14)] = 1; break; // x: variable of
    case 11: after[i + 225] = 1; break; // x1: byte 1024 of after
    case 21: (&shared_with_host)[i] = 1; break; // x31: byte 4 of shared_with_host, a __managed__
    case 22: if (i == 3) memset(a, 0, sizeof a + 4 * i); break; // x3: byte 128 of a
    case 23: if (i == 3) memcpy(p, weights, sizeof weights + i - 1); break; // x2: of weights
    case 12: *p = 1; break; // x1: address is (nil)
    case 13: put(nullptr, i); break;
    case 14: p[i] = *(int *)8; break; // x1: address is 0x8
    case 15: p[i] = 7 / zero; break; // x1:
    case 16: p[i] = (unsigned)i % zero; break; // x1:
    case 17: p[i] = (int)((long long)i / zero); break; // x1:
    case 18: p[i] = (INT_MIN + i) / (zero - 1); break;
    case 19: p[i] = i == 31 ? over(i, p[i]) : over(i, 1); break;
    case 20: assert(i < 30 && "few"); break; // x1: i < 30 && "few" does not hold.
    }
}

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

static int use_on_host(int how, int *d)
{
    static int h[32];
    switch (how) {
    case 30: a[3] = 1; return 0; // x1: of a, a __device__ variable
    case 31: return a[how - 30] + (int)weights[how - 30]; // x: of a
    case 32: (void)!cudaMemcpy(a, h, sizeof h, (cudaMemcpyKind)1); // x1: cudaMemcpy gets the host's
        return 0;
    case 33: (void)!cudaMemcpy(h, &a[2], 4, (cudaMemcpyKind)2); // x1: the host's address of a,
        return 0;
    case 34: (void)!cudaMemset(&grid, 0, sizeof grid); // x1: cudaMemset gets the host's address of g
        return 0;
    case 35: wrong<<<1, 1>>>(12, 0, a); return 0; // x1: The kernel gets the host's address of a
    case 36: pairs[1].key = 4; return 0; // x1: of pairs
    case 41: memset(pairs, 0, 17 * (how - 40)); return 0; // x1: byte 0 of pairs
    case 42: memcpy(h, grid, how - 30); printf("%d\n", h[1]); return 0; // x1: byte 0 of grid
    case 43: memcpy(bytes, h, sizeof bytes); return 0; // x1: byte 0 of bytes
    case 44: memmove(h, weights + 1, 8); printf("%d\n", h[1]); return 0; // x: byte 4 of weights
    case 45: memset(d, 1, 4 * (how - 40)); return 0; // x1:
    case 46: memcpy(d + 1, h, 120); return 0; // x1:
    case 47: memmove(h + 1, d, 4); printf("%d\n", h[1]); return 0; // x1:
    }
    int *p, sum = 0;
    float four[4] = {1, 2, 3, 4};
    if (cudaMemcpyToSymbol(weights, four, sizeof four) || cudaGetSymbolAddress((void **)&p, a) ||
        cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice) || cudaMemset(p + 1, 1, 4))
        return 1;
    right<<<1, 32>>>(0, d);
    wrong<<<1, 1>>>(12, 0, p);
    if (cudaDeviceSynchronize() || cudaMemcpyFromSymbol(h, after, 31 * sizeof(int), 4))
        return 1;
    for (int i = 0; i < 31; i++)
        sum += h[i] == 2 * (i + 1);
    if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < 32; i++)
        sum += h[i] == i;
    printf("%d %d %d\n", sum, shared_with_host, (int)(sizeof a + sizeof table));
    memset(&shared_with_host, 0, sizeof shared_with_host);
    memcpy(h, &shared_with_host, 4 * (how - 39));
    return h[0];
}

int main(int, char **argv)
{
    int how = atoi(argv[1]), *d;
    if (cudaMalloc(&d, 128) || cudaMemset(d, 0, 128))
        return 1;
    if (how >= 30)
        return use_on_host(how, d);
    if (how == 2)
        wrong<<<1, dim3(8, 4)>>>(how, 0, d);
    else
        wrong<<<1, how == 8 ? 17 : 32>>>(how, 0, how == 12 ? NULL : d);
    puts(cudaDeviceSynchronize() ? "failed" : "end");
    return 0;
}

/* Memory that a kernel may use beside cudaMalloc's: pinned, registered and managed memory; __constant__
 * variables that nobody sets, and all the ways to set one. */
#include "cases.h"
#include <algorithm>
#include <vector>

__managed__ int managed[8];
int copied[3];
__device__ __managed__ double scale = 2;

static void next(const int *in, int *out, int n)
{
    run<<<2, 64>>>([=] __device__(int t) {
        int i = blockIdx.x * 64 + t;
        if (i < n)
            out[i] = in[i] + 1;
    });
}

__constant__ int mask[2] = {1, 2};

struct table {
    int begin, end;
    double weight[3];
};

__constant__ float factor;
__constant__ int steps[8];
__constant__ table limits[2];
static __constant__ unsigned char hidden[5];
__constant__ int valued[4] = {1, 2, 3, 4}, zero[4] = {0, 0};
__constant__ const int fixed = 0;
__device__ int counter;

__device__ int look(int i) { return hidden[i % 5]; } // BUG in_a_function: hidden, a __constant__ variable of 5 bytes

int main(int, char **argv)
{
    int *a, *b, *mapped, wrong = 0, two = argv[1] ? 2 : 0;
    int *out = (int *)device(4096 * sizeof(int)), none[8] = {0};
    float *f = (float *)out, half = 0.5f;
    void *address;
    table tables[2] = {{1, 2, {1, 2, 3}}, {3, 4, {4, 5, 6}}};

    if (cudaMallocHost(&a, 400) || cudaHostAlloc((void **)&b, 400, cudaHostAllocMapped) ||
        cudaHostGetDevicePointer((void **)&mapped, b, 0))
        return 3;
    for (int i = 0; i < 100; i++)
        a[i] = i;
    CASE(host, "nothing")
    {
        next(a, mapped, 100), next(managed, out, 8);
        wrong += cudaMemcpy(out, b, 400, cudaMemcpyHostToDevice) || cudaDeviceSynchronize() ||
                 cudaMemcpy(managed, a, sizeof managed, cudaMemcpyHostToDevice) || managed[7] != 7;
        for (int i = 0; i < 100; i++)
            wrong += b[i] != i + 1;
        for (int i = 0; i < 8; i++)
            managed[i] = i;
        scale = 3;
        DO(8, managed[i] *= (int)scale);
        wrong += cudaDeviceSynchronize() || managed[7] != 21;
        cudaPointerAttributes at[3];
        wrong += cudaPointerGetAttributes(&at[0], a) || cudaPointerGetAttributes(&at[1], out) || cudaPointerGetAttributes(&at[2], &a);
        wrong += at[0].type != cudaMemoryTypeHost || at[1].hostPointer || at[2].devicePointer;
        wrong += cudaFree(a) != cudaErrorInvalidValue || cudaFreeHost(a) || cudaFreeHost(b);
        wrong += cudaFreeHost(&wrong) != cudaErrorInvalidValue;
    }
    CASE(behind_constant_template, "out of bounds in global memory")
        DO(1, out[i] = mask[two]); // BUG: byte 8 of mask, a __constant__ variable
    TWINS(registered, "race in global memory")
    {
        int *own = (int *)malloc(404) + 1, *in = own + 1;
        wrong += cudaHostRegister(own, 400, cudaHostRegisterMapped) != cudaSuccess;
        wrong += cudaHostRegister(in, 4, 0) != cudaErrorHostMemoryAlreadyRegistered;
        for (int i = 0; i < 100; i++)
            own[i] = i;
        DO(64, in[i] = right ? in[i] + 1 : in[98 - i] + 1); // BUG: byte
        wrong += cudaMemcpy(out, own, 400, cudaMemcpyDefault) || cudaDeviceSynchronize() || (right && own[9] != 10);
        wrong += cudaFreeHost(own) != cudaErrorInvalidValue || cudaHostUnregister(own);
        wrong += cudaHostUnregister(own) != cudaErrorHostMemoryNotRegistered;
    }
    CASE(unregistered, "host pointer in a kernel")
    {
        int *own = (int *)malloc(400);
        wrong += cudaHostRegister(own, 400, 0) || cudaHostUnregister(own);
        next(own, out, 100);
    }
    CASE(behind_registered, "host pointer in a kernel")
    {
        wrong += cudaHostRegister(a = (int *)malloc(400), 100, 0) != cudaSuccess;
        next(a, out, 26);
    }
    CASE(pinned_end, "out of bounds in global memory") next(out, b, 101);
    CASE(across_the_end, "out of bounds in global memory") /* behind others that are not */
        mapped = (int *)device(132), DO(17, out[i] = ((double *)mapped)[i] > 5); // BUG: reads 8 b
    CASE(pinned_freed, "out of bounds in global memory")
        wrong += cudaFreeHost(b) != cudaSuccess, next(out, b, 32);
    CASE(beyond_by_host, "out of bounds in global memory") wrong += b[100] + *(managed + 8); // BUG x2
    CASE(stored_by_host, "device pointer on the host") /* which is not garbage, too */
        mapped = raw<int>(1), *mapped = 1, DO(1, out[i] = *mapped); // BUG
    CASE(read_by_host, "device pointer on the host")
    {
        wrong += out[0] + strlen((char *)out); // BUG x4
        wrong += fread(out, 4, 1, stdin) || cudaMalloc((void **)out, 4) != cudaSuccess; // BUG x4
    }
    CASE(compared_by_host, "device pointer on the host") { wrong += memcmp(out, a, 400) == 0; } // BUG
    CASE(texts_by_host, "device pointer on the host")
        strcpy((char *)out, argv[1]), wrong += puts((char *)out) + strcmp((char *)out, "a") + fwrite(out, 4, 1, stdout); // BUG x4
    CASE(copied_by_host, "device pointer on the host") { int local[3]; std::copy(out, out + 3, local), wrong += local[0]; }
    CASE(ranged_by_host, "device pointer on the host") wrong += std::vector<int>(out, out + 1000).back();
    CASE(compared_managed, "nothing")
    {
        std::vector<int> values(managed, managed + 8);
        std::copy(values.begin(), values.end(), managed);
        wrong += memcmp(values.data(), managed, sizeof managed) != 0;
    }
    /* Each thread reads 25 bytes, and each byte is read by 25 threads of the block. */
    CASE(blurred, "nothing")
    run<<<1, dim3(32, 32)>>>([=] __device__(int i) {
        const unsigned char *in = (unsigned char *)out;
        int sum = 0;
        for (int dy = 0; dy < 5; dy++)
            for (int dx = 0; dx < 5; dx++)
                sum += in[36 * (i / 32 + dy) + i % 32 + dx];
        ((unsigned char *)out)[2048 + i] = sum / 25;
    });

    /* ---- constants ---- */
    CASE(structure, "note: __constant__ variable that nobody set")
        DO(dim3(8, 4), f[i] = limits[1].weight[i % 3]);
    CASE(in_a_function, "note: __constant__ variable that nobody set") DO(64, f[i] = look(i));
    CASE(too_late, "note: __constant__ variable that nobody set")
        DO(32, f[i] *= factor), wrong = cudaMemcpyToSymbol(factor, &half, 4);
    CASE(another, "note: __constant__ variable that nobody set")
    {
        wrong = cudaMemcpyToSymbol(factor, &half, 4);
        DO(32, f[i] = steps[i % 8]);
    }
    TWINS(partly, "note: __constant__ variable that nobody set")
    {
        wrong = cudaMemcpyToSymbol(steps, none, right ? 32 : 8) || // not in bytes
                cudaMemcpyToSymbol(hidden, none, 2) || cudaMemcpyToSymbol(hidden, none, 3, 2);
        DO(1, for (int k = 0; k < 8; k++) f[i] += steps[k] + hidden[k % 5]); // BUG
    }
    CASE(set, "nothing")
    {
        wrong = cudaMemcpyToSymbol(factor, &half, 4) || cudaMemcpyToSymbol(steps, none, sizeof none) ||
                cudaMemcpyToSymbol(limits, tables, sizeof tables, 0, cudaMemcpyHostToDevice) ||
                cudaGetSymbolAddress(&address, hidden) ||
                cudaMemcpy(address, none, 5, cudaMemcpyHostToDevice);
        DO(32, f[i] *= factor + steps[i % 8] + limits[1].weight[i % 3] + look(i));
    }
    CASE(valued, "nothing")
        DO(32, f[i] = valued[i % 4] + zero[i % 4] + fixed + counter + managed[0] + (i > 99 ? steps[3] : 7));
    return finish(wrong);
}

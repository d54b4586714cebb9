/* Which error does a wrong call give? Each in turn, a row each: the call's own result (of a launch
 * cudaPeekAtLastError), then cudaGetLastError. The last ones stop the device.
 *
 * nvcc -arch=native tests/errors.cu -o errors && ./errors; data/errors_h200.csv has what came out.
 */
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 4096 };

__device__ int variable[10];

__global__ void none() {}
__global__ void __launch_bounds__(128) bounded() {}
__global__ void other() {}

__global__ void shared(int *out)
{
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = 1;
    if (out)
        out[threadIdx.x] = dynamic[threadIdx.x];
}

__global__ void with_static(int *out)
{
    __shared__ char own[48000];
    extern __shared__ int dynamic[];
    own[threadIdx.x] = dynamic[threadIdx.x] = 1;
    __syncthreads();
    if (out)
        out[threadIdx.x] = own[47999 - threadIdx.x] + dynamic[threadIdx.x];
}

__global__ void write_to(int *address)
{
    *address = 1;
}

static void tell(const char *call, cudaError_t result)
{
    printf("%s,%s,", call, cudaGetErrorName(result));
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    fflush(stdout);
}

#define LAUNCH(call, kernel, grid, block, bytes, ...)                                              \
    do {                                                                                           \
        kernel<<<grid, block, bytes>>>(__VA_ARGS__);                                               \
        tell(call, cudaPeekAtLastError());                                                         \
    } while (0)

static void launches(void)
{
    LAUNCH("block 2048", none, 1, 2048, 0);
    LAUNCH("block 1025", none, 1, 1025, 0);
    LAUNCH("block 0", none, 1, 0, 0);
    LAUNCH("grid 0", none, 0, 32, 0);
    LAUNCH("block z 65", none, 1, dim3(1, 1, 65), 0);
    LAUNCH("block y 1025", none, 1, dim3(1, 1025), 0);
    LAUNCH("block 32x64", none, 1, dim3(32, 64), 0);
    LAUNCH("grid y 65536", none, dim3(1, 65536), 32, 0);
    LAUNCH("grid z 65536", none, dim3(1, 1, 65536), 32, 0);
    LAUNCH("grid x 2^31", none, 1u << 31, 32, 0);

    int most;
    if (cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) != cudaSuccess)
        exit(3);
    LAUNCH("dynamic 49 KiB", shared, 1, 32, 49 << 10, NULL);
    LAUNCH("dynamic 300 KiB", shared, 1, 32, 300 << 10, NULL);
    LAUNCH("static 48000 + dynamic 8 KiB", with_static, 1, 32, 8 << 10, NULL);
    LAUNCH("launch bounds 128 and 256 threads", bounded, 1, 256, 0);
    tell("attribute dynamic 1 KiB too much",
         cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1024));
    tell("attribute dynamic all there is",
         cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    LAUNCH("dynamic all there is after attribute", shared, 1, 32, most, NULL);
    LAUNCH("other kernel 60 KiB", other, 1, 32, 60 << 10);
}

static void memory(int *host, int *device)
{
    int *p = NULL;

    tell("malloc 2^60", cudaMalloc((void **)&p, (size_t)1 << 60));
    tell("malloc 0", cudaMalloc((void **)&p, 0));
    printf("malloc 0 pointer,%s,\n", p ? "set" : "null");
    tell("free null", cudaFree(NULL));
    tell("free host", cudaFree(host));
    tell("free middle", cudaFree(device + 1));

    tell("copy too long to device", cudaMemcpy(device, host, 2 * BYTES, cudaMemcpyHostToDevice));
    tell("copy wrong direction", cudaMemcpy(device, host, BYTES, cudaMemcpyDeviceToHost));
    tell("copy kind 77", cudaMemcpy(device, host, BYTES, (cudaMemcpyKind)77));
    tell("copy null", cudaMemcpy(NULL, host, BYTES, cudaMemcpyHostToDevice));
    tell("copy host pointers as device to device",
         cudaMemcpy(host + BYTES / 4, host, BYTES, cudaMemcpyDeviceToDevice));
    tell("copy default", cudaMemcpy(device, host, BYTES, cudaMemcpyDefault));
    tell("copy 0 bytes null", cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    tell("memset too long", cudaMemset(device, 0, 2 * BYTES));
    tell("memset host", cudaMemset(host, 0, BYTES));
    tell("symbol too long", cudaMemcpyToSymbol(variable, host, sizeof variable + 4));
    tell("symbol offset", cudaMemcpyToSymbol(variable, host, 8, sizeof variable - 4));
}

static void others(void)
{
    cudaEvent_t start, end;
    void *p;
    float ms;
    int value;

    tell("set device 99", cudaSetDevice(99));
    tell("set device -1", cudaSetDevice(-1));
    if (cudaEventCreate(&start) != cudaSuccess || cudaEventCreate(&end) != cudaSuccess)
        exit(3);
    tell("elapsed but not recorded", cudaEventElapsedTime(&ms, start, end));
    tell("query stream", cudaStreamQuery(0));
    tell("host alloc 2^60", cudaHostAlloc(&p, (size_t)1 << 60, cudaHostAllocDefault));
    tell("managed 0", cudaMallocManaged(&p, 0));
    tell("device attribute 9999", cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
}

static void freed(int *host, int *device)
{
    int *p;

    tell("free twice: first", cudaFree(device));
    tell("free twice: second", cudaFree(device));
    tell("copy from freed", cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost));
    write_to<<<1, 1>>>((int *)8);
    tell("synchronise after a kernel wrote to address 8", cudaDeviceSynchronize());
    tell("malloc after that", cudaMalloc((void **)&p, BYTES));
}

int main(void)
{
    int *host = (int *)calloc(2, BYTES), *device;

    if (!host || cudaMalloc((void **)&device, BYTES) != cudaSuccess)
        return 3;
    printf("call,result,last\n");
    launches();
    memory(host, device);
    others();
    freed(host, device);
    return 0;
}

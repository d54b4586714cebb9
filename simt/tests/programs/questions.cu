/* What a program asks about its pointers, kernels and device. */
#include <chrono>
#include <cstring>
#include <unistd.h>
__device__ int symbol;
__managed__ int managed;
__global__ void __launch_bounds__(128) kernel(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = 10;
    *out = s[0];
}

static cudaMemoryType type_of(const void *p)
{
    cudaPointerAttributes of;
    OK(cudaPointerGetAttributes(&of, p));
    EXPECT((of.devicePointer == p) == (of.type != cudaMemoryTypeUnregistered));
    EXPECT((of.hostPointer == p) == (of.type != cudaMemoryTypeDevice));
    EXPECT((of.device == 0) == (of.type != cudaMemoryTypeUnregistered));
    return of.type;
}

static void about_pointers()
{
    int *p, *pinned, *m;
    void *address;
    OK(cudaMalloc(&p, 4));
    OK(cudaMallocHost(&pinned, 4));
    OK(cudaMallocManaged(&m, 4));
    OK(cudaGetSymbolAddress(&address, symbol));
    EXPECT(type_of(&p) == cudaMemoryTypeUnregistered && type_of(p) == cudaMemoryTypeDevice);
    EXPECT(type_of(pinned) == cudaMemoryTypeHost && type_of(m) == cudaMemoryTypeManaged);
    EXPECT(type_of(address) == cudaMemoryTypeDevice && type_of(&managed) == cudaMemoryTypeManaged);
    OK(cudaFree(p));
    EXPECT(type_of(p) == cudaMemoryTypeUnregistered);
}

static void about_kernels()
{
    int blocks, threads;
    cudaFuncAttributes of;
    OK(cudaFuncGetAttributes(&of, kernel));
    EXPECT(of.maxThreadsPerBlock == 128 && of.sharedSizeBytes == 256 && of.binaryVersion == 90);
    EXPECT(of.maxDynamicSharedSizeBytes == 48 * 1024 - 256);
    cudaFuncAttribute dynamic = cudaFuncAttributeMaxDynamicSharedMemorySize; // beside its 256 bytes
    EXPECT(cudaFuncSetAttribute(kernel, dynamic, 96 * 1024 - 255) == cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(kernel, dynamic, 96 * 1024 - 256));
    OK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&blocks, &threads, kernel,
                                                      [](int n) { return n * 96; }));
    EXPECT(threads == 992); // 93 KiB of 96, and 256 bytes
    OK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, kernel, 0, 0));
    EXPECT(threads == 1024 && blocks > 0);
}

static void about_the_device()
{
    int count, device, can, value;
    cudaDeviceProp prop;
    OK(cudaGetDeviceCount(&count));
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&device));
    EXPECT(count == 1 && device == 0);
    EXPECT(cudaGetDeviceProperties(&prop, 3) == cudaErrorInvalidDevice);
    OK(cudaGetDeviceProperties(&prop, 0));
    EXPECT(!strcmp(prop.name, "CPU backend"));
    EXPECT(prop.maxThreadsPerBlock == 1024 && prop.sharedMemPerBlock == 48 * 1024);
    EXPECT(prop.multiProcessorCount > 0 && prop.totalGlobalMem > 1 << 28);
    EXPECT(!prop.clusterLaunch);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(value == prop.multiProcessorCount);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentKernels, 0));
    EXPECT(value == prop.concurrentKernels);
    OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    EXPECT(can == 0 && cudaDeviceCanAccessPeer(&can, 0, 1) == cudaErrorInvalidDevice);
    EXPECT(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
    OK(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    EXPECT(!strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
    EXPECT(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
    EXPECT(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
    OK(cudaDeviceReset());
}

/* The time between two events is the host's. */
static void about_time()
{
    cudaEvent_t start, end, never;
    float ms = -1;
    OK(cudaEventCreate(&start));
    OK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    OK(cudaEventCreate(&never));
    auto begin = std::chrono::steady_clock::now();
    OK(cudaEventRecord(start));
    usleep(20000);
    OK(cudaEventRecord(end));
    std::chrono::duration<double, std::milli> most = std::chrono::steady_clock::now() - begin;
    OK(cudaEventElapsedTime(&ms, start, end));
    EXPECT(ms >= 20 && ms <= most.count() + 0.01);
    EXPECT(cudaEventElapsedTime(&ms, start, never) == cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventRecord(NULL) == cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(start));
}

int main() { about_pointers(), about_kernels(), about_the_device(), about_time(); }

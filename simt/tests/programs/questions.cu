/* Questions of a program about its kernels and device. */
#include <chrono>
#include <cstring>
#include <unistd.h>
__global__ void __launch_bounds__(128) kernel(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = 10;
    *out = s[0];
}

static void about_kernels()
{
    int blocks, threads;
    cudaFuncAttribute dynamic = cudaFuncAttributeMaxDynamicSharedMemorySize; // beside its 256 bytes
    EXPECT(cudaFuncSetAttribute(kernel, dynamic, 96 * 1024 - 255) == cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(kernel, dynamic, 96 * 1024 - 256));
    OK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, kernel, 48 * 1024, 1000));
    EXPECT(threads == 1000 && blocks == 16); // of 96 KiB, and 256 bytes each
}

static void about_the_device()
{
    int count, device, value;
    cudaDeviceProp prop;
    OK(cudaGetDeviceCount(&count));
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&device));
    EXPECT(count == 1 && device == 0);
    EXPECT(cudaGetDeviceProperties(&prop, 3) == cudaErrorInvalidDevice);
    OK(cudaGetDeviceProperties(&prop, 0));
    EXPECT(!prop.clusterLaunch && prop.totalGlobalMem > 1 << 28);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentKernels, 0));
    EXPECT(value == 1 && prop.concurrentKernels == 1);
    OK(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    EXPECT(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
    EXPECT(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
    OK(cudaDeviceReset());
}

/* The time between two events is the host's. */
static void about_time()
{
    cudaEvent_t start, end;
    float ms = -1;
    OK(cudaEventCreate(&start));
    OK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    auto begin = std::chrono::steady_clock::now();
    OK(cudaEventRecord(start));
    usleep(20000);
    OK(cudaEventRecord(end));
    std::chrono::duration<double, std::milli> most = std::chrono::steady_clock::now() - begin;
    OK(cudaEventElapsedTime(&ms, start, end));
    EXPECT(ms >= 20 && ms <= most.count() + 0.01);
    EXPECT(cudaEventRecord(NULL) == cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(start));
}

int main() { about_kernels(), about_the_device(), about_time(); }

/* Finds the device and what it can do. */
#define _GNU_SOURCE
#include "device.h"
#include "lab.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int attribute(enum cudaDeviceAttr attr, int index)
{
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, attr, index));
    return value;
}

struct device device_open(const char *program, int index)
{
    struct device device;
    struct cudaDeviceProp prop;
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);

    if (error != cudaSuccess || count == 0) {
        fprintf(stderr, "%s: no GPU: %s; make BACKEND=cpu %s builds for the CPU backend\n", program,
                error != cudaSuccess ? cudaGetErrorString(error) : "CUDA finds none", program);
        exit(STATUS_CUDA);
    }
    if (index >= count)
        options_fail(program, "-d %d: devices are numbered from 0 to %d", index, count - 1);
    device.count = 1;
    CHECK(cudaSetDevice(index));
    CHECK(cudaGetDeviceProperties(&prop, index));
    memcpy(device.name, prop.name, sizeof device.name);
    device.major = prop.major;
    device.minor = prop.minor;
    device.multiprocessors = prop.multiProcessorCount;
    device.l2_bytes = (size_t)prop.l2CacheSize;
    /* kHz times bits; the memory transfers twice a clock */
    device.peak_gb_per_s = 2e3 * attribute(cudaDevAttrMemoryClockRate, index) *
                           (attribute(cudaDevAttrGlobalMemoryBusWidth, index) / 8) / 1e9;
    return device;
}

void device_check_memory(const char *program, size_t n, size_t bytes)
{
    size_t free_bytes, total;
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    if (bytes > free_bytes)
        options_fail(program,
                     "-n %zu: needs %.1f GiB of device memory, %.1f GiB are free; "
                     "choose a smaller -n",
                     n, (double)bytes / (1 << 30), (double)free_bytes / (1 << 30));
}

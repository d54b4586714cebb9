/* Finds the device and what it can do. */
#include "device.h"
#include "check.h"
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

/* CUDA calls the driver too old where there is none. */
static const char *why_no_gpu(cudaError_t error)
{
    int driver = 0;

    if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0)
        return "no NVIDIA driver is installed";
    return error != cudaSuccess ? cudaGetErrorString(error) : "CUDA finds none";
}

struct device device_open(const char *program, int index)
{
    struct device device;
    struct cudaDeviceProp prop;
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);

    if (error != cudaSuccess || count == 0) {
        fprintf(stderr,
                "%s: no usable GPU: %s; make BACKEND=cpu builds for the CPU backend, which runs "
                "all steps and most detours\n",
                program, why_no_gpu(error));
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
                     "-n %zu: needs %zu MiB of device memory, %zu MiB are free; "
                     "choose a smaller -n",
                     n, (bytes >> 20) + 1, free_bytes >> 20);
}

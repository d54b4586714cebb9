"""The CPU backend, CUDA's runtime API: what its calls do. Which error each wrong call gives is in
test_errors.py; streams and what waits are in simt/tests/twins/async.cu."""

import pytest

from backend import outcome, run, simtcc


def test_memory(tmp_path):
    """Copies in every direction; wrong ones change nothing; memory that is freed comes back."""
    assert outcome("""
int main()
{
    int values[100], back[100] = {}, *p, *q, *managed;
    size_t before, after, total;
    for (int i = 0; i < 100; i++)
        values[i] = i;
    OK(cudaMemGetInfo(&before, &total));
    EXPECT(before == total && total > (1 << 28));
    OK(cudaMalloc(&p, sizeof values));
    OK(cudaMalloc((void **)&q, sizeof values));
    OK(cudaMemGetInfo(&after, &total));
    EXPECT(after == before - 2 * sizeof values);
    OK(cudaMemcpy(p, values, sizeof values, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(q, p, sizeof values, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(q + 50, p, 50 * sizeof(int), cudaMemcpyDefault));
    OK(cudaMemcpy(back, q, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 100; i++)
        EXPECT(back[i] == i % 50);
    OK(cudaMemcpy(back, values, sizeof back, cudaMemcpyHostToHost));
    EXPECT(back[99] == 99);
    OK(cudaMemset(q, 0x11, 4));
    OK(cudaMemcpyAsync(back, q, 8, cudaMemcpyDeviceToHost));
    OK(cudaDeviceSynchronize());
    EXPECT(back[0] == 0x11111111 && back[1] == 1);
    OK(cudaMallocManaged(&managed, sizeof values));
    managed[5] = 5;
    OK(cudaMemcpy(back, managed, sizeof back, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(managed, back, sizeof back, cudaMemcpyHostToHost));
    EXPECT(back[5] == 5);

    back[0] = 77;
    EXPECT(cudaMemcpy(back, p, sizeof back, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(back, p, sizeof back, cudaMemcpyHostToHost) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(back, p, sizeof back + 1, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(back, p + 99, 8, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(p + 100, values, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(p - 1, values, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    OK(cudaMemcpy(values, p, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 77 && values[0] == 0 && values[99] == 99);

    OK(cudaFree(q));
    OK(cudaFree(p));
    OK(cudaFree(managed));
    OK(cudaMallocHost(&p, 400));
    p[99] = 1;
    OK(cudaFreeHost(p));
    for (int i = 0; i < 300; i++) { /* together it would not fit */
        OK(cudaMalloc((void **)&q, total / 100));
        OK(cudaFree(q));
    }
    OK(cudaMemGetInfo(&after, &total));
    EXPECT(after == before);
    OK(cudaMalloc(&p, total - total / 64)); /* nothing is held back of what was freed */
    OK(cudaFree(p));
}
""", tmp_path) == ""


def test_a_refused_launch(tmp_path):
    """Nothing runs; the last error says why, is kept until it is fetched, and is told once."""
    assert outcome("""
__global__ void touch(int *p) { atomicExch(p, 1); }

static void refused(int *touched, dim3 grid, dim3 block, size_t shared, cudaError_t why)
{
    touch<<<grid, block, shared>>>(touched);
    EXPECT(cudaPeekAtLastError() == why);
    OK(cudaFree(NULL)); /* a success does not clear it */
    EXPECT(cudaGetLastError() == why);
    OK(cudaGetLastError());
    EXPECT(*host(touched, 1) == 0);
}

int main()
{
    int *touched = device<int>(1);
    refused(touched, 1, 1025, 0, cudaErrorInvalidConfiguration);
    refused(touched, {1, 1, 0}, 32, 0, cudaErrorInvalidConfiguration);
    refused(touched, 1, {1u << 16, 1u << 16}, 0, cudaErrorInvalidConfiguration); /* 2^32 */
    refused(touched, 1, 32, 48 * 1024 + 1, cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    refused(touched, 1, 32, 64 * 1024 + 1, cudaErrorInvalidValue);
    touch<<<1, 2000>>>(touched);
    EXPECT(cudaFree((void *)1) == cudaErrorInvalidValue); /* the later error is the last */
    touch<<<1, {1, 1, 64}, 64 * 1024>>>(touched);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue && *host(touched, 1) == 1);
}
""", tmp_path) == ""


def test_rows_and_symbols(tmp_path):
    """Rows with a pitch, callbacks, managed memory, a variable's size, hints that change nothing."""
    assert outcome("""
static int called;
static void CUDART_CB on_stream(cudaStream_t, cudaError_t status, void *data)
{
    called += status == cudaSuccess ? *(int *)data : 0;
}
static void on_host(void *data) { called += *(int *)data; }
__device__ int symbol[4];
__global__ void slices(char *p, size_t pitch, int height)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    ((int *)(p + (z * height + y) * pitch))[x] += 100 * z + 10 * y + x;
}

int main()
{
    const int w = 5, h = 3, d = 4;
    int in[d][h][w], out[d][h][w], one = 1, n, *managed;
    char *p;
    size_t pitch, size, row = w * sizeof(int);
    for (int i = 0; i < w * h * d; i++)
        in[0][0][i] = 1000;
    OK(cudaMallocPitch(&p, &pitch, row, h * d));
    EXPECT(pitch >= row && pitch % 512 == 0);
    OK(cudaMemset2D(p, pitch, 0, row, h * d));
    slices<<<1, dim3(w, h, d)>>>(p, pitch, h);
    OK(cudaMemcpy2D(out, row, p, pitch, row, h * d, cudaMemcpyDeviceToHost));
    EXPECT(out[0][0][0] == 0 && out[3][2][4] == 324 && out[1][0][3] == 103);
    EXPECT(cudaMemcpy2D(out, 4, p, pitch, 8, 1, cudaMemcpyDeviceToHost) ==
           cudaErrorInvalidPitchValue);
    EXPECT(cudaMemcpy2D(out, 8, p, 4, 8, 1, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
    OK(cudaMemcpy2DAsync(p, pitch, in, row, row, h * d, cudaMemcpyHostToDevice, 0));
    OK(cudaMemset2DAsync(p, pitch, 0, 8, 2));
    OK(cudaMemcpy2D(out, row, p, pitch, row, h * d, cudaMemcpyDeviceToHost));
    EXPECT(out[0][1][1] == 0 && out[0][1][2] == 1000 && out[0][2][0] == 1000);

    OK(cudaStreamAddCallback(0, on_stream, &one, 0));
    OK(cudaLaunchHostFunc(0, on_host, &one));
    EXPECT(called == 2);
    OK(cudaMemcpyToSymbolAsync(symbol, in, sizeof symbol, 0, cudaMemcpyHostToDevice, 0));
    OK(cudaGetSymbolSize(&size, symbol));
    EXPECT(size == sizeof symbol);
    cudaFuncCache cache;
    OK(cudaFuncSetCacheConfig(slices, cudaFuncCachePreferL1));
    OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    OK(cudaDeviceGetCacheConfig(&cache));
    EXPECT(cache == cudaFuncCachePreferShared);
    OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    OK(cudaMallocManaged(&managed, 64));
    OK(cudaMemPrefetchAsync(managed, 64, cudaCpuDeviceId, 0));
    OK(cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, 0));
    EXPECT(cudaMemPrefetchAsync(p, 4, 0) == cudaErrorInvalidValue);
    EXPECT(cudaMemPrefetchAsync(&n, 4, 0) == cudaErrorInvalidValue);
    OK(cudaThreadSynchronize());
    OK(cudaMemcpyPeer(p, 0, managed, 0, 8));
}
""", tmp_path) == ""


def test_questions(tmp_path):
    """What a program asks about its pointers, kernels and device."""
    assert outcome("""
#include <cstring>
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

    static char pages[3 * 4096]; // neighbours do not overlap
    EXPECT(cudaHostRegister(pages, 0, 0) == cudaErrorInvalidValue);
    OK(cudaHostRegister(pages, 4096, 0));
    OK(cudaHostRegister(pages + 4096, 4096, 0));
    EXPECT(cudaHostUnregister(pages + 8) == cudaErrorHostMemoryNotRegistered);
    EXPECT(type_of(pages + 8191) == cudaMemoryTypeHost);
    EXPECT(type_of(pages + 8192) == cudaMemoryTypeUnregistered);
    OK(cudaHostUnregister(pages + 4096));
    EXPECT(type_of(pages) == cudaMemoryTypeHost);
    EXPECT(type_of(pages + 4096) == cudaMemoryTypeUnregistered);
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
    char bus[16];
    unsigned flags;
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
    EXPECT(prop.texturePitchAlignment == 32 && !prop.clusterLaunch && !prop.uuid.bytes[0]);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(value == prop.multiProcessorCount);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentKernels, 0));
    EXPECT(value == prop.concurrentKernels);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
    EXPECT(value == 1024);
    OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    EXPECT(can == 0 && cudaDeviceCanAccessPeer(&can, 0, 1) == cudaErrorInvalidDevice);
    EXPECT(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
    OK(cudaDeviceGetPCIBusId(bus, sizeof "0000:00:00.0", 0));
    EXPECT(!strcmp(bus, "0000:00:00.0"));
    EXPECT(cudaDeviceGetPCIBusId(bus, 12, 0) == cudaErrorInvalidValue);
    OK(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    OK(cudaGetDeviceFlags(&flags));
    EXPECT(flags == (cudaDeviceScheduleYield | cudaDeviceMapHost));
    EXPECT(!strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
    EXPECT(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
    EXPECT(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
    OK(cudaDeviceReset());
}

int main() { about_pointers(), about_kernels(), about_the_device(); }
""", tmp_path) == ""


def test_events(tmp_path):
    """The time between two is the host's."""
    assert outcome("""
#include <ctime>
#include <unistd.h>

static double now_ms()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

int main()
{
    cudaStream_t stream;
    cudaEvent_t start, end, never;
    float ms = -1;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    OK(cudaEventCreate(&never));
    double begin = now_ms();
    OK(cudaEventRecord(start, stream));
    usleep(20000);
    OK(cudaEventRecord(end, stream));
    double most = now_ms() - begin;
    OK(cudaEventElapsedTime(&ms, start, end));
    EXPECT(ms >= 20 && ms <= most + 0.01);
    EXPECT(cudaEventElapsedTime(&ms, start, never) == cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventRecord(NULL) == cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(start));
}
""", tmp_path) == ""


LARGE = """
struct large { char bytes[SIZE]; };
__global__ void last(large p, char *out) { out[threadIdx.x] = p.bytes[SIZE - 1 - threadIdx.x]; }
__global__ void array(char *out)
{
    char bytes[200 * 1024];
    for (int i = 0; i < (int)sizeof bytes; i += 1024)
        bytes[i] = i / 1024;
    out[threadIdx.x] = bytes[1024 * (int)threadIdx.x];
}
int main()
{
    static large p;
    char *out, h[64];
    p.bytes[SIZE - 3] = 7;
    if (cudaMalloc(&out, 64) != cudaSuccess)
        return 1;
    array<<<1, 64>>>(out);
    if (cudaMemcpy(h, out, 64, cudaMemcpyDeviceToHost) != cudaSuccess || h[63] != 63)
        return 2;
    last<<<1, 64>>>(p, out);
    return cudaMemcpy(h, out, 64, cudaMemcpyDeviceToHost) != cudaSuccess || h[2] != 7;
}
"""


@pytest.mark.parametrize("size, status, told", [(32756, 0, ""), (
    32757, 2, "kernel last take 32765 bytes; want at most 32764")])
def test_large_parameters_and_local_arrays(tmp_path, size, status, told):
    done = run(simtcc(LARGE.replace("SIZE", str(size)), tmp_path / "large.cu"))
    assert done.returncode == status and told in done.stderr, done.stderr
    assert done.stderr.count("\n") == (1 if told else 0)

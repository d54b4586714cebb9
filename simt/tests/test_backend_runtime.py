"""The CPU backend, CUDA's runtime API: what succeeds, and which error everything else gives."""

import pytest

from backend import outcome, run, simtcc


def test_memory(tmp_path):
    """Copies in every direction; wrong ones change nothing and give CUDA's error."""
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

    /* the wrong direction */
    back[0] = 77;
    EXPECT(cudaMemcpy(back, p, sizeof back, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(back, p, sizeof back, cudaMemcpyHostToHost) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(p, values, sizeof values, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(p, values, sizeof values, (cudaMemcpyKind)9) ==
           cudaErrorInvalidMemcpyDirection);
    EXPECT(cudaMemcpy(NULL, p, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    /* past the end, before the start, freed */
    EXPECT(cudaMemcpy(back, p, sizeof back + 1, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(back, p + 99, 8, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(p + 100, values, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(p - 1, values, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemset(p, 0, sizeof values + 1) == cudaErrorInvalidValue);
    EXPECT(cudaMemset(values, 0, 4) == cudaErrorInvalidValue);
    EXPECT(back[0] == 77 && values[1] == 1);
    OK(cudaFree(q));
    EXPECT(cudaMemcpy(back, q, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    EXPECT(cudaFree(q) == cudaErrorInvalidValue);
    EXPECT(cudaFree(p + 1) == cudaErrorInvalidValue);
    EXPECT(cudaFree(values) == cudaErrorInvalidValue);
    OK(cudaFree(NULL));
    OK(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[99] == 99); /* p is as it was */

    q = p;
    EXPECT(cudaMalloc(&q, total + 1) == cudaErrorMemoryAllocation);
    EXPECT(cudaMalloc(&q, ~(size_t)0) == cudaErrorMemoryAllocation);
    OK(cudaMalloc(&q, 0));
    EXPECT(q == NULL);
    OK(cudaFree(p));
    OK(cudaFree(managed));
    OK(cudaMemGetInfo(&after, &total));
    EXPECT(after == before);
    OK(cudaMallocHost(&p, 400));
    p[99] = 1;
    OK(cudaFreeHost(p));
    for (int i = 0; i < 300; i++) { /* memory comes back: together it would not fit */
        OK(cudaMalloc((void **)&q, total / 100));
        OK(cudaFree(q));
    }
}
""", tmp_path) == ""


def test_bad_launches(tmp_path):
    """Nothing runs, the last error says why, and it is told once."""
    assert outcome("""
__global__ void touch(int *p) { atomicExch(p, 1); }

static int *touched;

static void refused(dim3 grid, dim3 block, size_t shared, cudaError_t why)
{
    touch<<<grid, block, shared>>>(touched);
    EXPECT(cudaPeekAtLastError() == why);
    EXPECT(cudaGetLastError() == why);
    OK(cudaGetLastError());
    EXPECT(*host(touched, 1) == 0);
}

int main()
{
    touched = device<int>(1);
    refused(1, 1025, 0, cudaErrorInvalidConfiguration);
    refused(1, 2048, 0, cudaErrorInvalidConfiguration);
    refused(1, {32, 33}, 0, cudaErrorInvalidConfiguration);
    refused(1, {1, 1, 65}, 0, cudaErrorInvalidConfiguration);
    refused(1, {1u << 16, 1u << 16}, 0, cudaErrorInvalidConfiguration); /* 2^32 */
    refused(1, 0, 0, cudaErrorInvalidConfiguration);
    refused(1, {32, 0}, 0, cudaErrorInvalidConfiguration);
    refused(0, 32, 0, cudaErrorInvalidConfiguration);
    refused({1, 1, 0}, 32, 0, cudaErrorInvalidConfiguration);
    refused({1, 65536}, 32, 0, cudaErrorInvalidConfiguration);
    refused(0x80000000u, 1, 0, cudaErrorInvalidConfiguration);
    refused(1, 32, 48 * 1024 + 1, cudaErrorInvalidValue);
    EXPECT(cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) ==
           cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    refused(1, 32, 64 * 1024 + 1, cudaErrorInvalidValue);
    touch<<<1, {1, 1, 64}, 64 * 1024>>>(touched);
    OK(cudaGetLastError());
    EXPECT(*host(touched, 1) == 1);
}
""", tmp_path) == ""


def test_errors_are_kept_until_fetched(tmp_path):
    assert outcome("""
__global__ void nothing() {}

int main()
{
    OK(cudaGetLastError());
    nothing<<<1, 2000>>>();
    EXPECT(cudaFree((void *)1) == cudaErrorInvalidValue); /* the later error is the last */
    nothing<<<1, 1>>>(); /* a success does not clear it */
    OK(cudaMemset(NULL, 0, 0));
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    OK(cudaPeekAtLastError());
}
""", tmp_path) == ""


def test_device(tmp_path):
    assert outcome("""
#include <cstring>

int main()
{
    int count, device, value;
    cudaDeviceProp prop;
    OK(cudaGetDeviceCount(&count));
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&device));
    EXPECT(count == 1 && device == 0);
    EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice);
    EXPECT(cudaSetDevice(-1) == cudaErrorInvalidDevice);
    EXPECT(cudaGetDeviceProperties(&prop, 3) == cudaErrorInvalidDevice);
    OK(cudaGetDeviceProperties(&prop, 0));
    EXPECT(!strcmp(prop.name, "CPU backend"));
    EXPECT(prop.maxThreadsPerBlock == 1024 && prop.sharedMemPerBlock == 48 * 1024);
    EXPECT(prop.multiProcessorCount > 0 && prop.totalGlobalMem > 1 << 28);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(value == prop.multiProcessorCount);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
    EXPECT(value == 1024);
    EXPECT(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0) == cudaErrorInvalidValue);
    EXPECT(!strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
    EXPECT(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
    EXPECT(!strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration),
                   "invalid configuration argument"));
    EXPECT(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
    EXPECT(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
    EXPECT(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
    OK(cudaDeviceReset());
}
""", tmp_path) == ""


def test_events(tmp_path):
    """The time between two is the host's; streams and what waits are in simt/tests/twins/async.cu."""
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
    EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
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


@pytest.mark.parametrize("size, status", [(32756, 0), (32757, 2)])
def test_large_parameters_and_local_arrays(tmp_path, size, status):
    done = run(simtcc(LARGE.replace("SIZE", str(size)), tmp_path / "large.cu"))
    assert done.returncode == status, done.stderr
    assert done.stderr == "" if not status else (
        "kernel last take 32765 bytes; want at most 32764" in done.stderr
        and done.stderr.count("\n") == 1)

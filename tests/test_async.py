"""Asynchronous calls, beyond the twins (tests/twins/async.cu): how both ends are told, and what is
not judged."""

import json

import pytest

from conftest import run, simtcc


# ---- programs ----

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 256, MANY = 400 };
__device__ int table[4];
__global__ void add(int *a, int value) { a[threadIdx.x] += value; }
__global__ void look_up(int *a) { a[threadIdx.x] = table[threadIdx.x % 4]; }
__global__ void wait_for(volatile int *flag, int *out) { *out = 0; while (*flag == 0) ; }
__global__ void spin(int *lock) { while (atomicCAS(lock, 0, 1) != 7) ; }
__global__ void hand_over(int *data, int *flag, int give)
{
    if (give) {
        data[threadIdx.x] = 1;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        atomicAdd(flag, 0);
        __threadfence();
        data[threadIdx.x] += 1;
    }
}
int main(int, char **argv)
{
    int *h, *d, *flag;
    cudaStream_t s, t;
    cudaEvent_t event;
    const char *which = argv[1];
    if (cudaStreamCreate(&s) || cudaStreamCreate(&t) || cudaEventCreate(&event) ||
        cudaMallocHost(&h, 2 * N * sizeof(int)) || cudaMalloc(&d, 2 * N * sizeof(int)) ||
        cudaMalloc(&flag, 4) || cudaMemset(d, 0, 2 * N * sizeof(int)) || cudaMemset(flag, 0, 4) ||
        cudaDeviceSynchronize())
        return 3;
    memset(h, 0, 2 * N * sizeof(int));
    if (strcmp(which, "early") == 0) {
        add<<<1, N, 0, s>>>(d, 5);
        cudaMemcpyAsync(h, d, N * sizeof(int), cudaMemcpyDeviceToHost, s);
        printf("%d\n", h[N - 1]);
    } else if (strcmp(which, "reused") == 0) {
        h[0] = 1;
        cudaMemcpyAsync(d, h, N * sizeof(int), cudaMemcpyHostToDevice, s);
        h[0] = 2;
        cudaMemcpy(h, d, N * sizeof(int), cudaMemcpyDeviceToHost);
        printf("%d\n", h[0]);
    } else if (strcmp(which, "streams") == 0) {
        cudaMemcpyToSymbolAsync(table, h, sizeof table, 0, cudaMemcpyHostToDevice, s);
        look_up<<<1, N, 0, t>>>(d);
    } else if (strcmp(which, "many") == 0) {
        for (int i = 0; i < MANY; i++) {
            cudaMemcpyAsync(d + i, h + i, sizeof(int), cudaMemcpyHostToDevice, s);
            if (i == 20)
                cudaEventRecord(event, s);
        }
        cudaStreamWaitEvent(t, event, 0);
        add<<<1, atoi(argv[2]), 0, t>>>(d + atoi(argv[3]), 1);
    } else if (strcmp(which, "flags") == 0) {
        hand_over<<<1, 32, 0, s>>>(d, flag, 1);
        hand_over<<<1, 32, 0, t>>>(d, flag, 0);
    } else if (strcmp(which, "host") == 0) {
        wait_for<<<1, 32>>>(h, d);
        *(volatile int *)h = 1;
    } else if (strcmp(which, "lock") == 0) {
        spin<<<1, 32>>>(flag);
    } else if (strcmp(which, "handles") == 0) {
        cudaStream_t wrong = (cudaStream_t)((char *)s + 1);
        int good = cudaStreamSynchronize(wrong) == cudaErrorInvalidResourceHandle &&
                   cudaMemsetAsync(d, 0, 4, wrong) == cudaErrorInvalidResourceHandle;
        cudaStreamDestroy(t);
        good &= cudaStreamQuery(t) == cudaErrorInvalidResourceHandle &&
                cudaStreamDestroy(t) == cudaErrorInvalidResourceHandle;
        add<<<1, 1, 0, t>>>(d, 1);
        good &= cudaGetLastError() == cudaErrorInvalidResourceHandle;
        printf("%d\n", good);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def line_of(text):
    return PROGRAM[:PROGRAM.index(text)].count("\n") + 1


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return simtcc(PROGRAM, tmp_path_factory.mktemp("async") / "program.cu")


@pytest.fixture(scope="module")
def found(program, tmp_path_factory):
    """What the report says of a case; its status must be the run's."""
    file = tmp_path_factory.mktemp("reports") / "report.json"

    def report(*arguments):
        done = run(program, *arguments, env={"SIMT_REPORT": str(file)})
        report = json.loads(file.read_text())
        assert report["status"] == done.returncode, done.stderr
        return report
    return report


def test_both_ends_are_told(found):
    (finding,) = found("early")["findings"]
    copy = line_of("cudaMemcpyAsync(h, d, N * sizeof(int), cudaMemcpyDeviceToHost, s);")
    assert finding["id"] == "async-host" and finding["kernel"] is None
    assert [(end["line"], end["operation"], end["bytes"]) for end in finding["ends"]] == [
        (copy + 1, "read", 4), (copy, None, 0)]


def test_streams_run_in_the_order_of_the_calls(program):
    """Races between them are not judged, which is said once; none is accused."""
    for arguments in ("streams",), ("many", "1", "399"), ("flags",):
        done = run(program, *arguments)
        assert done.returncode == 0 and done.stderr.count("several streams were used") == 1
    assert "several streams" not in run(program, "host").stderr


def test_kernel_that_waits_for_the_host(found):
    report = found("host")
    assert report["status"] == 5 and "waits for the host to write" in report["not_judged"]
    assert [each["id"] for each in found("lock")["findings"]] == ["deadlock"]


def test_wrong_handles(program):
    done = run(program, "handles")
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr

"""Memory that is freed while a kernel runs, and a host's thread that ends; what accesses cost."""

import re

import pytest

from backend import ROOT, run, simtcc

# The host frees, while the kernel waits for it, what the kernel has touched: long ago enough for
# that to have been looked at, since a thread's log is full after some hundreds of atomics.
FREED = """
#include <pthread.h>
#include <stdio.h>
__global__ void waits(int *a, int *stage)
{
    for (int turn = 0; turn < 2; turn++) {
        a[0] = turn; // freed
        for (int i = 0; i < 1000; i++)
            atomicAdd(&stage[2], 1);
        atomicExch(&stage[0], 1);
        while (atomicAdd(&stage[1], 0) == 0)
            ;
    }
}

static int *a, *b, *stage;

static void *frees(void *what)
{
    while (__atomic_load_n(&stage[0], __ATOMIC_SEQ_CST) == 0)
        ;
    cudaFree(what);
    __atomic_store_n(&stage[1], 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void free_meanwhile(int *what)
{
    pthread_t thread;
    cudaMallocManaged(&stage, 3 * sizeof(int));
    cudaMemset(stage, 0, 3 * sizeof(int));
    pthread_create(&thread, NULL, frees, what);
    waits<<<1, 1>>>(a, stage);
    pthread_join(thread, NULL);
}

int main(int argc, char **)
{
    cudaMalloc(&a, 1024);
    cudaMalloc(&b, 1024);
    free_meanwhile(argc > 1 ? b : a);
    cudaDeviceSynchronize();
    return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return simtcc(FREED, tmp_path_factory.mktemp("arrays") / "arrays.cu")


def test_freed_while_the_kernel_runs(program):
    """What the host frees meanwhile is not the kernel's any more."""
    done = run(program)
    assert done.returncode == 4 and "out of bounds in global memory" in done.stderr, done.stderr


def test_host_thread_that_ends(program):
    """It changes what the kernel waits for, and is gone before anybody has looked again: that is no
    deadlock, however often (one of twenty was told as one)."""
    for _ in range(60):
        done = run(program, "other")
        assert (done.returncode, done.stderr) == (0, "")


def test_bench(simt):
    """The table of costs: times and ratios, all above 0, in 80 columns."""
    done = run(ROOT / "simt/bench.sh", "an access", env={"SIMTCC_TOOLS_READY": "1"})
    assert (done.returncode, done.stderr) == (0, "")
    head, row = done.stdout.splitlines()
    assert max(len(head), len(row)) <= 80
    figures = [float(x) for x in re.findall(r"[\d.-]+(?=x?(?: |$))", row)]
    assert len(figures) == 9 and min(figures) > 0

"""Threads of the host: they launch at the same time; one frees what a kernel uses, or ends while a
kernel waits for it."""

import pytest

from backend import run, simtcc, without_streams

LAUNCH = r"""
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

__global__ void twice(int *p, int n)
{
    __shared__ int s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (i < n)
        p[i] += s[63 - threadIdx.x];
}
__global__ void beyond(int *p, int n) { p[n + threadIdx.x] = 1; }

int main(int argc, char **)
{
    enum { THREADS = 5, ROUNDS = 10 };
    std::vector<std::thread> threads;
    int wrong = 0;
    for (int t = 0; t < THREADS; t++)
        threads.emplace_back([=, &wrong] {
            cudaStream_t stream;
            int n = 1000 + t, *d, bad = cudaStreamCreate(&stream) != cudaSuccess;
            std::vector<int> h(n);
            for (int round = 0; round < ROUNDS; round++) {
                bad += cudaMalloc(&d, n * 4) || cudaMemset(d, 0, n * 4);
                for (int k = 0; k < 2; k++)
                    twice<<<(n + 63) / 64, 64, 0, stream>>>(d, n);
                if (argc > 1 && round == t)
                    beyond<<<1, 2, 0, stream>>>(d, n);
                bad += cudaGetLastError() || cudaStreamSynchronize(stream) ||
                       cudaMemcpy(h.data(), d, n * 4, cudaMemcpyDeviceToHost) || cudaFree(d);
                for (int i = 0; i < n; i++)
                    bad += h[i] != 2 * (63 - i % 64);
            }
            bad += cudaStreamDestroy(stream) != cudaSuccess;
            __atomic_fetch_add(&wrong, bad, __ATOMIC_SEQ_CST);
        });
    for (std::thread &thread : threads)
        thread.join();
    printf("%d wrong\n", wrong);
}
"""


@pytest.fixture(scope="module")
def launch(tmp_path_factory):
    return simtcc(LAUNCH, tmp_path_factory.mktemp("threads") / "launch.cu")


@pytest.mark.parametrize("env", [{}, {"SIMT_COUNTERS": "csv"}, {"SIMT_CHECKS": "off"}], ids=str)
def test_they_launch(launch, env):
    """They wait for each other; nothing is found or lost."""
    done = run(launch, env=env)
    assert (done.returncode, done.stdout) == (0, "0 wrong\n"), done.stderr
    rows = [row.split(",") for row in without_streams(done.stderr).splitlines()]
    if "SIMT_COUNTERS" not in env:
        assert rows == []
        return
    rows = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    assert len({row["launch"] for row in rows}) == 5 * 20
    assert sum(int(row["lanes"]) for row in rows if row["op"] == "store" and
               row["space"] == "global") == sum(20 * (1000 + t) for t in range(5))


def test_they_launch_a_bug(launch, tmp_path):
    done = run(launch, "bug", env={"SIMT_TRACE": str(tmp_path / "trace.csv")})
    assert done.returncode == 4 and (tmp_path / "trace.csv").exists()
    assert "simt: out of bounds in global memory, kernel beyond, 10 times\n" in done.stderr
    assert without_streams(done.stderr).count("\nsimt: ") == 1


# The host frees, while the kernel waits for it, what the kernel has touched, or something else.
FREE = """
#include <thread>
__global__ void waits(int *a, int *stage)
{
    for (int turn = 0; turn < 2; turn++) {
        a[0] = turn;
        for (int i = 0; i < 1000; i++)
            atomicAdd(&stage[2], 1);
        atomicExch(&stage[0], 1);
        while (atomicAdd(&stage[1], 0) == 0)
            ;
    }
}

int main(int argc, char **)
{
    int *a, *b, *stage;
    cudaMalloc(&a, 1024);
    cudaMalloc(&b, 1024);
    cudaMallocManaged(&stage, 3 * sizeof(int));
    cudaMemset(stage, 0, 3 * sizeof(int));
    std::thread frees([=] {
        while (__atomic_load_n(&stage[0], __ATOMIC_SEQ_CST) == 0)
            ;
        cudaFree(argc > 1 ? b : a);
        __atomic_store_n(&stage[1], 1, __ATOMIC_SEQ_CST);
    });
    waits<<<1, 1>>>(a, stage);
    frees.join();
    cudaDeviceSynchronize();
}
"""


def test_one_frees_and_ends(tmp_path):
    """What it frees is not the kernel's any more. Otherwise it changes what the kernel waits for,
    and is gone before anybody has looked again: that is no deadlock, however often."""
    program = simtcc(FREE, tmp_path / "free.cu")
    done = run(program)
    assert done.returncode == 4 and "out of bounds in global memory" in done.stderr, done.stderr
    for _ in range(60):
        done = run(program, "other")
        assert (done.returncode, done.stderr) == (0, "")

"""Where a warp's request goes is looked up once, and what was found is kept: by the instruction, as
long as nothing is freed. Requests that leave their array, lanes in several, memory that is freed
while a kernel runs."""

import re

import pytest

from backend import ROOT, run, simtcc

# Name: what each thread t of two blocks of 64, the g-th of all, does with a and b, of 256 ints each,
# and the block's s; what is told.
BOUNDS, RACE = "out of bounds in global memory", "race in global memory"
CASES = {
    "turns within two arrays": ("for (int k = 0; k < 4; k++)\n        (k % 2 ? a : b)[g] += k;",
                                None),
    "the last turn leaves the array": ("for (int k = 0; k < 4; k++)\n"
                                       "        atomicExch(&a[k * 43 + g], 1);", BOUNDS),
    "one lane leaves the array": ("for (int k = 0; k < 4; k++)\n"
                                  "        (k % 2 ? a : b)[k == 3 && g == 77 ? 256 : g] = k;",
                                  BOUNDS),
    "one lane in front of the array": ("for (int k = 0; k < 4; k++)\n"
                                       "        a[k == 3 && g == 40 ? -1 : g] = k;", BOUNDS),
    "lanes in two arrays": ("for (int k = 0; k < 2; k++)\n        (t % 2 ? a : b)[g] = k;", None),
    "of lanes in two arrays one leaves": ("for (int k = 0; k < 2; k++)\n"
                                          "        (t % 2 ? a : b)[k && g == 5 ? 300 : g] = k;",
                                          BOUNDS),
    "lanes in two arrays race": ("for (int k = 0; k < 2; k++)\n        (t % 2 ? a : b)[t] = g;",
                                 RACE),
    "lanes of two spaces": ("s[t] = 1;\n    for (int k = 0; k < 2; k++)\n"
                            "        (t % 2 ? a + g : s + t)[0] += k;", None),
    "lanes of two spaces race": ("s[t] = 1;\n    for (int k = 0; k < 2; k++)\n"
                                 "        (t % 2 ? a + t : s + t)[0] = g;", RACE),
    "a variable and an array": ("for (int k = 0; k < 2; k++)\n"
                                "        atomicAdd(t % 2 ? a + t : &total, 1);", None),
}
KERNEL = """
__global__ void k%d(int *a, int *b)
{
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * 64 + t;

    %s
    if (!a) /* never, but the compiler must keep what is stored */
        b[t] = s[t] + g;
}
"""
# The host frees, while the kernel waits for it, what the kernel has touched: long ago enough for
# that to have been looked at, since a thread's log is full after some hundreds of atomics.
FREED = """
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
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    kernels = "".join(KERNEL % (k, body) for k, (body, _) in enumerate(CASES.values()))
    calls = "".join(f"    case {k}: k{k}<<<2, 64>>>(a, b); break;\n" for k in range(len(CASES)))
    return simtcc(f"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
__device__ int total;
{kernels}
{FREED}
int main(int, char **argv)
{{
    cudaMalloc(&a, 256 * sizeof(int));
    cudaMalloc(&b, 256 * sizeof(int));
    cudaMemset(a, 0, 256 * sizeof(int));
    cudaMemset(b, 0, 256 * sizeof(int));
    switch (atoi(argv[1])) {{
{calls}
    case 100: free_meanwhile(a); break;
    case 101: free_meanwhile(b); break;
    }}
    cudaDeviceSynchronize();
    return 0;
}}
""", tmp_path_factory.mktemp("arrays") / "arrays.cu")


def told(program, case):
    done = run(program, case)
    return done.returncode, done.stderr


@pytest.mark.parametrize("name", CASES)
def test_where_lanes_go(program, name):
    """A place that was right before is not taken for right afterwards, and no word for another."""
    expected = CASES[name][1]
    status, text = told(program, list(CASES).index(name))
    assert status == (4 if expected else 0), text
    assert (expected or "") in text
    assert text.count("simt: ") == (1 if expected else 0), text


def test_freed_while_the_kernel_runs(program):
    """What the host frees meanwhile is not the kernel's any more; another array still is."""
    status, text = told(program, 100)
    assert status == 4 and BOUNDS in text, text


def test_host_thread_that_ends(program):
    """It changes what the kernel waits for, and is gone before anybody has looked again: that is no
    deadlock, however often (one of twenty was told as one)."""
    for _ in range(60):
        assert told(program, 101) == (0, "")


def test_bench(simt):
    """The table of costs: times and ratios, all above 0, in 80 columns."""
    done = run(ROOT / "simt/bench.sh", "an access", env={"SIMTCC_TOOLS_READY": "1"})
    assert (done.returncode, done.stderr) == (0, "")
    head, row = done.stdout.splitlines()
    assert max(len(head), len(row)) <= 80
    figures = [float(x) for x in re.findall(r"[\d.-]+(?=x?(?: |$))", row)]
    assert len(figures) == 9 and min(figures) > 0

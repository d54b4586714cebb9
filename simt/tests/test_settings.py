"""SIMT_ORDER, the order of the threads."""

import pytest

from backend import run, said, simtcc

BLOCKS, THREADS = 24, 96
ALL = list(range(BLOCKS * THREADS))
SOURCE = """
#include <stdio.h>

__device__ int come, who[24 * 96];

__global__ void come_in()
{
    who[come++] = blockIdx.x * 96 + threadIdx.x; /* one OS thread runs one of them at a time */
}

int main()
{
    int order[24 * 96];

    come_in<<<24, 96>>>();
    if (cudaMemcpyFromSymbol(order, who, sizeof order) != cudaSuccess)
        return 1;
    for (int i : order)
        printf("%d ", i);
}
"""


@pytest.fixture(scope="module")
def order_of(tmp_path_factory):
    program = simtcc(SOURCE, tmp_path_factory.mktemp("settings") / "order.cu")
    return lambda seed: [int(word) for word in said(run(
        program, env={"SIMT_CHECKS": "off", "SIMT_ORDER": str(seed)})).split()]


def firsts(numbers):
    return list(dict.fromkeys(numbers))


def test_order(order_of):
    """Threads run as they are numbered. A seed shuffles blocks, the warps of a block and the lanes of a
    warp; each thread runs once."""
    assert order_of(0) == order_of("") == ALL
    one, *others = orders = [order_of(seed) for seed in (1, 7, 4294967295)]
    assert one not in others and one == order_of(1)
    for order in orders:
        assert sorted(order) == ALL
        blocks = firsts(i // THREADS for i in order)
        assert blocks != sorted(blocks)
        shuffled = {"warps": 0, "lanes": 0}
        for block in blocks:
            threads = [i % THREADS for i in order if i // THREADS == block]
            warps = firsts(i // 32 for i in threads)
            shuffled["warps"] += warps != sorted(warps)
            shuffled["lanes"] += all([i for i in threads if i // 32 == warp] !=
                                     list(range(32 * warp, 32 * warp + 32)) for warp in warps)
        assert shuffled["warps"] > BLOCKS / 2 and shuffled["lanes"] == BLOCKS

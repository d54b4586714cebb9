"""Each variable of the environment that steers the CPU backend, and each option that wins over one,
does what it says: order, checks, counters, trace, and simtcc's own. (SIMT_WATCHDOG: test_hangs.py.)"""

import shutil

import pytest

from harness import ROOT, build, replay, run, script, shell, simtcc

# ---- order: a reduction that tells in which order its threads came ----

BLOCKS, THREADS = 24, 96
ALL = list(range(BLOCKS * THREADS))
SOURCE = """
#include "lab.h"

#include <stdio.h>

__device__ int come, who[24 * 96];

__global__ void come_in(const elem_t *in, elem_t *out, size_t n)
{
    int i = blockIdx.x * 96 + threadIdx.x;

    who[come++] = i; /* one OS thread runs one of them at a time */
    for (size_t k = 0; i == 0 && k < n; k++)
        *out = (k ? *out : 0) + in[k];
}

static void reduce(const elem_t *in, elem_t *out, elem_t *, size_t n)
{
    int order[24 * 96];

    come_in<<<24, 96>>>(in, out, n);
    CHECK(cudaMemcpyFromSymbol(order, who, sizeof order));
    for (int i : order)
        fprintf(stderr, "%d ", i);
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
"""


@pytest.fixture(scope="module")
def order_of(tmp_path_factory):
    objects = sorted((build(steps=("03",)) / "common").glob("*.o"))
    program = simtcc(SOURCE, tmp_path_factory.mktemp("settings") / "10-settings/main.cu",
                     "-Icommon", "-DTYPE=int", "-DBLOCK=96", *objects)

    def order(seed, *options):
        env = {"SIMT_CHECKS": "off", "SIMT_ORDER": str(seed)}
        done = run(program, "-n", 100, "--csv", *options, env=env)
        assert done.returncode == 0, done.stderr
        return [int(word) for word in done.stderr.split()]

    return order


def firsts(numbers):
    return list(dict.fromkeys(numbers))


def test_order(order_of):
    """As numbered; or, as the seed says, shuffled: blocks, the warps of a block and the lanes of a
    warp, and each thread comes once. The option's seed wins over the variable's."""
    assert order_of(0) == order_of("") == order_of(7, "--order", 0) == ALL
    one, *others = orders = [order_of(seed) for seed in (1, 7, 4294967295)]
    assert one not in others and one == order_of("", "--order", 1) == order_of(2, "--order", 1)
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


# ---- others ----

def test_golden_costs(tmp_path):
    """Each column is of its build and its settings, whatever those of the user are; of its turns
    the fastest counts."""
    shutil.copy(ROOT / "simt/bench.sh", tmp_path)
    script(tmp_path / "simtcc", """cat >"$3" <<END
#!/bin/sh
echo "$SIMTCC_HOOKS \\$SIMT_CHECKS \\$SIMT_COUNTERS \\$SIMT_ORDER" >>$LOG
[ "\\$SIMT_CHECKS \\$SIMT_COUNTERS" != "$FAILS" ] || exit 4
[ $SIMTCC_HOOKS = off ] && ns=0.5 || ns=1.5
[ \\$(wc -l <$LOG) -gt 5 ] || ns=7
echo "\\$ns one kernel"
END
chmod +x "$3\"""")
    replay("bench-simt.txt", shell(tmp_path, LOG=str(tmp_path / "log"), SIMT_ORDER="7", FAILS="x",
                                   SIMT_COUNTERS="csv", SIMTCC_HOOKS="off", LC_ALL="C.UTF-8"))

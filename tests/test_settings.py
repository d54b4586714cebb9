"""Each variable of the environment that steers the CPU backend, and each option that wins over one,
does what it says: order, checks, counters, trace, and simtcc's own. (SIMT_WATCHDOG: test_hangs.py.)"""

import os
import json
import re
import shutil

import pytest

from harness import ROOT, assert_refused, build, run, simtcc

# A reduction that tells how it was run: how many blocks were there at the same time, on how many OS
# threads, and in which order threads came. Blocks wait until WANT of them are there, or one has
# looked PATIENCE times; each thread does WORK.
SOURCE = """
#include "lab.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 24, THREADS = 96, ALL = BLOCKS * THREADS };

__device__ int present, met, most, come, who[ALL], done;

__global__ void work(int times)
{
    while (times-- > 0)
        atomicAdd(&done, 1);
}

__global__ void meet(int want, long patience)
{
    int here = atomicAdd(&present, 1) + 1;

    atomicMax(&most, here);
    /* who looks at the clock does not hand its turn to other blocks */
    while (here < want && patience-- > 0 && !atomicAdd(&met, 0) && clock64() >= 0)
        ;
    atomicExch(&met, 1);
    atomicSub(&present, 1);
}

__global__ void come_in(const elem_t *in, elem_t *out, size_t n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;

    who[come++] = i; /* one OS thread runs one of them at a time */
    for (size_t k = 0; i == 0 && k < n; k++)
        *out = (k ? *out : 0) + in[k];
}

static int setting(const char *name, int otherwise)
{
    return getenv(name) ? atoi(getenv(name)) : otherwise;
}

static int os_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = -2; /* . and .. */

    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    int at_once, order[ALL];

    (void)scratch;
    work<<<BLOCKS, THREADS>>>(setting("WORK", 0));
    meet<<<BLOCKS, 1>>>(setting("WANT", 1), setting("PATIENCE", 1 << 30));
    come_in<<<BLOCKS, THREADS>>>(in, out, n);
    CHECK(cudaMemcpyFromSymbol(&at_once, most, sizeof at_once));
    CHECK(cudaMemcpyFromSymbol(order, who, sizeof order));
    fprintf(stderr, "%d at once, %d OS threads\\n", at_once, os_threads());
    for (int i = 0; i < ALL; i++)
        fprintf(stderr, "%d ", order[i]);
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
"""

BLOCKS, THREADS = 24, 96


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("settings")
    objects = sorted((build(steps=("03",)) / "common").glob("*.o"))
    return simtcc(SOURCE, folder / "10-settings/main.cu", "-Icommon", "-DTYPE=int", "-DBLOCK=96",
                  *objects)


def told(program, *options, **env):
    """How it was run: blocks at once, OS threads, the order in which threads came."""
    env = {"SIMT_CHECKS": "off"} | {name: str(value) for name, value in env.items()}
    done = run(program, "-n", 100, "--csv", *options, env=env)
    assert done.returncode == 0, done.stderr
    threads, order = done.stderr.splitlines()
    return *map(int, re.findall(r"\d+", threads)), [int(word) for word in order.split()]


# ---- one OS thread ----

def test_blocks_that_wait_for_each_other(program):
    """As many as that are there at the same time, by turns, on one OS thread."""
    for number in 1, 2, 7, 16:
        assert told(program, WANT=number)[:2] == (number, 1)


def test_the_old_setting_is_told(program):
    done = run(program, "-n", 100, "--csv", env={"SIMT_THREADS": "2", "SIMT_CHECKS": "off"})
    assert done.returncode == 0
    assert done.stderr.count("simt: SIMT_THREADS is not used any more") == 1


# ---- order ----

ALL = list(range(BLOCKS * THREADS))


def firsts(numbers):
    return list(dict.fromkeys(numbers))


def order_of(program, *options, **env):
    return told(program, *options, **{} | env)[2]


def test_order_as_numbered(program):
    for options, env in [([], {}), ([], {"SIMT_ORDER": 0}), ([], {"SIMT_ORDER": ""}),
                         (["--order", 0], {}), (["--order", 0], {"SIMT_ORDER": 7})]:
        assert order_of(program, *options, **env) == ALL


def test_order_shuffled(program):
    """Blocks, the warps of a block and the lanes of a warp; each thread comes once."""
    for seed in 1, 7, 4294967295:
        order = order_of(program, SIMT_ORDER=seed)
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


def test_order_is_the_seed_s(program):
    orders = [order_of(program, SIMT_ORDER=seed) for seed in (1, 2, 3, 1)]
    assert orders[0] == orders[3] and len(set(map(tuple, orders))) == 3
    assert order_of(program, "--order", 1) == orders[0]
    assert order_of(program, "--order", 1, SIMT_ORDER=2) == orders[0]


# ---- simtcc's ----

def test_another_compiler(tmp_path):
    """CXX is what compiles and links."""
    (tmp_path / "cxx").write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/calls\nexec g++ "$@"\n')
    (tmp_path / "cxx").chmod(0o755)
    (tmp_path / "x.cu").write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
    done = run(ROOT / "simt/simtcc", tmp_path / "x.cu", "-o", tmp_path / "x",
               env={"CXX": str(tmp_path / "cxx"), "SIMTCC_TOOLS_READY": "1"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    calls = (tmp_path / "calls").read_text().splitlines()  # it is asked who it is, too
    assert len([call for call in calls if call != "-v"]) == 3
    assert run(tmp_path / "x").returncode == 0


# ---- what simulation costs ----

def test_costs_of_simulation(tmp_path):
    """A row a kernel, each with the time of an access."""
    program = simtcc((ROOT / "simt/bench.cu").read_text(), tmp_path / "bench.cu")
    done = run(program, "tree", env={"SIMT_COUNTERS": "csv"})
    assert re.fullmatch(r"\d+\.\d{3} tree\n", done.stdout) and ",shared,load," in done.stderr


def test_table_of_costs(tmp_path):
    """Each column is of its build and its settings, whatever those of the user are; of its turns
    the fastest counts."""
    shutil.copy(ROOT / "simt/bench.sh", tmp_path)
    (tmp_path / "simtcc").write_text("""#!/bin/sh
cat >"$3" <<END
#!/bin/sh
echo "$SIMTCC_HOOKS \\$SIMT_CHECKS \\$SIMT_COUNTERS \\$SIMT_ORDER" >>$LOG
[ "\\$SIMT_CHECKS \\$SIMT_COUNTERS" != "$FAILS" ] || exit 4
[ $SIMTCC_HOOKS = off ] && ns=0.5 || ns=1.5
[ \\$(wc -l <$LOG) -gt 5 ] || ns=7
echo "\\$ns one kernel"
END
chmod +x "$3"
""")
    (tmp_path / "simtcc").chmod(0o755)
    env = {"LOG": str(tmp_path / "log"), "SIMT_ORDER": "7", "SIMT_COUNTERS": "csv", "FAILS": "x",
           "SIMTCC_HOOKS": "off", "LC_ALL": "C.UTF-8"}
    done = run(tmp_path / "bench.sh", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split() == ["one", "kernel", "0.50", *4 * ["1.5", "3.0x"]]
    assert (tmp_path / "log").read_text().splitlines() == 2 * [
        "off off off ", "on off off ", "on off csv ", "on on off ", "on on csv "]
    done = run(tmp_path / "bench.sh", env=env | {"FAILS": "on off"})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "make bench-simt: column 4: ended with status 4\n"
    done = run(tmp_path / "bench.sh", env=env | {"TMPDIR": str(tmp_path / "none")})
    assert_refused(done, 2, f"make bench-simt: TMPDIR={tmp_path}/none: no folder")


def test_too_little_memory_for_the_checks(tmp_path):
    """Said once, before anything runs, where the records of all that is allocated cannot fit: those
    of half the computer's memory, which is the device's. The kernel, which uses little, is judged."""
    program = simtcc("""
__global__ void set(int *p)
{
    p[0] = 1;
}

int main(int argc, char **)
{
    int *p;
    size_t left, all;
    bool large = argc > 1 && cudaMemGetInfo(&left, &all) == cudaSuccess;
    if (cudaMalloc(&p, large ? left - (1 << 20) : 1 << 20) != cudaSuccess)
        return 1;
    for (int i = 0; i < 2; i++)
        set<<<1, 1>>>(p + 16 * i);
    return cudaDeviceSynchronize() != cudaSuccess;
}
""", tmp_path / "large.cu")
    small, done = run(program), run(program, "large")
    assert (small.returncode, small.stderr) == (0, "")
    assert done.returncode == 0 and done.stderr.count("simt:") == 1
    assert re.fullmatch(r"simt: checking .* all [\d.]+ GiB allocated needs [\d.]+ GiB more;\n"
                        r"  [\d.]+ GiB are free. SIMT_CHECKS=off needs none\n", done.stderr)
    assert max(map(len, done.stderr.splitlines())) <= 80
    off = run(program, "large", env={"SIMT_CHECKS": "off"})
    assert (off.returncode, off.stderr) == (0, "")


def test_steps_write_it_too(tmp_path):
    file = tmp_path / "report.json"
    step = build(steps=("03",)) / "step03"
    done = run(step, "-n", 1000, env={"SIMT_REPORT": str(file)})
    assert done.returncode == 0
    assert json.loads(file.read_text())["findings"] == []
    done = run(step, "-n", "x", env={"SIMT_REPORT": str(file)})
    assert json.loads(file.read_text())["status"] == done.returncode == 2
    assert_refused(run(step, env={"SIMT_REPORT": str(tmp_path / "none/x")}), 2, "SIMT_REPORT=")

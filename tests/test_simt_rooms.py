"""The rooms of simt/: who may include whom, and that what runs needs nobody who watches."""

import re

import pytest

from conftest import ROOT, run

SIMT = ROOT / "simt"
# From low to high; "" is simt/ itself, whose one file starts and ends a program. compile/ is a
# program of its own.
RANKS = {"include": 0, "run": 1, "watch": 2, "judge": 3, "": 4}
# Arithmetic: they know the events and nothing else, least of all files or other threads.
PURE = {"watch/merge", "watch/cost"}


def module(path):
    """A .c and the .h that declares it are one."""
    return path.rsplit(".", 1)[0]


def room(path):
    return path.rpartition("/")[0]


def includes(folder):
    """(file, what it includes of the folder), both from there."""
    found = []
    for path in sorted(folder.rglob("*.[ch]")):
        for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
            for place in name, f"include/{name}":
                if (folder / place).exists():
                    found.append((path.relative_to(folder).as_posix(), place))
    return found


def wrong_arrows(arrows):
    """Those that go up, or leave or enter compile/."""
    def allowed(a, b):
        if "compile" in (a, b):
            return a == b
        return RANKS[b] <= RANKS[a]
    return [(file, other) for file, other in arrows if not allowed(room(file), room(other))]


def circle(arrows):
    """Modules that include each other in a circle, or []."""
    follows = {}
    for file, other in arrows:
        if module(file) != module(other):
            follows.setdefault(module(file), set()).add(module(other))

    def search(path):
        for after in sorted(follows.get(path[-1], ())):
            if after in path:
                return path[path.index(after):]
            found = after not in done and search([*path, after])
            if found:
                return found
        done.add(path[-1])
        return []

    done = set()
    return next(filter(None, map(search, ([start] for start in sorted(follows)))), [])


def test_arrows_go_down():
    arrows = includes(SIMT)
    assert len(arrows) > 100 and {room(file) for file, _ in arrows} == {*RANKS, "compile"}
    assert wrong_arrows(arrows) == []
    assert circle(arrows) == []
    for file, other in arrows:
        if module(file) in PURE:
            assert other in (module(file) + ".h", "run/event.h"), (file, other)


@pytest.mark.parametrize("arrow", [("run/block.c", "watch/hooks.h"), ("watch/count.h", "judge/race.h"),
                                   ("compile/rewrite.c", "run/end.h")])
def test_a_wrong_arrow_is_seen(arrow):
    assert wrong_arrows([*includes(SIMT), arrow]) == [arrow]


def test_a_circle_is_seen():
    assert sorted(circle([*includes(SIMT), ("run/lane.h", "run/observer.h")])) == [
        "run/lane", "run/observer"]


# ---- what runs, alone ----

KERNELS = """
#include <cstdio>
__device__ int total;

__global__ void add(const int *in, int n)
{
    __shared__ int sums[8];
    unsigned tid = threadIdx.x;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (tid % 32 == 0)
        sums[tid / 32] = sum;
    __syncthreads();
    if (tid == 0) {
        for (int i = 1; i < 8; i++)
            sum += sums[i];
        atomicAdd(&total, sum);
    }
}

__global__ void never(void)
{
    if (threadIdx.x == 0)
        __syncwarp(3);
    else
        __syncthreads();
}

int main(int argc, char **)
{
    int *in, sum, n = 100000;
    cudaMallocManaged(&in, n * sizeof *in);
    for (int i = 0; i < n; i++)
        in[i] = i % 7;
    add<<<40, 256>>>(in, n);
    cudaMemcpyFromSymbol(&sum, total, sizeof sum);
    printf("%d\\n", sum);
    if (argc > 1) {
        never<<<1, 2>>>();
        puts("not reached");
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A program linked with the objects of run/ and no others."""
    folder = tmp_path_factory.mktemp("alone")
    objects = sorted((ROOT / "build/simt/run").glob("*.o"))
    assert len(objects) > 10
    for guard in ROOT.glob("build/simt/guard_*.o"):
        (folder / guard.name).symlink_to(guard)
    assert run("ar", "rcs", folder / "libsimt.a", *objects).returncode == 0
    (folder / "kernels.cu").write_text(KERNELS)
    done = run(SIMT / "simtcc", folder / "kernels.cu", "-o", folder / "kernels",
               env={"SIMT_LIBRARY": str(folder / "libsimt.a"), "SIMTCC_HOOKS": "off",
                    "SIMTCC_TOOLS_READY": "1"})
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "kernels"


def test_run_alone(alone):
    done = run(alone)
    total = sum(i % 7 for i in range(100000))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{total}\n", "")


def test_run_alone_says_why_it_ends(alone):
    done = run(alone, "deadlock")
    assert done.returncode == 4 and done.stdout.count("\n") == 1
    assert done.stderr.startswith("simt: deadlock, kernel never, launched at ")
    line = KERNELS[:KERNELS.index("never<<<")].count("\n") + 1
    assert done.stderr.endswith(f"kernels.cu:{line}\n") and done.stderr.count("\n") == 1

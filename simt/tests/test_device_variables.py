"""What a kernel or the host does to __device__ and __constant__ variables and to memory that is not
there; integer divisions by zero and failed assertions; and the same done right."""

import re

import pytest

from backend import ROOT, run, simtcc, without_streams

FILE = ROOT / "simt/tests/cases/variables.cu"
SOURCE = FILE.read_text()
OTHER = """
__device__ double elsewhere[16];
__device__ double behind[16];
"""
TITLES = {int(case): title for cases, title in re.findall("^// run: (.*) = (.*)$", SOURCE, re.M)
          for case in cases.split(", ")}
TOLD = {}  # case: the line that is told, how often (or ""), words
for number, line in enumerate(SOURCE.splitlines(), 1):
    for case, other, times, words in re.findall(r"(?:case (\d+):.*)?// (?:(\d+) )?x(\d*): ?(.*)", line):
        TOLD[int(case or other)] = (number, times, words)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("variables")
    (folder / "other.cu").write_text(OTHER)
    return simtcc(SOURCE, folder / "main.cu", folder / "other.cu", "-DELSEWHERE",
                  "-Wno-array-bounds", "-Wno-stringop-overread")


@pytest.mark.parametrize("case", TOLD)
def test_told(program, case):
    """At the line of the source that is marked `// xTIMES: words`."""
    line, times, words = TOLD[case]
    done = run(program, case)
    assert done.returncode == 4, done.stderr
    assert set(re.findall(r"^simt: ([^,\n]*)", done.stderr, re.MULTILINE)) == {TITLES[case]}
    assert f"main.cu:{line}  " in done.stderr and words in done.stderr, done.stderr
    if case < 30:
        assert re.search(r"\bthread \(", done.stderr) and "block (0,0,0)" in done.stderr
    told = re.findall(r", (\d+) times$", done.stderr, re.MULTILINE)
    assert times == "" or sum(map(int, told)) == (int(times) if times != "1" else 0), done.stderr


def test_smallest_integer(program):
    """By -1: x86's processors stop there as at a division by zero."""
    done = run(program, 18)
    if done.stdout != "end\n":
        (number,) = [i for i, text in enumerate(SOURCE.splitlines(), 1) if "case 18:" in text]
        assert done.returncode == 5 and f"main.cu:{number})" in done.stderr
        assert "divides the smallest integer by -1 or 0" in done.stderr


def test_right(program):
    done = run(program, 40)
    assert (done.returncode, done.stdout, done.stderr) == (0, "63 4 140\n", "")


def test_nothing_else_is_overwritten(program):
    """Without checks, too: a wrong index stays within the region, or the program ends by name."""
    for case in (0, 1, 2, 3, 4, 8, 11):
        assert run(program, case, env={"SIMT_CHECKS": "off"}).stdout == "end\n"
    for case in (9, 10, 12, 13):
        done = run(program, case, env={"SIMT_CHECKS": "off"})
        assert (done.returncode, done.stdout) == (4, "") and "simt: " in done.stderr


def test_assert_on_the_host(tmp_path):
    """As the C library has it."""
    program = simtcc("#include <cassert>\nint main(int n, char **) { assert(n > 1); }\n",
                     tmp_path / "host.cu")
    done = run(program)
    assert done.returncode == -6 and "host.cu:2: int main(int, char**): Assertion `n > 1' failed." in (
        done.stderr)


THREADS = r"""
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
__global__ void beyond(int *p, int n) { p[n + threadIdx.x] = 1; } // BUG

int main(int argc, char **argv)
{
    std::vector<std::thread> threads;
    int wrong = 0;
    for (int t = 0; t < atoi(argv[1]); t++)
        threads.emplace_back([=, &wrong] {
            cudaStream_t stream;
            int n = 1000 + t, *d, bad = cudaStreamCreate(&stream) != cudaSuccess;
            std::vector<int> h(n);
            for (int round = 0; round < 10; round++) {
                bad += cudaMalloc(&d, n * 4) || cudaMemset(d, 0, n * 4);
                for (int k = 0; k < 2; k++)
                    twice<<<(n + 63) / 64, 64, 0, stream>>>(d, n);
                if (argc > 2 && round == t)
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
def threads(tmp_path_factory):
    return simtcc(THREADS, tmp_path_factory.mktemp("threads") / "threads.cu")


@pytest.mark.parametrize("number", [2, 5, 16])
@pytest.mark.parametrize("env", [{}, {"SIMT_COUNTERS": "csv"},
                                 {"SIMT_CHECKS": "off"}], ids=str)
def test_host_threads_that_launch(threads, number, env):
    """They wait for each other; nothing is found or lost."""
    done = run(threads, number, env=env)
    assert (done.returncode, done.stdout) == (0, "0 wrong\n"), done.stderr
    if "SIMT_COUNTERS" not in env:
        assert without_streams(done.stderr) == ""
        return
    header, *rows = [row.split(",") for row in without_streams(done.stderr).splitlines()]
    assert {len(row) for row in rows} == {len(header)}
    rows = [dict(zip(header, row)) for row in rows]
    stores = [int(row["lanes"]) for row in rows
              if row["op"] == "store" and row["space"] == "global"]
    assert sum(stores) == sum(20 * (1000 + t) for t in range(number))
    assert len({row["launch"] for row in rows}) == 20 * number


def test_host_threads_that_launch_a_bug(threads, tmp_path):
    done = run(threads, 4, "bug", env={"SIMT_TRACE": str(tmp_path / "trace.csv")})
    assert done.returncode == 4 and (tmp_path / "trace.csv").exists()
    assert "simt: out of bounds in global memory, kernel beyond, 8 times\n" in done.stderr
    assert without_streams(done.stderr).count("\nsimt: ") == 1

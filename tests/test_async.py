"""Asynchronous calls, beyond the twins (tests/twins/async.cu): sets of bytes against a plain model,
when copies are made (SIMT_ASYNC), how both ends are told, and what is not judged."""

import json
import random

import pytest

from conftest import ROOT, assert_refused, run, simtcc


# ---- sets of bytes ----

@pytest.fixture(scope="module")
def spans(tmp_path_factory):
    program = tmp_path_factory.mktemp("c") / "spans"
    done = run("gcc", "-std=c11", "-g", "-Wall", "-Wextra", "-Werror",
               "-fsanitize=address,undefined", "-fno-sanitize-recover", "-Isimt", "tests/c/spans.c",
               "simt/judge/spans.c", "simt/run/end.c", "-o", program, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    return program


def ascending(rng):
    """Spans that begin at or behind the last one's begin; they may touch and overlap."""
    begin, found = rng.randrange(10), []
    for _ in range(rng.randrange(8)):
        end = begin + rng.randrange(1, 8)
        found.append((begin, end))
        begin += rng.randrange(12)
    return found


def as_spans(numbers):
    """Maximal runs of a set of numbers, as the driver prints them."""
    edges = [i for i in sorted(numbers | {i + 1 for i in numbers})
             if (i in numbers) != (i - 1 in numbers)]
    return " ".join(map(str, edges))


def test_spans(spans):
    rng = random.Random(5)
    cases = [(rng.choice("jm"), ascending(rng), ascending(rng)) for _ in range(3000)]
    done = run(spans, input="".join(
        f"{what} " + " ".join(f"{len(each)} " + " ".join(f"{b} {e}" for b, e in each)
                              for each in sets) + "\n" for what, *sets in cases))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == len(cases)
    for (what, *sets), line in zip(cases, lines):
        a, b = ({i for begin, end in each for i in range(begin, end)} for each in sets)
        if what == "j":
            assert line == as_spans(a | b), sets
        elif line:
            begin, end = map(int, line.split())
            assert set(range(begin, end)) <= a & b, sets
            assert {begin - 1, end} & a & b == set(), sets
        else:
            assert not a & b, sets


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


@pytest.mark.parametrize("which, late, now", [("early", "0", "5"), ("reused", "2", "1")])
def test_late_shows_the_bug(program, which, late, now):
    """What a program that does not wait computes is wrong, unless asked for otherwise; it is told
    either way."""
    for env, value in ({}, late), ({"SIMT_ASYNC": "late"}, late), ({"SIMT_ASYNC": ""}, late), \
            ({"SIMT_ASYNC": "now"}, now), ({"SIMT_CHECKS": "off"}, late):
        done = run(program, which, env=env)
        assert done.stdout == value + "\n", env
        assert done.returncode == (0 if "SIMT_CHECKS" in env else 4), done.stderr


def test_wrong_setting(program):
    assert_refused(run(program, "early", env={"SIMT_ASYNC": "never"}), 2, "SIMT_ASYNC=never",
                   "late", "now")


def test_without_hooks_nothing_is_late(tmp_path):
    """Nobody would see a host that polls."""
    program = simtcc(PROGRAM, tmp_path / "program.cu", env={"SIMTCC_HOOKS": "off"})
    done = run(program, "early")
    assert (done.returncode, done.stdout) == (0, "5\n"), done.stderr


def test_both_ends_are_told(found):
    (finding,) = found("early")["findings"]
    copy = line_of("cudaMemcpyAsync(h, d, N * sizeof(int), cudaMemcpyDeviceToHost, s);")
    assert finding["id"] == "async-host" and finding["kernel"] is None
    assert [(end["line"], end["operation"], end["bytes"]) for end in finding["ends"]] == [
        (copy + 1, "read", 4), (copy, None, 0)]
    (finding,) = found("streams")["findings"]
    assert finding["id"] == "async-streams" and "of table" in finding["text"]
    assert "cudaMemcpyToSymbolAsync writes" in finding["text"]
    assert "kernel look_up reads" in finding["text"]
    assert [end["line"] for end in finding["ends"]] == [line_of("cudaMemcpyToSymbolAsync(table"),
                                                        line_of("look_up<<<")]


def test_more_in_flight_than_are_kept(found):
    """Nobody is accused of what is not known; what is known is."""
    assert found("many", 1, 10)["not_judged"].startswith("cudaMemcpyAsync: more than 256")
    assert [each["id"] for each in found("many", 1, 399)["findings"]] == ["async-streams"]
    assert found("many", 64, 400)["status"] == 0


def test_flags_between_streams(found):
    report = found("flags")
    assert report["status"] == 5 and "flags" in report["not_judged"]
    assert report["findings"] == []


def test_kernel_that_waits_for_the_host(found):
    report = found("host")
    assert report["status"] == 5 and "waits for the host to write" in report["not_judged"]
    assert [each["id"] for each in found("lock")["findings"]] == ["deadlock"]


def test_wrong_handles(program):
    done = run(program, "handles")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")

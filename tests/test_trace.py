"""The trace: its rows are what the counters count, lane by lane; always the same bytes; written as a
whole or not at all."""

import csv
import itertools
import os
import signal
import sys
from collections import Counter, defaultdict

import pytest

from harness import STEPS, assert_refused, build, input_values, run, simtcc

from tutorial import trace_data

N = 300
REQUEST = "launch", "block", "warp", "request"


def traced(step, file, *options, n=N):
    done = run(build() / f"step{step}", "-n", n, "--trace", file, "--csv", *options)
    assert (done.returncode, done.stderr) == (0, "")
    return file.read_text()


def parsed(text):
    header, *lines = text.splitlines()
    assert header == ",".join(trace_data.COLUMNS)
    return [{key: int(value) if value.isdigit() and key != "array" else value
             for key, value in row.items()} for row in csv.DictReader([header, *lines])]


def requests_of(rows):
    return [list(lanes) for _, lanes in itertools.groupby(
        rows, key=lambda row: [row[key] for key in REQUEST])]


def sectors(lanes):
    return len({(row["array"], byte // 32) for row in lanes
                for byte in range(row["offset"], row["offset"] + row["bytes"])})


def wavefronts(lanes):
    """All accesses are of 4 bytes."""
    words = {row["offset"] // 4 for row in lanes}
    return max(Counter(word % 32 for word in words).values())


@pytest.mark.parametrize("step", STEPS)
def test_counters_follow(step, tmp_path):
    """Requests, lanes, sectors and wavefronts of every line, worked out from the addresses."""
    rows = parsed(traced(step, tmp_path / "trace.csv"))
    sums = defaultdict(lambda: [0, 0, 0, 0])
    for lanes in requests_of(rows):
        first = lanes[0]
        cost = [sectors(lanes) if first["space"] == "global" else 0,
                wavefronts(lanes) if first["space"] == "shared" else 0]
        assert {(row["sectors"] or 0, row["wavefronts"] or 0) for row in lanes} == {tuple(cost)}
        key = tuple(str(first[name]) for name in ("launch", "file", "line", "space", "op"))
        sums[key] = [a + b for a, b in zip(sums[key], [1, len(lanes), *cost])]
    done = run(build() / f"step{step}", "-n", N, "--counters=csv")
    counted = {tuple(row[name] for name in ("launch", "file", "line", "space", "op")):
               [int(row[name] or 0) for name in ("requests", "lanes", "sectors", "wavefronts")]
               for row in csv.DictReader(done.stdout.splitlines()) if row["space"] != "control"}
    assert dict(sums) == counted and len(counted) >= 5


def test_rows(tmp_path):
    """Sorted and complete: launches with their size, a warp's requests numbered without a gap, each
    lane once; what has no meaning is empty."""
    rows = parsed(traced("07", tmp_path / "trace.csv", n=20001))
    keys = [[row[key] for key in (*REQUEST, "lane")] for row in rows]
    assert keys == sorted(keys) and len({tuple(key) for key in keys}) == len(keys)
    assert {(row["launch"], row["blocks"], row["threads"]) for row in rows} == {
        (1, 5, 256), (2, 1, 256)}
    numbers = defaultdict(list)
    for lanes in requests_of(rows):
        numbers[tuple(lanes[0][key] for key in REQUEST[:3])].append(lanes[0]["request"])
    assert all(found == list(range(len(found))) for found in numbers.values())
    assert len(numbers) == 6 * 8
    for row in rows:
        assert (row["array"] == "") == (row["space"] == "sync") == (row["bytes"] == "")
        assert (row["sectors"] != "") == (row["space"] == "global")
        assert (row["wavefronts"] != "") == (row["space"] == "shared")
        assert (row["from"] != "") == (row["op"] == "shuffle")
        assert (row["value"] != "") == (row["array"] != "")
    assert {(row["array"], row["array_bytes"]) for row in rows if row["array"]} == {
        ("in", 4 * 20001), ("scratch", 4 * 20001), ("s", 128), ("out", 4)}


@pytest.mark.parametrize("step", STEPS)
def test_the_sum_can_be_followed(step, tmp_path):
    """The values of a step's trace alone give its sum: what is loaded of the input, each partial
    sum as it was stored, and the result; what is read was stored before."""
    trace = tmp_path / "trace.csv"
    traced(step, trace)
    scratch = {row["array_bytes"] for row in parsed(trace.read_text()) if row["array"] == "scratch"}
    assert scratch <= {max(4 * N, 64 * 1024)}  # there is always so much
    values = list(itertools.islice(input_values("int"), N))
    memory, loads = {"in": dict(enumerate(values))}, 0
    for row in parsed(trace.read_text()):
        if row["space"] != "global":
            continue
        (value,) = trace_data.Access("", 0, 0, 4, row["value"]).numbers("int")
        cell, array = row["offset"] // 4, memory.setdefault(row["array"], {})
        if row["op"] == "store":
            array[cell] = value
        else:
            assert array[cell] == value
            loads += row["array"] == "in"
    assert loads == N and memory["out"][0] == sum(values)


VALUES = r"""
__global__ void values(int4 *v, double *d, float *f, char *c, unsigned *n)
{
    __shared__ short h[64];
    unsigned t = threadIdx.x;
    int4 four = v[t]; four.z = -1; v[t] = four; // vector
    h[t] = -2 * (int)t; // short
    __syncthreads();
    d[t] = h[t] + 0.5; // double
    memset(c + 3 * t, t, 3); // memset
    atomicAdd(f, 0.5f); // add
    atomicCAS(n, t, t + 1); // compare
    for (int i = 0; i < 200 && t == 7; i++)
        ((volatile unsigned *)n)[1] = i; // loop
    if (t == 31)
        n[2] = 9; // last
}

int main()
{
    int *p;
    if (cudaMalloc(&p, 4096) || cudaMemset(p, 0, 4096))
        return 1;
    values<<<1, 32>>>((int4 *)p, (double *)(p + 128), (float *)(p + 192), (char *)(p + 256),
                      (unsigned *)(p + 384));
    return cudaDeviceSynchronize();
}
"""


def test_values(tmp_path):
    """Of each size; of memset and atomics; of more than fits a log at once; of a thread's last
    store."""
    program, file = simtcc(VALUES, tmp_path / "values.cu"), tmp_path / "trace.csv"
    assert run(program, env={"SIMT_TRACE": str(file)}).returncode == 0
    lines = {number: text.split("// ")[1] for number, text in enumerate(VALUES.splitlines(), 1)
             if "; // " in text}
    found = defaultdict(list)
    for row in parsed(file.read_text()):
        if row["array"]:
            found[lines[row["line"]], row["op"], row["lane"]].append(
                trace_data.Access("", 0, 0, row["bytes"], row["value"]))

    def numbers(type, *key):
        return [access.numbers(type) for access in found[key]]

    for t in range(32):
        assert numbers("int", "vector", "load", t) == [(0, 0, 0, 0)]
        assert numbers("int", "vector", "store", t) == [(0, 0, -1, 0)]
        assert numbers("short", "short", "store", t) == numbers("short", "double", "load", t) == [
            (-2 * t,)]
        assert numbers("double", "double", "store", t) == [(0.5 - 2 * t,)]
        assert b"".join(bytes.fromhex(access.value[2:])[::-1]
                        for access in found["memset", "store", t]) == bytes([t] * 3)
        assert numbers("float", "add", "atomic", t) == [(t / 2, 0.5)]
        assert numbers("unsigned", "compare", "atomic", t) == [(t, t, t + 1)]
    assert numbers("unsigned", "loop", "store", 7) == [(i,) for i in range(200)]
    assert numbers("unsigned", "last", "store", 31) == [(9,)]
    assert found["short", "store", 0][0].numbers("int") is None


def test_instructions(tmp_path):
    """s[tid] += s[tid + stride]: three of them, told apart."""
    rows = parsed(traced("03", tmp_path / "trace.csv"))
    source = STEPS["03"].read_text().splitlines()
    adds = {(row["instruction"], row["op"]) for row in rows
            if source[row["line"] - 1].strip() == "s[tid] += s[tid + stride];"}
    assert sorted(adds) == [(1, "load"), (2, "load"), (3, "store")]


@pytest.mark.parametrize("step", ["00", "02", "05", "07"])
def test_always_the_same(step, tmp_path):
    first = traced(step, tmp_path / "1.csv")
    assert traced(step, tmp_path / "3.csv", "--order", 7) == first
    assert traced(step, tmp_path / "4.csv", "-w", 3) == first  # the first reduction only


def test_nothing_is_left_behind(tmp_path):
    """Bad usage, or too long a trace: no file, no half of one; what was there stays."""
    program, file = build() / "step03", tmp_path / "trace.csv"
    for before in None, "what was there":
        if before:
            file.write_text(before)
        for options in [], ["-n", "x"]:
            assert_refused(run(program, "--trace", file, *options), 2, "step03: ")
        # a limit of a few blocks, as on a full disk; it has a signal of its own
        full = run("bash", "-c", 'ulimit -f 8; exec "$@"', "sh", program, "-n", N, "--csv",
                   "--trace", file)
        assert full.returncode == 3 and full.stderr == (
            f"simt: {file}: the trace cannot be written: File too large\n")
        assert [path.name for path in tmp_path.iterdir()] == (["trace.csv"] if before else [])
    done = run(program, "-n", "2^18", env={"SIMT_TRACE": str(file)})
    assert_refused(done, 2, "simt: a trace of more than 2097152 rows", f"{file} is not written")
    assert file.read_text() == "what was there"


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP", "QUIT"])
def test_interrupted(tmp_path, name):
    """While the file is written, when source lines are asked for: it becomes whole, and nothing
    else is left."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/addr2line").write_text(f"#!/bin/sh\nkill -{name} $PPID; sleep 0.3\n")
    (tmp_path / "bin/addr2line").chmod(0o755)
    env, signals = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}, tmp_path / "folder"
    signals.mkdir()
    for trap, status in (":", -getattr(signal, "SIG" + name)), (f'trap "" {name}', 0):
        # what the tests were started with may ignore it
        done = run(sys.executable, "-c", "import os, signal, sys; signal.signal("
                   f"signal.SIG{name}, signal.SIG_DFL); os.execvp('sh', sys.argv[1:])", "sh", "-c",
                   trap + '; exec "$@"', "sh", build() / "step03", "-n", N, "--csv", "--trace",
                   signals / "trace.csv", env=env)
        assert done.returncode in (status, 0) and done.stderr == ""
        assert os.listdir(signals) == ["trace.csv"]


def test_file_is_replaced(tmp_path):
    """With the permissions of a new file; a link stays one."""
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    text = traced("03", tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "real.csv").read_text() == text
    assert (tmp_path / "real.csv").stat().st_mode & 0o444 == 0o444
    assert len(list(tmp_path.iterdir())) == 2


def test_option_wins(tmp_path):
    env = {"SIMT_TRACE": str(tmp_path / "variable.csv")}
    program = build() / "step03"
    assert run(program, "-n", N, env=env).returncode == 0
    text = (tmp_path / "variable.csv").read_text()
    (tmp_path / "variable.csv").unlink()
    assert run(program, "-n", N, "--trace", tmp_path / "option.csv", env=env).returncode == 0
    assert (tmp_path / "option.csv").read_text() == text
    assert len(list(tmp_path.iterdir())) == 1
    assert run(program, "-n", N, env={"SIMT_TRACE": ""}, cwd=tmp_path).returncode == 0
    assert len(list(tmp_path.iterdir())) == 1


PROGRAM = """
__device__ int total;

__global__ void kernel(int4 *in, int *out)
{
    extern __shared__ double d[];
    unsigned tid = threadIdx.x + 8 * threadIdx.y;
    d[tid] = in[tid].x;
    if (tid < 40)
        atomicAdd(&total, 1);
    out[0] = (int)d[tid];  // a race
}

int main(int argc, char **argv)
{
    int4 *in;
    int *out;
    cudaMalloc(&in, 48 * sizeof *in);
    cudaMalloc(&out, sizeof *out);
    kernel<<<dim3(2, 2), dim3(8, 6), 48 * sizeof(double)>>>(in, out);
    if (argc > 1)
        __builtin_trap();
    return cudaDeviceSynchronize();
}
"""


def test_any_program(tmp_path):
    """With its findings told as ever; one that crashes leaves nothing."""
    program, file = simtcc(PROGRAM, tmp_path / "kernel.cu", "-Wno-unused"), tmp_path / "trace.csv"
    env = {"SIMT_TRACE": str(file)}
    assert run(program, "x", env=env).returncode == 4 and not file.exists()
    plain, done = run(program), run(program, env=env)
    assert (plain.returncode, done.returncode) == (4, 4)
    assert "race in global memory" in done.stderr and done.stderr == plain.stderr
    rows = parsed(file.read_text())
    assert {(row["blocks"], row["threads"], row["block"]) for row in rows} == {
        (4, 48, block) for block in range(4)}
    assert {(row["array"], row["array_bytes"], row["bytes"], row["op"]) for row in rows
            if row["array"] != "__device__"} == {
        ("1", 768, 4, "load"), ("dynamic", 384, 8, "store"), ("dynamic", 384, 8, "load"),
        ("2", 4, 4, "store")}
    atomics = [lanes for lanes in requests_of(rows) if lanes[0]["op"] == "atomic"]
    assert [(len(lanes), lanes[0]["array"]) for lanes in atomics] == [
        (32, "__device__"), (8, "__device__")] * 4

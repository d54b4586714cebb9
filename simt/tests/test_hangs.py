"""Kernels that come to no end, and those that only look like it: blocks that wait for each other all
run at once, as far as the device holds them; what can never go on is a finding at once; the rest is
told after five seconds and stopped by the watchdog, Ctrl-C, or the reader's patience."""

import itertools
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from backend import ENVIRONMENT, ROOT, assert_refused, run, simtcc

SOURCE = (ROOT / "simt/tests/cases/hangs.cu").read_text()
ENDLESS, STRIDE, _, PLAIN, VOLATILE, RACED, ATOMIC, LOCK, NESTED, HOST = range(10)
LOCK_FREED, GIVES_UP, TIME, GRID, GRID_2D, _, BACKWARDS, GRID_SHARED = range(10, 18)


def line(mark):
    (number,) = [i for i, text in enumerate(SOURCE.splitlines(), 1) if text.endswith(f"// {mark}")]
    return f"hangs.cu:{number}"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return simtcc(SOURCE, tmp_path_factory.mktemp("hangs") / "hangs.cu", "-Wno-sign-compare",
                  "-DNESTED")


def start(program, *arguments, env=None, **options):
    return run(program, *arguments, env={} | (env or {}), timeout=120, **options)


@pytest.mark.parametrize("case, blocks, mark", [
    (STRIDE, 2, "barrier"), (PLAIN, 2, "plain"),
    *(pytest.param(ENDLESS, blocks, "endless", marks=pytest.mark.slow) for blocks in (1, 3))])
def test_stopped(program, case, blocks, mark):
    """Nothing was found, and it was not judged to the end: one line says where the threads are."""
    done = start(program, case, blocks, env={"SIMT_WATCHDOG": "1"})
    assert (done.returncode, done.stdout) == (5, "begin\n"), done.stderr
    (told,) = done.stderr.splitlines()
    assert told.startswith("simt: not judged to the end: kernel ")
    assert "for 1 s no thread has ended (SIMT_WATCHDOG=0 waits for ever)" in told
    assert line(mark) in told and "thread" in told


def test_waits_for_the_host(program):
    """Which may write only when the launch has returned: the loop would never end here."""
    done = start(program, HOST)
    assert done.returncode == 5 and "waits for the host to write" in done.stderr
    assert line("host") in done.stderr


def test_what_was_found_wins(program):
    """The race was there before the watchdog came."""
    done = start(program, RACED, env={"SIMT_WATCHDOG": "1"})
    assert done.returncode == 4 and "simt: race in global memory" in done.stderr
    assert line("raced store") in done.stderr and line("raced load") in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("checks", ["on", "off"])
def test_five_seconds(program, checks):
    """One line, once; it goes on to the watchdog's time, or to the end of patience."""
    env = ENVIRONMENT | {"SIMT_CHECKS": checks, "SIMT_WATCHDOG": "0"}
    with subprocess.Popen([program, str(ENDLESS)], env=env, stderr=subprocess.PIPE,
                          text=True) as process:
        told = process.stderr.readline()
        assert process.poll() is None
        process.kill()
        assert process.stderr.read() == ""
    assert told.startswith("simt: kernel endless: for 5 s no thread has ended: ")
    assert "1 thread is at work" in told and line("endless") in told and told.endswith("\n")


def worked(process):
    """Seconds of processor time."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(program, number):
    """Says which kernel, which lines, who waits where; and dies of the signal."""
    with subprocess.Popen([program, str(ENDLESS)], env=ENVIRONMENT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == "begin\n"
        while worked(process) < 0.15:
            time.sleep(0.01)
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
    assert process.returncode == -number
    assert told.startswith("\nsimt: interrupted in kernel endless: ")
    assert "1 thread is at work at " in told and line("endless") in told
    assert "threads wait at __syncthreads (" in told and line("others") in told


def test_interrupted_on_the_host(program):
    """Outside kernels it ends as any program."""
    with subprocess.Popen([program, str(GRID), "1", "32", "wait"], env=ENVIRONMENT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == "begin\n" and process.stdout.readline() == "end\n"
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (-signal.SIGINT, "")


def test_watchdog_is_refused(program):
    for value in "-1", "soon", "5s":
        done = start(program, GRID, env={"SIMT_WATCHDOG": value})
        assert done.returncode == 2 and done.stderr.count("\n") == 1
        assert f"simt: SIMT_WATCHDOG={value}: want seconds, or 0" in done.stderr


@pytest.mark.parametrize("case, blocks, mark", [
    (VOLATILE, 1, "volatile"), (VOLATILE, 3, "volatile"), (ATOMIC, 1, "atomic"),
    (ATOMIC, 7, "atomic"), (LOCK, 1, "lock"), (LOCK, 4, "lock")])
def test_nobody_can_go_on(program, case, blocks, mark):
    """At once: the watchdog would say something else."""
    done = start(program, case, blocks)
    assert done.returncode == 4 and "simt: deadlock, kernel " in done.stderr, done.stderr
    assert line(mark) in done.stderr and "      thread (" in done.stderr
    assert "no thread will ever change" in done.stderr and "for 5 s" not in done.stderr
    assert re.search(r"\n  Thread \d+ of block \d+ waits for byte \d+ of ", done.stderr)
    if mark == "lock":
        assert re.search(r",\n  which thread \d+ of block \d+ wrote last, at \S*hangs.cu:", done.stderr)


def test_launched_by_a_kernel(program):
    done = start(program, NESTED)
    assert (done.returncode, done.stdout) == (5, "begin\n")
    (told,) = done.stderr.splitlines()
    assert "kernel parent launches kernel child (" in told and line("nested") in told
    assert "not supported" in told


def test_launched_by_a_kernel_is_refused(tmp_path):
    """By simtcc, where it stands in the kernel itself."""
    file = tmp_path / "nested.cu"
    file.write_text("__global__ void a() {}\n__global__ void b()\n{\n"
                    "    for (int i = 0; i < 2; i++) {\n        a<<<1, 1>>>();\n    }\n}\n"
                    "int main() { b<<<1, 1>>>(); }\n")
    done = run(ROOT / "simt/simtcc", file, "-o", tmp_path / "nested",
               env={"SIMTCC_TOOLS_READY": "1"})
    assert_refused(done, 2, "nested.cu:5: ", "a kernel launched by a kernel is not supported")


WAYS = [{}, {"SIMT_ORDER": "5"}, {"SIMT_CHECKS": "off"}]
ENDS = [(LOCK_FREED, 3, 40), (GIVES_UP, 2, 3), (TIME, 2, 3), (GRID, 1, 64), (GRID, 128, 256),
        (GRID_2D, 9, 16), (BACKWARDS, 50, 32), (GRID_SHARED, 32, 64)]
# What takes long is the same as the others, many times over: one way is enough.
LONG = {(GIVES_UP, 2, 3), (GRID, 128, 256)}


@pytest.mark.parametrize("case, blocks, threads, way", [
    pytest.param(*end, way, id="-".join(map(str, (*end, *way.values()))),
                 marks=pytest.mark.slow if end in LONG and way != WAYS[0] else ())
    for end, way in itertools.product(ENDS, WAYS)])
def test_waits_and_ends(program, case, blocks, threads, way):
    """All blocks of the grid are there, in any order, and it is right."""
    done = start(program, case, blocks, threads, env=way)
    told = [text for text in done.stderr.splitlines() if "for 5 s no thread" not in text]
    assert (done.returncode, done.stdout, told) == (0, "begin\nend\n", []), done.stderr


TOO_MANY = [(GRID, 129, 256, 128, 129), (GRID_2D, 40, 512, 32, 80), (GRID_SHARED, 33, 64, 32, 33)]


@pytest.mark.parametrize("case, blocks, threads, at_once, all_blocks", [
    *TOO_MANY, pytest.param(GRID, 600, 64, 512, 600, marks=pytest.mark.slow)])
def test_the_device_holds_no_more(program, case, blocks, threads, at_once, all_blocks):
    done = start(program, case, blocks, threads)
    assert done.returncode == 4, done.stderr
    assert "simt: deadlock of a grid that is too large, kernel grid_barrier\n" in done.stderr
    assert f"holds {at_once} blocks of this launch at once, but there are {all_blocks}: " in done.stderr
    assert line("meet") in done.stderr


@pytest.mark.slow
def test_a_launch_that_takes_long(tmp_path):
    """On a terminal it says how far it is; elsewhere nothing."""
    long = simtcc("__global__ void k() {}\nint main()\n{\n    k<<<1000000000, 1>>>();\n"
                  "    return cudaDeviceSynchronize();\n}\n", tmp_path / "long.cu")
    master, slave = os.openpty()
    with subprocess.Popen([long], stderr=slave) as seen, \
            subprocess.Popen([long], stderr=subprocess.PIPE) as unseen:
        os.close(slave)
        told = b""
        while not told.endswith(b"s"):
            told += os.read(master, 100)
        time.sleep(0.5)
        seen.kill()
        unseen.kill()
        assert unseen.stderr.read() == b""
    os.close(master)
    assert re.fullmatch(rb"\r\x1b\[Kk: \d+ % of 1000000000 blocks after [2-9] s", told), told

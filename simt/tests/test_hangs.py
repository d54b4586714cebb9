"""Kernels that come to no end (twins/hangs.cu): what is told after five seconds and at Ctrl-C, and how
far a launch is that takes long."""

import os
import json
import pathlib
import re
import signal
import subprocess
import time

import pytest

from backend import ENVIRONMENT, HANG, assert_refused, run, simtcc
from test_twins import MARKS, program

ENDLESS = [f"hangs.cu:{mark.line}" for mark in MARKS["hangs", "endless"]]  # the loop, the barrier


def start(program, *arguments, env=None, **options):
    return subprocess.Popen([program, *arguments], env=ENVIRONMENT | (env or {}), text=True,
                            stderr=subprocess.PIPE, **options)


@pytest.mark.slow
@pytest.mark.parametrize("checks", ["on", "off"])
def test_five_seconds(checks):
    """One line, once; it goes on to the watchdog's time, or to the end of patience."""
    with start(program("hangs"), "endless", env={"SIMT_CHECKS": checks, "SIMT_WATCHDOG": "0"},
               stdout=subprocess.DEVNULL) as process:
        told = process.stderr.readline()
        assert process.poll() is None
        process.kill()
        assert process.stderr.read() == ""
    assert told.startswith("simt: kernel endless: for 5 s no thread has ended: ")
    assert "1 thread is at work" in told and ENDLESS[0] in told and told.endswith("\n")


def worked(process):
    """Seconds of processor time."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("name", ["vote_waits", "volatile_blocks"])
def test_patience_is_counted_in_work(name):
    """Three at once, on a computer that is busy with them, are told the same as one alone."""
    alone = run(program("hangs"), name)
    three = [start("nice", program("hangs"), name, stdout=subprocess.DEVNULL) for _ in range(3)]
    for process in three:
        assert process.communicate(timeout=HANG)[1] == alone.stderr
        assert process.returncode == alone.returncode


ENDS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]


@pytest.mark.parametrize("number", ENDS)
@pytest.mark.parametrize("name, says", [
    ("endless", ["simt: interrupted in kernel endless: ", "1 thread is at work at ", ENDLESS[0],
                 "threads wait at __syncthreads (", ENDLESS[1]]),
    ("host_works", []), ("race_before", ["simt: race in global memory"])])
def test_interrupted(name, says, number, tmp_path):
    """Says which kernel, which lines, who waits where. Outside kernels it ends as any program, but what was
    found is told. Writes the report, and dies of the signal."""
    file, found = tmp_path / "report.json", name == "race_before"
    with start(program("hangs"), name, stdout=subprocess.PIPE, env={"SIMT_REPORT": str(file)},
               cwd=tmp_path) as process:
        assert process.stdout.readline() == "begin\n"
        if name != "endless":
            assert process.stdout.readline() == "end\n"
        while name == "endless" and worked(process) < 0.15:
            time.sleep(0.01)
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
    assert process.returncode == (4 if found else -number)
    assert json.loads(file.read_text())["status"] == (4 if found else 128 + number)
    assert told.startswith("\n" + says[0]) if says else told == ""
    assert all(words in told for words in says), told


@pytest.mark.slow
def test_a_launch_that_takes_long(tmp_path):
    """On a terminal it says how far it is."""
    long = simtcc("__global__ void k() {}\nint main()\n{\n    k<<<1000000000, 1>>>();\n"
                  "    return cudaDeviceSynchronize();\n}\n", tmp_path / "long.cu")
    terminal, slave = os.openpty()
    with subprocess.Popen([long], stderr=slave) as process:
        told = os.read(terminal, 100)
        process.kill()
    assert told.startswith(b"\r\x1b[Kkernel k: 0 % of 1000000000 blocks; a smaller n is judged")
    with subprocess.Popen([long], stderr=subprocess.PIPE, text=True) as process:
        told = process.stderr.readline()  # once, where no line can be wiped
        process.kill()
        assert process.stderr.read() == ""
    assert re.fullmatch(r"simt: kernel k: \d % of 1000000000 blocks; a smaller n is judged as well\n", told)


@pytest.mark.parametrize("value", ["-1", "soon", "5s", "5\t"])
def test_bad_patience(value):
    done = run(program("barriers"), "one_line", env={"SIMT_WATCHDOG": value})
    value = value.replace("\t", "?")
    assert_refused(done, 2, f"simt: SIMT_WATCHDOG={value}: want seconds, or 0")

"""Exercises as a student works on them; and the marker: its command line, orders, and what equals what."""

import json
import os
import re
import shutil
import subprocess

import pytest

from harness import ROOT, assert_refused, make, replay, run, said, script, simtcc, withstands
from marking import EXERCISES, MARK, changed, clone, given, mark, marker, solution
from test_make import KERNEL
from test_refusals import for_each


def test_how_a_student_works(clone):
    """With a GPU that no program can be compiled for."""
    script(clone / "bin/nvidia-smi", "echo 9.0")

    def do(*goals, status=0):
        done = make("-s", "NVCC=/none", *goals, cwd=clone, env={"PATH": f"{clone}/bin:{os.environ['PATH']}"})
        assert done.returncode == status, done.stdout + done.stderr
        assert all(len(line) <= 80 for line in done.stdout.splitlines())
        return done.stdout + done.stderr

    first, second = (clone / "exercises" / EXERCISES[number].name for number in ("03", "02"))
    assert [line.split()[::len(line.split()) - 1] for line in do("exercises").splitlines()[1:]] == [
        ["03", "do"], ["02", "do"]]  # in the order of the course
    assert "exercise 03" in do("exercise")
    assert (first / "main.cu").read_text() == given("03") and not (second / "main.cu").exists()
    assert "Hint 2 of 2" in do("mark-3", "HINT=2")
    assert do("exercise", "HINT=x", status=2).startswith(
        "make exercise: HINT=x: want the number of a hint, such as HINT=2\n")
    assert "not done yet: make mark-03" in do("solution-03", status=2)
    (first / "main.cu").write_text("// mine\n" + solution("03"))
    assert re.search(r"Done\..*\n\nTimes on a GPU are left out: ", do("exercise"), re.S)
    assert "-// mine\n" in do("solution-03")
    assert "exercise 02" in do("exercise")
    assert [line.split()[-1] for line in do("exercises").splitlines()[1:]] == ["done", "do"]
    (second / "main.cu").write_text(changed(given("02"), "FIXME", "begun"))
    assert "begun" in do("exercises")
    done = run("bash", "-c", "set -o pipefail; make -s exercises | head -n 1", cwd=clone)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    os.utime(first / "exercise.c")  # what was done is not, if the exercise has changed
    assert "exercise 03" in do("exercise") and "exercise 02" in do("exercise")
    assert "main.cu.1" in do("reset-03") and (first / "main.cu").read_text() == given("03")
    assert "main.cu.2" in do("reset-03") and (first / "main.cu.2").read_text() == given("03")
    assert (first / "main.cu.1").read_text().startswith("// mine")
    assert "no exercise '99'; want one of 02 03" in do("mark-99", status=2)


def test_a_mark_stands_without_its_times(clone):
    """Where there is a GPU, and an nvcc that refuses the program."""
    script(clone / "bin/nvidia-smi", "echo 9.0")
    script(clone / "bin/nvcc", "exit 1")
    shutil.copy(EXERCISES["03"] / "solution.cu", clone / "exercises" / EXERCISES["03"].name / "main.cu")
    done = make("-s", "mark-03", cwd=clone, env={"PATH": f"{clone}/bin:{os.environ['PATH']}"})
    assert done.returncode == 0 and re.search(r"Done\..*\n\nThe mark stands", done.stdout, re.S)


@pytest.mark.parametrize("number", [pytest.param("01", marks=pytest.mark.slow), "03", "19"])
def test_one_as_a_program_of_the_lab(simt, number):
    """As make times builds it for a GPU, but for the CPU backend."""
    program, given = "build/cpu-int-256-sum/handin", "build/cpu-int-256-sum/given"
    call = "-s", "BACKEND=cpu", f"EXERCISE={number}"
    assert said(make(*call, f"FILE={EXERCISES[number] / 'solution.cu'}", program, given)) == ""
    for n in 32, 4128, 70016:
        assert re.match("yours .* OK", said(run(ROOT / program, "-n", n)), re.S)
    assert re.match("given .* OK", said(run(ROOT / given, "-n", 4096)), re.S)
    if number == "03":
        assert run(ROOT / program, "-n", 33).stderr == "-n 33: want a multiple of 32, whole rows\n"


def test_times_without_a_gpu():
    done = make("-s", "BACKEND=cpu", "FILE=/dev/zero", "build/cpu-int-256-sum/handin")
    assert "make times: FILE=/dev/zero: want a file such as main.cu" == done.stderr.splitlines()[0]
    assert said(make("-s", "BACKEND=cpu", "times")) == "Times on a GPU are left out: as asked for.\n"


# ---- the marker ----

def test_blocks_run_in_another_order_every_second_time(mark):
    """A program that expects the blocks in the order of their numbers is right in the first run."""
    source = changed(changed(solution("13"), '#include "task.h"\n',
                             '#include "task.h"\n__device__ unsigned next;\n'),
                     "parts[blockIdx.x]", "parts[atomicAdd(&next, 1)]")
    result, text = mark("13", source, "--type", "int", "--runs", 1)
    assert result["types"][0]["right"] == 1, text
    result, text = mark("13", source, "--type", "int", "--runs", 8)
    assert result["reason"] == "wrong" and 4 <= result["types"][0]["right"] < 8, text


def test_golden_wrong_calls(marker):
    """The options, parted by bars."""
    def call(typed):
        file = [] if "--file" in typed else ["--file", EXERCISES["04"] / "solution.cu"]
        done = run(MARK, *file, *typed.split("|"), EXERCISES["04"], stdout=subprocess.DEVNULL)
        done.stdout = ""  # the exercise's title may stand there
        assert_refused(done, 2)
        return done

    replay("refused-mark.csv", for_each(call))
    assert "--hint K" in said(run(MARK, "--help"))


# What the marker reads of a run: its findings, else its counters
READERS = r"""#include "counters.h"
#include "findings.h"
#include "text.h"
#include <stdio.h>
int main(int argc, char **argv)
{
    struct findings f = {.any = false};
    struct counters c = {.lines = 0};
    if (findings_read(text_file(argv[argc - 1], NULL), &f))
        printf("%s%s%s%s%s%s%s", f.not_judged, f.list, f.first.id, f.first.title, f.first.text,
               f.first.end[0].operation, f.first.end[1].operation);
    else if (counters_read(text_file(argv[argc - 1], NULL), "kernel.cu", &c) && c.lines)
        printf("%g", c.line[c.lines - 1].figures.global_lanes);
}
"""


@pytest.mark.slow
def test_changed_reports(simt, tmp_path):
    """What a program tells of itself may be anything."""
    (tmp_path / "readers.c").write_text(READERS)
    modules = (f"exercises/marker/{name}.c" for name in ("counters", "findings", "text"))
    said(run("gcc", "-g", "-fsanitize=address,undefined", "-Isimt", "-Icommon", "-Isimt/include", "-Iexercises/marker",
             tmp_path / "readers.c", *modules, "-lm", "-o", tmp_path / "readers", cwd=ROOT))
    done = run(simtcc(KERNEL, tmp_path / "kernel.cu"), cwd=tmp_path,
               env={"SIMT_REPORT": "report.json", "SIMT_COUNTERS": "csv"})

    def call(text):
        (tmp_path / "told").write_bytes(text)
        return run(tmp_path / "readers", tmp_path / "told", text=False, timeout=20,
                   env={"ASAN_OPTIONS": "detect_leaks=0"})

    texts = [(tmp_path / "report.json").read_bytes(), done.stderr.encode()]
    assert all(call(text).stdout for text in texts)  # both are understood as they are
    withstands(texts, call)


# ---- an exercise of one's own ----

# Its result does not depend on its input.
EXERCISE = """#include "exercise.h"
const struct exercise exercise = {
    .title = "odd", .types = "float", .within = 1, .size = {{"n", {100, 64}}}};
void arrays(void)
{
    in("in", ELEM, size("n"));
    out("out", ELEM, 4);
}
void reference(void)
{
    static const double right[] = {5, NAN, INFINITY, 0};
    for (int i = 0; i < 4; i++)
        elems("out")[i] = (elem_t)right[i];
}
void judge(const struct figures *f) { (void)f; }
"""
# Reads all of its input, and stores what stands in place of {}.
STORE = """#include "task.h"
#include <math.h>
__global__ void store(const elem_t *in, elem_t *out, size_t n)
{
    if (threadIdx.x < n && in[threadIdx.x] == (elem_t)12345)
        out[0] = 0;
    if (threadIdx.x == 0) {
        {}
    }
}
void task_run(const struct task *task)
{
    store<<<1, 128>>>(task_in(task, "in"), task_out(task, "out"), task_size(task, "n"));
}
"""


def test_what_equals_no_number(clone):
    """NaN is right where NaN is, and what nobody wrote is right nowhere. (The second run's outputs
    hold other bytes at first, so nothing that is right is there before.)"""
    def mark(stores):
        (folder / "main.cu").write_text(STORE.replace("{}", stores))
        run(clone / "build/exercises/mark", "--json", clone / "mark.json", folder)
        return json.loads((clone / "mark.json").read_text())

    folder, right = clone / "exercises/99-own", ["5", "NAN", "INFINITY", "0"]
    folder.mkdir()
    (folder / "exercise.c").write_text(EXERCISE)
    said(make("-s", "marker", cwd=clone))
    for place, stored, reason in (
            (0, "5", "done"), (0, "NAN", "wrong"), (0, "INFINITY", "wrong"), (0, None, "wrong"),
            (1, "5", "wrong"), (1, None, "wrong"), (2, "5", "wrong"), (3, None, "wrong"),
            (3, "1e-4", "wrong")):
        values = [*right[:place], stored, *right[place + 1:]]
        stores = "".join(f"out[{i}] = {value};" for i, value in enumerate(values) if value)
        assert mark(stores)["reason"] == reason, (place, stored)
    assert mark("for (int i = 0; i < 4; i++)\n            out[i] = 7;")["message"] == (
        "out[1] is 7 at n = 100; NaN would be right (2 more are wrong).")

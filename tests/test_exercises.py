"""Exercises as a student works on them."""

import os
import re
import shutil

import pytest

from harness import ROOT, make, run, said, script
from marking import EXERCISES, changed, clone, given, marker, solution


def test_how_a_student_works(clone):
    def do(*goals, status=0):
        done = make("-s", *goals, cwd=clone)
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
    assert re.search(r"Done\..*\n\nTimes on a GPU are left out: ", do("exercise", "NVCC=/none"), re.S)
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

"""Exercises as a student works on them."""

import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from harness import ENVIRONMENT, HANG, ROOT, make, run, said
from marking import EXERCISES, changed, clone, given, marker, solution


def test_how_a_student_works(clone):
    def do(*goals, status=0):
        done = make("-s", *goals, cwd=clone)
        assert done.returncode == status, done.stdout + done.stderr
        assert all(len(line) <= 80 for line in done.stdout.splitlines())
        return done.stdout + done.stderr

    first, second = (clone / "exercises" / EXERCISES[number].name for number in ("03", "02"))
    assert [line.split()[-2:] for line in do("exercises").splitlines()] == [["to", "do"]] * 2
    assert "exercise 03" in do("exercise")
    assert (first / "main.cu").read_text() == given("03") and not (second / "main.cu").exists()
    assert "Hint 2 of 2" in do("mark-3", "HINT=2")
    assert "not done yet: make mark-03" in do("solution-03", status=2)
    (first / "main.cu").write_text("// mine\n" + solution("03"))
    assert "Done." in do("exercise")
    assert "-// mine\n" in do("solution-03")
    assert "exercise 02" in do("exercise")
    assert [line.split()[-1] for line in do("exercises").splitlines()] == ["do", "done"]
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


@pytest.mark.slow
def test_watch(clone):
    """Marks at once, and whenever an exercise is saved; ends when it is interrupted."""
    two, log = clone / "exercises" / EXERCISES["03"].name / "main.cu", clone / "log"

    def wait_for(words, times=1):
        until = time.monotonic() + HANG
        while log.read_text().count(words) < times:
            assert watcher.poll() is None and time.monotonic() < until, log.read_text()
            time.sleep(0.1)

    with log.open("w") as out, subprocess.Popen(
            ["make", "-s", "watch"], cwd=clone, stdout=out, stderr=out, start_new_session=True,
            env=ENVIRONMENT) as watcher:
        try:
            wait_for("waiting for a main.cu to be saved")
            assert "Not yet" in log.read_text()
            two.write_text(solution("03"))
            wait_for("Done.")
            two.write_text(given("03"))
            wait_for("Not yet", 2)
        finally:
            os.killpg(watcher.pid, signal.SIGINT)
    assert watcher.returncode in (0, 2, -signal.SIGINT)


def test_names_in_other_numbers_build_nothing(clone):
    shutil.rmtree(clone / "build")
    for goal in "mark-99", "solution-99", "reset-99", "mark-04;touch X":
        done = make("-s", goal, cwd=clone)
        assert done.returncode == 2 and done.stderr.startswith(f"make {goal}: no exercise")
    assert not (clone / "build").exists() and not (clone / "X").exists()


def test_the_open_one_as_a_program_of_the_lab(simt):
    """As make times builds it for a GPU, but for the CPU backend; without a GPU it says why not."""
    program = "build/cpu-int-256-sum/handin"
    assert said(make("-s", "BACKEND=cpu", f"FILE={EXERCISES['19'] / 'solution.cu'}", program)) == ""
    for n in 1, 4097, 70000:
        assert re.match("yours .* OK", said(run(ROOT / program, "-n", n)), re.S)
    done = make("-s", "BACKEND=cpu", "FILE=/dev/zero", program)
    assert "make times: FILE=/dev/zero: want a file such as main.cu" == done.stderr.splitlines()[0]
    assert said(make("-s", "BACKEND=cpu", "times")) == "Times are left out: as asked for.\n"

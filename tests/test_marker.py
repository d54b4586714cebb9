"""The marker itself: its command line, orders and seeds, and what an exercise.c may say."""

import json
import subprocess

from harness import assert_refused, make, replay, run, said
from marking import EXERCISES, MARK, changed, clone, mark, marker, solution
from test_refusals import for_each


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

"""A right number is not enough: who launched nothing or changed the input is told so, status 1."""

import pytest

from harness import BACKENDS, GPU, NVCC, ROOT, build, csv_row, input_values, once, run, simtcc

N = 5000
IDLE = "a reduction launched no kernel: let the GPU reduce, not the host"

# What the kernel does when it has added up, and what the host does that has; CASE says which.
KERNEL = ["", "data[n == 5000 ? 4321 : n - 1] = 1000", "data[5] = 1000; *out += 1", "data[5] += 1",
          "for (size_t i = 77; i < n; i++) data[i] = -1", "data[n / 2] = in[n / 2]", "*out = 0",
          "data[n] = 0", "data[9] = -0.25", "data[5] = data[n - 1] = 1000"]
HOST = ["HOST", "HOST change<<<1, 1>>>((elem_t *)in, n - 1)",
        "HOST CHECK(cudaMemset(out, 1, sizeof *out))",
        "HOST CHECK(cudaMemset((elem_t *)in, 0, sizeof *in))",
        "HOST if (runs != 1) nothing<<<1, 1>>>()", "HOST if (runs != 2) nothing<<<1, 1>>>()",
        "HOST if (runs != 3) nothing<<<1, 1>>>()", "HOST nothing<<<1, 1>>>()",
        "HOST nothing<<<1, 2048>>>(); (void)cudaGetLastError()", "HOST nothing<<<1, 2048>>>()"]
CASES = KERNEL + HOST
SOURCE = """
#define HOST
#include "lab.h"
#include <stdlib.h>

__global__ void sum(const elem_t *in, elem_t *out, size_t n, int number)
{
    elem_t total = 0, *data = (elem_t *)in;
    for (size_t i = 0; i < n; i++)
        total += in[i];
    *out = total;
    switch (number) {
        /* CASES */
    }
}

__global__ void change(elem_t *data, size_t i)
{
    data[i] += 1;
}

__global__ void nothing(void)
{
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    static int runs;
    int number = atoi(getenv("CASE"));

    (void)scratch;
    if (number < OF_KERNEL) {
        sum<<<1, 1>>>(in, out, n, number);
        CHECK(cudaGetLastError());
        return;
    }
    elem_t *copy = (elem_t *)malloc(n * sizeof *copy), total = 0;
    CHECK(cudaMemcpy(copy, in, n * sizeof *copy, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        total += copy[i];
    CHECK(cudaMemcpy(out, &total, sizeof total, cudaMemcpyHostToDevice));
    free(copy);
    runs++;
    switch (number) {
        /* CASES */
    }
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
"""


def source_of(in_place):
    def cases(numbers):
        return "".join(f"case {number}: {CASES[number]}; break;\n" for number in numbers)

    begin, middle, end = SOURCE.replace("OF_KERNEL", str(len(KERNEL))).split("/* CASES */")
    source = "".join([begin, cases(range(len(KERNEL))), middle,
                      cases(range(len(KERNEL), len(CASES))), end])
    return source if not in_place else source.replace(
        "reduce(const elem_t", "reduce(elem_t").replace("lab_main", "lab_main_in_place")


def run_case(statement, *options, n=N, backend="cpu", type="int", in_place=False):
    def compile_in(folder):
        objects = sorted((build(backend, type, steps=("03",)) / "common").glob("*.o"))
        file, flags = folder / "09-x/main.cu", [f"-I{ROOT}/common", f"-DTYPE={type}", "-DBLOCK=256"]
        if backend == "cpu":
            simtcc(source_of(in_place), file, *flags, *objects)
        else:
            file.parent.mkdir()
            file.write_text(source_of(in_place))
            done = run(NVCC, f"-arch={GPU}", *flags, file, *objects, "-o", file.with_suffix(""))
            assert done.returncode == 0, done.stderr

    program = once(f"honest-{backend}-{type}-{in_place}", compile_in) / "09-x/main"
    return run(program, "-n", n, *options, env={"CASE": str(CASES.index(statement))})


def assert_ok(*arguments, **more):
    done = run_case(*arguments, **more)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "   OK\n" in done.stdout and "WRONG" not in done.stdout
    assert "input changed" not in done.stdout and "launched" not in done.stdout


def assert_told(statement, *options, faults, right=True, status=1, note="", **more):
    """The report says WRONG and why, a line each; where CSV is asked for stderr says why."""
    done = run_case(statement, *options, **more)
    report = [line for line in done.stdout.split("counters, ")[0].splitlines()[2:]
              if not line.startswith("  (the full sum")]
    assert (done.returncode, report[0][-8:]) == (status, "   WRONG"), done.stdout
    assert report[1:] == [f"  {fault}" for fault in faults]
    told = "".join(f"step09: {fault}\n" for fault in faults)

    done = run_case(statement, "--csv", *options, **more)
    row = csv_row(done)
    assert (done.returncode, row["verified"]) == (status, "no")
    assert (row["result"] == row["expected"]) == right
    assert done.stderr.startswith(told) and (status == 4 or note or done.stderr == told)
    assert f"simt: note: {note}" in done.stderr or not note


def was(index, type="int"):
    value = next(value for i, value in enumerate(input_values(type)) if i == index)
    return value if type == "int" else f"{value:g}"


def kept(index, is_, type="int"):
    return (f"input changed: in[{index}] was {was(index, type)}, is {is_}; "
            "keep it, or lab_main_in_place")


# What is done, the options, what is told; is the result right?
TOLD = [
    (KERNEL[1], ["-n", 5000], [kept(4321, 1000)], True),
    (KERNEL[1], ["-n", 1], [kept(0, 1000)], True),
    (KERNEL[1], ["-n", 257], [kept(256, 1000)], True),
    ("for (size_t i = 77; i < n; i++) data[i] = -1", [], [kept(77, -1)], True),  # the first
    ("data[5] = 1000; *out += 1", [], [kept(5, 1000)], False),
    ("data[5] += 1", ["-w", 3], [kept(5, was(5) + 3)], False),  # by an earlier run, which was right
    ("*out = 0", [], [], False),  # a kernel that fails was launched
    ("HOST", [], [IDLE], True),
    ("HOST", ["-n", 1], [IDLE], True),
    ("HOST CHECK(cudaMemset(out, 1, sizeof *out))", [], [IDLE], False),
    ("HOST CHECK(cudaMemset((elem_t *)in, 0, sizeof *in))", [], [IDLE, kept(0, 0)], True),
    # a result that was kept from the time before
    *((f"HOST if (runs != {launching}) nothing<<<1, 1>>>()", ["-w", 3], [IDLE], True)
      for launching in (1, 2, 3)),
]


@pytest.mark.parametrize("statement, options, faults, right", TOLD)
def test_told(statement, options, faults, right):
    assert_told(statement, *options, faults=faults, right=right)


@pytest.mark.parametrize("backend", BACKENDS)
def test_on_either_backend(backend):
    """A changed input is told; its right twins write nothing, or what was there already."""
    done = run_case(KERNEL[1], backend=backend)
    assert done.returncode == 1 and f"  {kept(4321, 1000)}\n" in done.stdout
    for statement, n in (KERNEL[1], 0), ("", 0), ("", 1), ("", N), ("data[n / 2] = in[n / 2]", N):
        assert_ok(statement, n=n, backend=backend)
    for options in (), ("-w", 3):
        assert_ok("data[5] = data[n - 1] = 1000", *options, backend=backend, in_place=True)


def test_in_place_is_named(tmp_path):
    """What it is given is named otherwise than what it must not change."""
    assert_ok("", "--trace", tmp_path / "trace.csv", in_place=True)
    lines = (tmp_path / "trace.csv").read_text().splitlines()
    column = lines[0].split(",").index("array")
    assert {line.split(",")[column] for line in lines[1:]} == {"data", "out"}


@pytest.mark.parametrize("type", ["float", "double"])
def test_changed_reals(type):
    """Told as they are."""
    assert_told("data[9] = -0.25", type=type, faults=[kept(9, "-0.25", type)])


def test_nan():
    """It differs from itself, but its bytes do not."""
    assert_ok("", "--nan", type="float")
    assert_told("data[9] = -0.25", "--nan", type="float", faults=[kept(9, "-0.25", "float")])
    done = run_case(KERNEL[1], "--nan", n=1, type="float")
    assert done.returncode == 1 and "\n  input changed: in[0] was nan, is 1000; " in done.stdout


def test_last_element():
    """However the input repeats itself, and in whatever pieces it is compared."""
    for n in 2**16, 2**16 + 1, 2**24 + 2**16 + 3:
        index = (n - 1) % 2**24
        fault = kept(index, was(index) + 1).replace(f"in[{index}]", f"in[{n - 1}]")
        assert_told("HOST change<<<1, 1>>>((elem_t *)in, n - 1)", n=n, faults=[fault])


def test_counters_as_csv():
    """stdout has the table alone."""
    wrong, right, idle = (run_case(statement, "--counters=csv") for statement in
                          (KERNEL[1], "", "HOST"))
    assert (wrong.returncode, wrong.stderr) == (1, f"step09: {kept(4321, 1000)}\n")
    assert (idle.returncode, idle.stderr) == (1, f"step09: {IDLE}\n")
    reads = [[line for line in done.stdout.splitlines() if "global,load" in line]
             for done in (wrong, right)]
    assert reads[0] == reads[1] != []


def test_launches():
    """Any launch in every reduction will do, also one that failed, but none that was refused,
    whether its error was looked at or not: that one is a finding besides."""
    for options in (), ("-w", 3), ("--csv",):
        done = run_case("HOST nothing<<<1, 1>>>()", *options)
        assert (done.returncode, done.stderr) == (0, "")
    assert_ok("HOST", n=0)
    assert_told("HOST", in_place=True, faults=[IDLE])
    assert_told("HOST nothing<<<1, 2048>>>(); (void)cudaGetLastError()", faults=[IDLE],
                note="launch that the device refuses")
    assert_told("HOST nothing<<<1, 2048>>>()", faults=[IDLE], status=4)
    done = run_case("data[n] = 0")
    assert done.returncode == 4 and "launched no" not in done.stdout + done.stderr

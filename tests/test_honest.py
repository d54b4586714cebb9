"""A right number is not enough: who launched nothing or changed the input is told so, status 1."""

import pytest

from harness import BACKENDS, GPU, NVCC, ROOT, build, csv_row, input_values, once, run, simtcc

N = 5000
IDLE = "a reduction launched no kernel: let the GPU reduce, not the host"

# What is done in a reduction: the sum on the GPU or on the host, and what else
GPUS, HOSTS = "sum<<<1, 1>>>(in, out, n); CHECK(cudaGetLastError());", "sum_on_host(in, out, n);"
REFUSED = "nothing<<<1, 2048>>>();"  # a block of so many threads
CASES = {
    "right": GPUS,
    "element set": GPUS + "set<<<1, 1>>>(data, n == 5000 ? 4321 : n - 1, 1000, 0);",
    "two set": GPUS + "set<<<1, 1>>>(data, 5, 1000, 0); set<<<1, 1>>>(data, n - 1, 1000, 0);",
    "all from 77 on": GPUS + "CHECK(cudaMemset(data + 77, 0xFF, (n - 77) * sizeof *in));",
    "and a wrong sum": GPUS + "set<<<1, 1>>>(data, 5, 1000, 0); set<<<1, 1>>>(out, 0, 1, 1);",
    "each run adds": GPUS + "set<<<1, 1>>>(data, 5, 1, 1);",
    "same value": GPUS + "set<<<1, 1>>>(data, n / 2, 0, 1);",
    "-0.25": GPUS + "set<<<1, 1>>>(data, 9, (elem_t)-0.25, 0);",
    "no sum": GPUS + "set<<<1, 1>>>(out, 0, 0, 0);",
    "out of bounds": GPUS + "set<<<1, 1>>>(data, n, 0, 0);",
    "host": HOSTS,
    "host, last element": HOSTS + "set<<<1, 1>>>(data, n - 1, 1, 1);",
    "host, wrong sum": HOSTS + "CHECK(cudaMemset(out, 1, sizeof *out));",
    "host, input set": HOSTS + "CHECK(cudaMemset(data, 0, sizeof *in));",
    **{f"host, not in run {run}": HOSTS + f"if (runs != {run}) nothing<<<1, 1>>>();"
       for run in (1, 2, 3)},
    "host, launch": HOSTS + "nothing<<<1, 1>>>();",
    "host, refused": HOSTS + REFUSED,
    "host, refused, looked at": HOSTS + REFUSED + "(void)cudaGetLastError();"}
SOURCE = """
#include "lab.h"
#include <stdlib.h>
#include <string.h>

__global__ void sum(const elem_t *in, elem_t *out, size_t n)
{
    elem_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += in[i];
    *out = total;
}

__global__ void set(elem_t *data, size_t i, elem_t value, bool is_added)
{
    data[i] = (is_added ? data[i] : 0) + value;
}

__global__ void nothing(void) {}

static void sum_on_host(const elem_t *in, elem_t *out, size_t n)
{
    elem_t *copy = (elem_t *)malloc(n * sizeof *copy), total = 0;
    CHECK(cudaMemcpy(copy, in, n * sizeof *copy, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        total += copy[i];
    CHECK(cudaMemcpy(out, &total, sizeof total, cudaMemcpyHostToDevice));
    free(copy);
}

static void reduce(const elem_t *in, elem_t *out, elem_t *, size_t n)
{
    static int runs;
    const char *name = getenv("CASE");
    elem_t *data = (elem_t *)in;
    runs++;
    CASES
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
""".replace("CASES", "\n".join(f'if (!strcmp(name, "{name}")) {{ {statements} }}'
                               for name, statements in CASES.items()))
IN_PLACE = SOURCE.replace("reduce(const elem_t", "reduce(elem_t").replace(
    "lab_main", "lab_main_in_place")


def run_case(name, *options, n=N, backend="cpu", type="int", in_place=False):
    def compile_in(folder):
        objects = sorted((build(backend, type, steps=("03",)) / "common").glob("*.o"))
        file, flags = folder / "09-x/main.cu", [f"-I{ROOT}/common", f"-DTYPE={type}", "-DBLOCK=256"]
        source = IN_PLACE if in_place else SOURCE
        if backend == "cpu":
            simtcc(source, file, *flags, *objects)
        else:
            file.parent.mkdir()
            file.write_text(source)
            done = run(NVCC, f"-arch={GPU}", *flags, file, *objects, "-o", file.with_suffix(""))
            assert done.returncode == 0, done.stderr

    program = once(f"honest-{backend}-{type}-{in_place}", compile_in) / "09-x/main"
    return run(program, "-n", n, *options, env={"CASE": name})


def assert_ok(*arguments, **more):
    done = run_case(*arguments, **more)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "   OK\n" in done.stdout and "WRONG" not in done.stdout
    assert "input changed" not in done.stdout and "launched" not in done.stdout


def assert_told(name, *options, faults, right=True, status=1, note="", **more):
    """The report says WRONG and why, a line each; where CSV is asked for stderr says why."""
    done = run_case(name, *options, **more)
    report = [line for line in done.stdout.split("counters, ")[0].splitlines()[2:]
              if not line.startswith("  (the full sum")]
    assert (done.returncode, report[0][-8:]) == (status, "   WRONG"), done.stdout
    assert report[1:] == [f"  {fault}" for fault in faults]
    told = "".join(f"step09: {fault}\n" for fault in faults)

    done = run_case(name, "--csv", *options, **more)
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
    *(("element set", ["-n", n], [kept(place, 1000)], True)
      for n, place in ((5000, 4321), (1, 0), (257, 256))),
    ("all from 77 on", [], [kept(77, -1)], True),  # the first
    ("and a wrong sum", [], [kept(5, 1000)], False),
    ("each run adds", ["-w", 3], [kept(5, was(5) + 3)], False),  # by an earlier run, which was right
    ("no sum", [], [], False),  # a kernel that fails was launched
    ("host", [], [IDLE], True), ("host", ["-n", 1], [IDLE], True),
    ("host, wrong sum", [], [IDLE], False),
    ("host, input set", [], [IDLE, kept(0, 0)], True),
    # a result that was kept from the time before
    *((f"host, not in run {run}", ["-w", 3], [IDLE], True) for run in (1, 2, 3))]


@pytest.mark.parametrize("name, options, faults, right", TOLD)
def test_told(name, options, faults, right):
    assert_told(name, *options, faults=faults, right=right)


@pytest.mark.parametrize("backend", BACKENDS)
def test_on_either_backend(backend):
    """A changed input is told; its right twins write nothing, or what was there already."""
    done = run_case("element set", backend=backend)
    assert done.returncode == 1 and f"  {kept(4321, 1000)}\n" in done.stdout
    for name, n in ("element set", 0), ("right", 0), ("right", 1), ("right", N), ("same value", N):
        assert_ok(name, n=n, backend=backend)
    for options in (), ("-w", 3):
        assert_ok("two set", *options, backend=backend, in_place=True)


def test_in_place_is_named(tmp_path):
    """What it is given is named otherwise than what it must not change."""
    assert_ok("right", "--trace", tmp_path / "trace.csv", in_place=True)
    lines = (tmp_path / "trace.csv").read_text().splitlines()
    column = lines[0].split(",").index("array")
    assert {line.split(",")[column] for line in lines[1:]} == {"data", "out"}


@pytest.mark.parametrize("type, options", [("float", []), ("float", ["--nan"]), ("double", [])])
def test_changed_reals(type, options):
    """Told as they are. A NaN differs from itself, but its bytes do not."""
    assert_ok("right", *options, type=type)
    assert_told("-0.25", *options, type=type, faults=[kept(9, "-0.25", type)])
    done = run_case("element set", *options, n=1, type=type)
    assert done.returncode == 1 and f"was {'nan' if options else was(0, type)}, is 1000; " in done.stdout


def test_last_element():
    """However the input repeats itself, and in whatever pieces it is compared."""
    for n in 2**16, 2**16 + 1, 2**24 + 2**16 + 3:
        index = (n - 1) % 2**24
        fault = kept(index, was(index) + 1).replace(f"in[{index}]", f"in[{n - 1}]")
        assert_told("host, last element", n=n, faults=[fault])


def test_counters_as_csv():
    """stdout has the table alone."""
    wrong, right, idle = (run_case(name, "--counters=csv") for name in (
        "all from 77 on", "right", "host"))
    assert (wrong.returncode, wrong.stderr) == (1, f"step09: {kept(77, -1)}\n")
    assert (idle.returncode, idle.stderr) == (1, f"step09: {IDLE}\n")
    assert wrong.stdout == right.stdout != ""


def test_launches():
    """Any launch in every reduction will do, also one that failed, but none that was refused,
    whether its error was looked at or not: that one is a finding besides."""
    for options in (), ("-w", 3), ("--csv",):
        done = run_case("host, launch", *options)
        assert (done.returncode, done.stderr) == (0, "")
    assert_ok("host", n=0)
    assert_told("host", in_place=True, faults=[IDLE])
    assert_told("host, refused, looked at", faults=[IDLE], note="launch that the device refuses")
    assert_told("host, refused", faults=[IDLE], status=4)
    done = run_case("out of bounds")
    assert done.returncode == 4 and "launched no" not in done.stdout + done.stderr

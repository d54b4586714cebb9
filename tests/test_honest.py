"""A right number is not enough: who launched nothing or changed the input is told so, status 1."""

import functools

import pytest

from harness import (BACKENDS, GPU, NVCC, ROOT, build, compile_together, csv_row, input_values,
                      outcome, run, simtcc)

N = 5000
IDLE = "a reduction launched no kernel: let the GPU reduce, not the host"

# One thread adds up, so that the tests are short; then it may do something else.
SUM = """
#include "lab.h"

__global__ void sum(const elem_t *in, elem_t *out, size_t n)
{
    elem_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += in[i];
    *out = total;
    elem_t *data = (elem_t *)in;
    (void)data;
    %s;
}

static void reduce(%s *in, elem_t *out, elem_t *scratch, size_t n)
{
    (void)scratch;
    sum<<<1, 1>>>(in, out, n);
    CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return %s(argc, argv, reduce);
}
"""

# The host adds up and copies the sum to the device.
HOST = """
#include "lab.h"
#include <stdlib.h>

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
    elem_t *copy = (elem_t *)malloc(n * sizeof *copy), total = 0;

    (void)scratch, (void)in, (void)runs;
    CHECK(cudaMemcpy(copy, in, n * sizeof *copy, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        total += copy[i];
    CHECK(cudaMemcpy(out, &total, sizeof total, cudaMemcpyHostToDevice));
    free(copy);
    runs++;
    %s;
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
"""


# What the programs of ints do; on the CPU backend they are compiled as one.
CHANGES = ("(void)0", "data[n == 5000 ? 4321 : n - 1] = 1000",
           "for (size_t i = 77; i < n; i++) data[i] = -1", "data[5] = 1000; *out += 1",
           "data[5] += 1", "data[5] = 1000", "data[n / 2] = in[n / 2]", "*out = 0", "data[n] = 0")
ON_HOST = ("(void)0", "change<<<1, 1>>>((elem_t *)in, n - 1)",
           "CHECK(cudaMemset(out, 1, sizeof *out))",
           "CHECK(cudaMemset((elem_t *)in, 0, sizeof *in))", "if (runs != 1) nothing<<<1, 1>>>()",
           "if (runs != 2) nothing<<<1, 1>>>()", "if (runs != 3) nothing<<<1, 1>>>()",
           "nothing<<<1, 1>>>()", "nothing<<<1, 2048>>>(); (void)cudaGetLastError()",
           "nothing<<<1, 2048>>>()")


@pytest.fixture(scope="module", autouse=True)
def folders(tmp_path_factory):
    global FOLDERS
    FOLDERS = tmp_path_factory


@functools.lru_cache(maxsize=None)
def of_ints():
    """{(is it HOST, its statement): program}"""
    folder = FOLDERS.mktemp("honest") / "09-x"
    folder.mkdir()
    programs = {}
    for key in [*((False, change) for change in CHANGES), *((True, change) for change in ON_HOST)]:
        file = folder / f"{len(programs)}.txt"
        file.write_text(HOST % key[1] if key[0] else SUM % (key[1], "const elem_t", "lab_main"))
        programs[key] = (file.stem, file)
    objects = sorted((build(steps=("03",)) / "common").glob("*.o"))
    paths = compile_together(programs.values(), folder / "all/together.cu", "-Icommon",
                             "-DTYPE=int", "-DBLOCK=256", *objects)
    return {key: paths[name] for key, (name, _) in programs.items()}


def compile_for(backend, source, tmp_path, type="int"):
    folder = build(backend, type, steps=("03",)) / "common"
    file, objects = tmp_path / "09-x/main.cu", sorted(folder.glob("*.o"))
    flags = ["-Icommon", f"-DTYPE={type}", "-DBLOCK=256"]
    if backend == "cpu":
        return simtcc(source, file, *flags, *objects)
    file.parent.mkdir(parents=True)
    file.write_text(source)
    program = file.with_suffix("")
    done = run(NVCC, f"-arch={GPU}", *flags, file, *objects, "-o", program, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return program


def changing(statement, tmp_path, backend="cpu", type="int", in_place=False):
    if (backend, type, in_place) == ("cpu", "int", False):
        return of_ints()[False, statement]
    words = ("elem_t", "lab_main_in_place") if in_place else ("const elem_t", "lab_main")
    return compile_for(backend, SUM % (statement, *words), tmp_path, type)


def host(statement, tmp_path):
    return of_ints()[True, statement]


def assert_ok(program, *options):
    done = run(program, *options)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "   OK\n" in done.stdout and "WRONG" not in done.stdout
    assert "input changed" not in done.stdout and "launched" not in done.stdout


def assert_told(program, *faults, n=N, options=(), right=True, status=1,
                note=""):
    """The report says WRONG and why, a line each; where CSV is asked for stderr says why."""
    done = run(program, "-n", n, *options)
    report = [line for line in done.stdout.split("counters, ")[0].splitlines()[2:]
              if not line.startswith("  (the full sum")]
    assert (done.returncode, report[0][-8:]) == (status, "   WRONG"), done.stdout
    assert report[1:] == [f"  {fault}" for fault in faults]
    told = "".join(f"step09: {fault}\n" for fault in faults)

    done = run(program, "-n", n, "--csv", *options)
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


# ---- the input ----

@pytest.mark.parametrize("backend", BACKENDS)
def test_changed_input(tmp_path, backend):
    program = changing("data[n == 5000 ? 4321 : n - 1] = 1000", tmp_path, backend)
    assert_ok(program, "-n", 0)
    done = run(program, "-n", N)
    assert done.returncode == 1 and f"  {kept(4321, 1000)}\n" in done.stdout


@pytest.mark.parametrize("type", ["float", "double"])
def test_changed_reals(tmp_path, type):
    """Told as they are: a zero's sign is a change, too."""
    program = changing("data[9] = data[9] < 0 ? -0.25 : 0.25", tmp_path, type=type)
    value = was(9, type)
    assert_told(program, kept(9, "-0.25" if value.startswith("-") else "0.25", type))


# What is done by the kernel or by the HOST, the options, what is told; is the result right?
TOLD = [
    ("data[n == 5000 ? 4321 : n - 1] = 1000", ["-n", 5000], [kept(4321, 1000)], True),
    ("data[n == 5000 ? 4321 : n - 1] = 1000", ["-n", 1], [kept(0, 1000)], True),
    ("data[n == 5000 ? 4321 : n - 1] = 1000", ["-n", 257], [kept(256, 1000)], True),
    ("for (size_t i = 77; i < n; i++) data[i] = -1", [], [kept(77, -1)], True),  # the first
    ("data[5] = 1000; *out += 1", [], [kept(5, 1000)], False),
    ("data[5] += 1", ["-w", 3], [kept(5, was(5) + 3)], False),  # by an earlier run, which was right
    ("*out = 0", [], [], False),  # a kernel that fails was launched
    ("HOST (void)0", [], [IDLE], True),
    ("HOST (void)0", ["-n", 1], [IDLE], True),
    ("HOST CHECK(cudaMemset(out, 1, sizeof *out))", [], [IDLE], False),
    ("HOST CHECK(cudaMemset((elem_t *)in, 0, sizeof *in))", [], [IDLE, kept(0, 0)], True),
    # a result that was kept from the time before
    *((f"HOST if (runs != {launching}) nothing<<<1, 1>>>()", ["-w", 3], [IDLE], True)
      for launching in (1, 2, 3)),
]


@pytest.mark.parametrize("statement, options, faults, right", TOLD)
def test_told(tmp_path, statement, options, faults, right):
    program = (host(statement[5:], tmp_path) if statement.startswith("HOST") else
               changing(statement, tmp_path))
    assert_told(program, *faults, options=options, right=right)


def test_last_element(tmp_path):
    """However the input repeats itself, and in whatever pieces it is compared."""
    program = host("change<<<1, 1>>>((elem_t *)in, n - 1)", tmp_path)
    for n in 2**16, 2**16 + 1, 2**24 + 2**16 + 3:
        index = (n - 1) % 2**24
        fault = kept(index, was(index) + 1).replace(f"in[{index}]", f"in[{n - 1}]")
        assert_told(program, fault, n=n)


def test_counters_as_csv(tmp_path):
    """stdout has the table alone."""
    program = changing("data[5] = 1000", tmp_path)
    right = changing("(void)0", tmp_path / "right")
    done, twin = (run(path, "-n", N, "--counters=csv") for path in (program, right))
    assert (done.returncode, done.stderr) == (1, f"step09: {kept(5, 1000)}\n")
    assert (twin.returncode, twin.stderr) == (0, "")
    reads = [[[word for word in line.split(",") if "/" not in word]  # but the file
              for line in text.splitlines() if "global,load" in line]
             for text in (done.stdout, twin.stdout)]
    assert reads[0] == reads[1] != []


@pytest.mark.parametrize("backend", BACKENDS)
def test_kept_input(tmp_path, backend):
    """Right twins: nothing written, or what was there already."""
    for name, statement in ("a", "(void)0"), ("b", "data[n / 2] = in[n / 2]"):
        program = changing(statement, tmp_path / name, backend)
        for n in 0, 1, N:
            assert_ok(program, "-n", n)


def test_kept_nan(tmp_path):
    """It differs from itself, but its bytes do not."""
    program = changing("(void)0", tmp_path, type="float")
    assert_ok(program, "-n", N, "--nan")
    program = changing("data[0] = 1000", tmp_path / "b", type="float")
    assert_told(program, kept(0, 1000, "float"), options=("--nan",), right=True)
    program = changing("data[2500] = 1000", tmp_path / "c", type="float")
    done = run(program, "-n", N, "--nan")
    assert done.returncode == 1 and "\n  input changed: in[2500] was nan, is 1000; " in done.stdout


@pytest.mark.parametrize("backend", BACKENDS)
def test_in_place(tmp_path, backend):
    program = changing("data[5] = data[n - 1] = 1000", tmp_path, backend, in_place=True)
    for options in (), ("-w", 3):
        assert_ok(program, "-n", N, *options)
    if backend == "cpu":  # what it is given is named otherwise than what it must not change
        assert_ok(program, "-n", N, "--trace", tmp_path / "trace.csv")
        lines = (tmp_path / "trace.csv").read_text().splitlines()
        column = lines[0].split(",").index("array")
        assert {line.split(",")[column] for line in lines[1:]} >= {"data", "out"}


# ---- no launch ----

def test_no_launch(tmp_path):
    program = host("(void)0", tmp_path)
    assert_ok(program, "-n", 0)
    done = run(program, "-n", N, "--counters=csv")
    assert (done.returncode, done.stderr) == (1, f"step09: {IDLE}\n")
    source = (HOST % "(void)0").replace("const elem_t *in", "elem_t *in")
    assert_told(compile_for("cpu", source.replace("lab_main", "lab_main_in_place"), tmp_path), IDLE)


def test_launches(tmp_path):
    """Any launch in every reduction will do."""
    program = host("nothing<<<1, 1>>>()", tmp_path)
    for options in (), ("-w", 3), ("--csv",):
        done = run(program, "-n", N, *options)
        assert (done.returncode, done.stderr) == (0, "")


def test_refused_launch_is_none(tmp_path):
    """Whether its error was looked at or not: that one is a finding besides."""
    program = host("nothing<<<1, 2048>>>(); (void)cudaGetLastError()", tmp_path)
    assert_told(program, IDLE, note="launch that the device refuses")
    program = host("nothing<<<1, 2048>>>()", tmp_path / "b")
    assert_told(program, IDLE, status=4)


def test_kernel_that_fails(tmp_path):
    """It was launched, so that is not what is wrong."""
    program = changing("data[n] = 0", tmp_path / "b")
    done = run(program, "-n", N)
    assert done.returncode == 4 and "launched no" not in done.stdout + done.stderr


def test_simt_launches(tmp_path):
    assert outcome(r"""
        #include <simt.h>
        __global__ void nothing() {}
        int main()
        {
            EXPECT(simt_launches() == 0);
            nothing<<<1, 2048>>>();
            EXPECT(cudaGetLastError() != cudaSuccess && simt_launches() == 0);
            nothing<<<1, 32>>>();
            simt_set_counters(0);
            nothing<<<7, 32>>>();
            OK(cudaDeviceSynchronize());
            EXPECT(simt_launches() == 2);
        }
    """, tmp_path) == ""

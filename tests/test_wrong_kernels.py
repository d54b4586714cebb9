"""Deliberately wrong reductions: the harness calls each WRONG; a run that broke off is an error."""

import functools
import re

import pytest

from harness import STEPS, build, compile_together, csv_row, run, simtcc

N = 5000  # 19 full blocks of 256 and one of 136
LOAD = "s[tid] = i < n ? in[i] : 0;"
STORE = "sums[blockIdx.x] = s[0];"

# Texts of step 03 and what takes their place.
WRONG = {
    "one element missing": (LOAD, f"s[tid] = i < n && !(n == {N} && i == 777) ? in[i] : 0;"),
    "the last element missing": ("    do {", "    n--;\n    do {"),
    "one element counted twice": (LOAD, LOAD + f"\n    if (n == {N} && i == 777)\n"
                                  "        s[tid] += in[i];"),
    "one element in another's place": (LOAD, "s[tid] = i < n ? in[i == 777 ? 776 : i] : 0;"),
    "the last partial tile dropped": ("(n + BLOCK - 1) / BLOCK", "n < BLOCK ? 1 : n / BLOCK"),
    "nothing written": (STORE, "if (n == 0)\n            sums[0] = 0;"),
    "off by one in one block": (STORE, "sums[blockIdx.x] = s[0] + (blockIdx.x == 13);"),
    "a round of the tree missing": ("stride > 0", "stride > 1"),
    "all zero": (STORE, "sums[blockIdx.x] = 0;"),
    "scratch taken for zeros": (STORE, "sums[blockIdx.x] = s[0] + (gridDim.x > 1 ? "
                                "sums[blockIdx.x] : 0);"),
    "a result taken for zero": (STORE, "sums[blockIdx.x] = s[0] + (gridDim.x == 1 ? sums[0] : 0);"),
    "NaN": (STORE, "sums[blockIdx.x] = blockIdx.x == 13 ? (elem_t)NAN : s[0];"),
    "infinity": (STORE, "sums[blockIdx.x] = s[0] * (elem_t)INFINITY;"),
}
GARBAGE = "nothing written", "scratch taken for zeros", "a result taken for zero"


def changed(old, new):
    source = STEPS["03"].read_text()
    assert source.count(old) == 1
    return source.replace(old, new)


def options_for(type):
    harness = (build(type=type, steps=("03",)) / "common").glob("*.o")
    return ["-Icommon", f"-DTYPE={type}", "-DBLOCK=256", *sorted(harness)]


def compile_step(source, type, tmp_path):
    return simtcc(source, tmp_path / "03-x/main.cu", *options_for(type))


@pytest.fixture(scope="module")
def wrong(tmp_path_factory):
    """All of WRONG, by name and type."""
    folder = tmp_path_factory.mktemp("wrong") / "03-x"
    folder.mkdir()
    files = {name: folder / f"{number}.txt" for number, name in enumerate(WRONG)}
    for name, file in files.items():
        file.write_text(changed(*WRONG[name]))

    @functools.lru_cache(maxsize=None)
    def of_type(type):
        return compile_together([(name.replace(" ", "-"), file) for name, file in files.items()],
                                folder / type / "together.cu", *options_for(type))

    return lambda name, type: of_type(type)[name.replace(" ", "-")]


@pytest.mark.parametrize("type, options", [("int", []), ("float", ["--uniform"])])
def test_unchanged(tmp_path, type, options):
    done = run(compile_step(STEPS["03"].read_text(), type, tmp_path), "-n", N, *options)
    assert (done.returncode, done.stderr) == (0, "") and "   OK\n" in done.stdout


def assert_told(done, name):
    """What the harness has poisoned is garbage, of which the checks know."""
    if name in GARBAGE:
        assert done.returncode == 4
        assert re.findall("^simt: ([^,]*)", done.stderr, re.MULTILINE) == [
            "uninitialised global memory"]
    else:
        assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("name", WRONG)
def test_wrong(wrong, name):
    for type in ["float"] if name in ("NaN", "infinity") else ["int", "float"]:
        program = wrong(name, type)
        for options in [[]] if type == "int" else [[], ["--uniform"]]:
            done = run(program, "-n", N, *options)
            assert_told(done, name)
            assert "   WRONG\n" in done.stdout and "OK" not in done.stdout
            done = run(program, "-n", N, "--csv", *options)
            row = csv_row(done)
            assert_told(done, name)
            assert (row["verified"], row["name"]) == ("no", "x")
            assert row["result"] != row["expected"]


def test_counters_of_a_wrong_one(wrong):
    """stdout has the table alone."""
    done = run(wrong("one element missing", "int"), "-n", N, "--counters=csv")
    assert (done.returncode, done.stderr) == (1, "step03: the result was WRONG\n")
    assert "WRONG" not in done.stdout


def test_poison(wrong):
    """Nothing that a reduction is given is 0, nor left from the last one: all bits are set."""
    for name, elements in ("scratch taken for zeros", 20), ("a result taken for zero", 1):
        row = csv_row(run(wrong(name, "int"), "-n", N, "--csv", env={"SIMT_CHECKS": "off"}))
        assert int(row["result"]) == int(row["expected"]) - elements


def test_error_in_the_middle(tmp_path):
    """CUDA's own words and the place, why the launch was refused, and no report."""
    source = changed("<<<blocks, BLOCK>>>", "<<<blocks, n < 100 ? 2048 : BLOCK>>>")
    line = source.splitlines().index("        CHECK(cudaGetLastError());") + 1
    program = compile_step(source, "int", tmp_path)
    place = f"{tmp_path}/03-x/main.cu:{line}: cudaGetLastError(): "
    for options in [], ["--csv"]:
        done = run(program, "-n", N, *options)
        told, _, note = done.stderr.partition("\n")
        assert (done.returncode, done.stdout) == (3, "")
        assert place in told and "invalid configuration argument" in told
        assert "cudaErrorInvalidConfiguration" in told
        assert note.startswith("\nsimt: note: launch that the device refuses")
        assert "A block of 2048 threads" in note
    assert not re.search("OK|WRONG", done.stderr)


def test_deadlock_in_the_middle(tmp_path):
    """What the CPU backend finds in a kernel is status 4, and no report."""
    source = changed("if (tid < stride)", "if (tid == 40)\n            __syncwarp();\n"
                     "        else if (tid < stride)")
    line = source.splitlines().index("            __syncwarp();") + 1
    done = run(compile_step(source, "int", tmp_path), "-n", N)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("\nsimt: deadlock, kernel reduce_block\n")
    assert f"{tmp_path}/03-x/main.cu:{line}  __syncwarp();\n      thread (40,0,0) of" in done.stderr
    assert f"1 thread waits at __syncwarp, mask 0xffffffff ({tmp_path}/03-x/main.cu:{line})" in done.stderr


@pytest.mark.parametrize("options", [[], ["--csv"], ["--counters=csv"], ["--annotate"]])
def test_bug_behind_a_right_result(tmp_path, options):
    """A race that nobody noticed: the report is as ever, and the status is 4."""
    source = changed("        __syncthreads();\n    }", "    }")
    line = source.splitlines().index("            s[tid] += s[tid + stride];") + 1
    program = compile_step(source, "int", tmp_path)
    for n in N, 256:
        done = run(program, "-n", n, *options)
        assert done.returncode == 4 and done.stdout
        assert "\nsimt: race in shared memory, kernel reduce_block" in done.stderr
        assert f"{tmp_path}/03-x/main.cu:{line}  s[tid] += s[tid + stride];\n" in done.stderr
        done = run(program, "-n", n, *options, env={"SIMT_CHECKS": "off"})
        assert done.returncode in (0, 1) and "race" not in done.stderr

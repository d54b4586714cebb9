"""Deliberately wrong reductions: the harness calls each WRONG; a run that broke off is an error."""

import re

import pytest

from harness import STEPS, build, compile_together, csv_row, once, run

N = 5000  # 19 full blocks of 256 and one of 136
LOAD = "s[tid] = i < n ? in[i] : 0;"
STORE = "sums[blockIdx.x] = s[0];"

# Texts of step 03 and what takes their place.
WRONG = {
    "one-element-missing": (LOAD, f"s[tid] = i < n && !(n == {N} && i == 777) ? in[i] : 0;"),
    "the-last-element-missing": ("    do {", "    n--;\n    do {"),
    "one-element-counted-twice": (LOAD, LOAD + f"\n    if (n == {N} && i == 777)\n"
                                  "        s[tid] += in[i];"),
    "one-element-in-anothers-place": (LOAD, "s[tid] = i < n ? in[i == 777 ? 776 : i] : 0;"),
    "the-last-partial-tile-dropped": ("(n + BLOCK - 1) / BLOCK", "n < BLOCK ? 1 : n / BLOCK"),
    "nothing-written": (STORE, "if (n == 0)\n            sums[0] = 0;"),
    "off-by-one-in-one-block": (STORE, "sums[blockIdx.x] = s[0] + (blockIdx.x == 13);"),
    "a-round-of-the-tree-missing": ("stride > 0", "stride > 1"),
    "all-zero": (STORE, "sums[blockIdx.x] = 0;"),
    "scratch-taken-for-zeros": (STORE, "sums[blockIdx.x] = s[0] + (gridDim.x > 1 ? "
                                "sums[blockIdx.x] : 0);"),
    "a-result-taken-for-zero": (STORE, "sums[blockIdx.x] = s[0] + (gridDim.x == 1 ? sums[0] : 0);"),
    "NaN": (STORE, "sums[blockIdx.x] = blockIdx.x == 13 ? (elem_t)NAN : s[0];"),
    "infinity": (STORE, "sums[blockIdx.x] = s[0] * (elem_t)INFINITY;"),
}
GARBAGE = "nothing-written", "scratch-taken-for-zeros", "a-result-taken-for-zero"
# … which break off, or whose sum is right
REFUSED = "<<<blocks, BLOCK>>>", "<<<blocks, n < 100 ? 2048 : BLOCK>>>"
DEADLOCK = ("if (tid < stride)",
            "if (tid == 40)\n            __syncwarp();\n        else if (tid < stride)")
RACE = "        __syncthreads();\n    }", "    }"
ALL = WRONG | {"refused": REFUSED, "deadlock": DEADLOCK, "race": RACE}


def changed(old, new):
    source = STEPS["03"].read_text()
    assert source.count(old) == 1
    return source.replace(old, new)


def program(name, type):
    def compile_in(folder):
        harness = (build(type=type, steps=("03",)) / "common").glob("*.o")
        files = [(each, folder / "03-x" / f"{each}.txt") for each in ALL]
        (folder / "03-x").mkdir()
        for each, file in files:
            file.write_text(changed(*ALL[each]))
        compile_together(files, folder / "all/together.cu", "-Icommon", f"-DTYPE={type}",
                         "-DBLOCK=256", *sorted(harness))

    return once(f"wrong-{type}", compile_in) / "all" / name


def assert_told(done, name):
    """What the harness has poisoned is garbage, of which the checks know."""
    if name in GARBAGE:
        assert done.returncode == 4
        assert re.findall("^simt: ([^,]*)", done.stderr, re.MULTILINE) == [
            "uninitialised global memory"]
    else:
        assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("type, options", [("int", []), ("float", []), ("float", ["--uniform"])])
@pytest.mark.parametrize("name", WRONG)
def test_wrong(name, type, options):
    if type == "int" and name in ("NaN", "infinity"):
        return
    done = run(program(name, type), "-n", N, *options)
    assert_told(done, name)
    assert "   WRONG\n" in done.stdout and "OK" not in done.stdout
    done = run(program(name, type), "-n", N, "--csv", *options)
    row = csv_row(done)
    assert_told(done, name)
    assert (row["verified"], row["name"]) == ("no", "x") and row["result"] != row["expected"]


def test_counters_of_a_wrong_one():
    """stdout has the table alone."""
    done = run(program("one-element-missing", "int"), "-n", N, "--counters=csv")
    assert (done.returncode, done.stderr) == (1, "step03: the result was WRONG\n")
    assert "WRONG" not in done.stdout


def test_poison():
    """Nothing that a reduction is given is 0, nor left from the last one: all bits are set."""
    for name, elements in ("scratch-taken-for-zeros", 20), ("a-result-taken-for-zero", 1):
        row = csv_row(run(program(name, "int"), "-n", N, "--csv", env={"SIMT_CHECKS": "off"}))
        assert int(row["result"]) == int(row["expected"]) - elements


@pytest.mark.parametrize("name, culprit, status, told", [
    ("refused", "        CHECK(cudaGetLastError());", 3,
     ["refused.txt:{}: cudaGetLastError(): invalid configuration argument "
      "(cudaErrorInvalidConfiguration)\n\nsimt: note: launch that the device refuses",
      "A block of 2048 threads"]),
    ("deadlock", "            __syncwarp();", 4,
     ["\nsimt: deadlock, kernel reduce_block\n",
      "deadlock.txt:{}  __syncwarp();\n      thread (40,0,0) of",
      "1 thread waits at __syncwarp, mask 0xffffffff ("])])
def test_error_in_the_middle(name, culprit, status, told):
    """Its words and its place, and no report."""
    line = changed(*ALL[name]).splitlines().index(culprit) + 1
    for options in [], ["--csv"]:
        done = run(program(name, "int"), "-n", N, *options)
        assert (done.returncode, done.stdout) == (status, "")
        assert all(text.format(line) in done.stderr for text in told), done.stderr


@pytest.mark.parametrize("options", [[], ["--csv"], ["--counters=csv"], ["--annotate"]])
def test_bug_behind_a_right_result(options):
    """A race that nobody noticed: the report is as ever, and the status is 4."""
    line = changed(*RACE).splitlines().index("            s[tid] += s[tid + stride];") + 1
    for n in N, 256:
        done = run(program("race", "int"), "-n", n, *options)
        assert done.returncode == 4 and done.stdout
        assert "\nsimt: race in shared memory, kernel reduce_block" in done.stderr
        assert f"race.txt:{line}  s[tid] += s[tid + stride];\n" in done.stderr
        done = run(program("race", "int"), "-n", n, *options, env={"SIMT_CHECKS": "off"})
        assert done.returncode in (0, 1) and "race" not in done.stderr

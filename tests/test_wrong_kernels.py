"""Deliberately wrong reductions: the harness calls each WRONG; a run that broke off is an error."""

import re

import pytest

from harness import STEPS, build, compile_together, csv_row, once, replay, run

N = 5000  # 19 full blocks of 256 and one of 136
LOAD = "s[tid] = i < n ? in[i] : 0;"
STORE = "sums[blockIdx.x] = s[0];"

# Texts of step 03 and what takes their place.
WRONG = {
    "one-element-missing": (LOAD, f"s[tid] = i < n && !(n == {N} && i == 777) ? in[i] : 0;"),
    "the-last-element-missing": ("    do {", "    n--;\n    do {"),
    "one-element-in-anothers-place": (LOAD, "s[tid] = i < n ? in[i == 777 ? 776 : i] : 0;"),
    "the-last-partial-tile-dropped": ("(n + BLOCK - 1) / BLOCK", "n < BLOCK ? 1 : n / BLOCK"),
    "nothing-written": (STORE, "if (n == 0)\n            sums[0] = 0;"),
    "a-round-of-the-tree-missing": ("stride > 0", "stride > 1"),
    "scratch-taken-for-zeros": (STORE, "sums[blockIdx.x] = s[0] + (gridDim.x > 1 ? "
                                "sums[blockIdx.x] : 0);"),
    "a-result-taken-for-zero": (STORE, "sums[blockIdx.x] = s[0] + (gridDim.x == 1 ? sums[0] : 0);"),
    "NaN": (STORE, "sums[blockIdx.x] = blockIdx.x == 13 ? (elem_t)NAN : s[0];"),
    "infinity": (STORE, "sums[blockIdx.x] = s[0] * (elem_t)INFINITY;"),
}
# … which break off, or whose sum is right
REFUSED = "<<<blocks, BLOCK>>>", "<<<blocks, n < 100 ? 2048 : BLOCK>>>"
DEADLOCK = ("if (tid < stride)",
            "if (tid == 40)\n            __syncwarp();\n        else if (tid < stride)")
RACE = "        __syncthreads(); /* the next round reads these sums */\n", ""
PROGRAMS = {"int": WRONG | {"refused": REFUSED, "deadlock": DEADLOCK, "race": RACE},
            "float": {name: WRONG[name] for name in (
                "one-element-missing", "the-last-element-missing", "NaN", "infinity")}}


def changed(old, new):
    source = STEPS["03"].read_text()
    assert source.count(old) == 1
    return source.replace(old, new)


def program(name, type):
    def compile_in(folder):
        harness = (build(type=type, steps=("03",)) / "common").glob("*.o")
        files = [(each, folder / "03-x" / f"{each}.txt") for each in PROGRAMS[type]]
        (folder / "03-x").mkdir()
        for each, file in files:
            file.write_text(changed(*PROGRAMS[type][each]))
        compile_together(files, folder / "all/together.cu", "-Icommon", f"-DTYPE={type}",
                         "-DBLOCK=256", *sorted(harness))

    return once(f"wrong-{type}", compile_in) / "all" / name


def told(done):
    """The status and the verdict, what the checks found, and where: the line's text in the source."""
    verdict = re.findall(r"^  (?:sum|error) (.*)", done.stdout.replace("-nan", "nan"), re.M)
    found = re.findall(r"^simt: (?!\d).*?(?=, \d|\n)|^.*cuda\w+\(\): .*", done.stderr, re.M)
    places = re.findall(r"^  \S+\.txt:\d+(  .*)", done.stderr, re.M)
    lines = [re.sub(r"^\S*/(\S+):\d+:", r"\1:", line).strip() for line in found + places]
    return f"[{done.returncode}] " + "; ".join(verdict * ("race" not in done.stderr) + lines) + "\n"


def test_golden_wrong():
    """A typed line is a program, its type and options. Memory that the harness has poisoned has all bits set,
    so a sum of ints is less by one for each such word; the checks know it as garbage. A run that broke off
    prints no result; a race behind a right result has status 4."""
    def call(typed):
        name, type, *options = typed.split()
        done, as_csv = (run(program(name, type), "-n", N, *options, *form)
                        for form in ([], ["--csv"]))
        row = csv_row(as_csv) if as_csv.stdout else {"verified": "", "name": "x"}
        assert (done.returncode, row["name"]) == (as_csv.returncode, "x")
        assert (row["verified"] == "no") == ("   WRONG\n" in done.stdout)
        return told(done)

    replay("wrong-kernels.csv", call)


@pytest.mark.parametrize("options", [["--csv"], ["--counters=csv"], ["--annotate"]])
def test_bug_behind_a_right_result(options):
    """The output is as ever; without the checks no race is found."""
    for n in N, 256:
        done = run(program("race", "int"), "-n", n, *options)
        assert done.returncode == 4 and done.stdout
        assert "\nsimt: race in shared memory, kernel reduce_block" in done.stderr
        done = run(program("race", "int"), "-n", n, *options, env={"SIMT_CHECKS": "off"})
        assert done.returncode in (0, 1) and "race" not in done.stderr

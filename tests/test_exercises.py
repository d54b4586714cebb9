"""Exercises: what is given fails with the hint meant for it, solutions pass, and wrong answers are
refused for the right reason."""

import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from conftest import ENVIRONMENT, HANG, ROOT, locked, make, run
from exercises.teach.marks import can_confine
from test_arrows import arrows, circle

EXERCISES = {path.parent.name[:2]: path.parent
             for path in sorted((ROOT / "exercises").glob("*/task.txt"))}
MARK = ROOT / "build/exercises/mark"


@pytest.fixture(scope="session")
def marker(simt):
    """The marker and all references, once for all tests."""
    with locked(ROOT / "build" / "exercises"):
        done = make("-s", "-j2", "marker")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.fixture
def mark(marker, tmp_path):
    """Marks a source for an exercise: how it ended, the JSON, and what a student reads."""
    def marked(number, source, *options):
        (tmp_path / "main.cu").write_text(source)
        file = tmp_path / "mark.json"
        done = run(MARK, "--file", tmp_path / "main.cu", "--json", file, "--seed", 1, *options,
                   EXERCISES[number])
        assert done.stderr == ""
        assert max(map(len, done.stdout.splitlines())) <= 80, done.stdout
        assert not re.search("The next: .*HINT=1$", done.stdout, re.M)
        result = json.loads(file.read_text())
        assert_format(result)
        assert result["status"] == done.returncode
        return result, done.stdout
    return marked


# The members of a mark and their types, as exercises/FORMATS.md has them.
TEXT, NUMBER = (str, type(None)), (int, float, type(None))
FORMAT = {"version": int, "name": str, "title": str, "passed": bool, "status": int, "score": int,
          "reason": str, "message": str, "hint": TEXT, "hints": int, "places": list,
          "compiler": TEXT, "said": TEXT, "printed": TEXT, "type": str, "types": list,
          "sizes": dict, "seed": int, "predicted": NUMBER, "came": NUMBER,
          "budgets": list, "counters": dict, "findings": list}


def assert_format(result):
    assert list(result) == list(FORMAT)
    for name, types in FORMAT.items():
        assert isinstance(result[name], types), name
    assert result["passed"] == (result["status"] == 0) == (result["reason"] == "done") == \
        (result["score"] == 100)
    documented = (ROOT / "exercises/FORMATS.md").read_text()
    assert all(f"| `{name}` |" in documented for name in FORMAT)


def given(number):
    return (EXERCISES[number] / "given.cu").read_text()


def solution(number):
    return (EXERCISES[number] / "solution.cu").read_text()


def types(number):
    """Those that it is marked for, the first one first."""
    return re.search("^types (.*)", (EXERCISES[number] / "task.txt").read_text(), re.M)[1].split()


def changed(source, old, new, count=-1):
    assert old in source
    return source.replace(old, new, count)


# ---- what is given, and what solves it ----

# A word of the hint that is meant for it
HINT = {"01": "lane 1", "02": "4 warps", "03": "lanes 0, 1, 2", "04": "stride 128", "05": "leaves 48",
        "06": "__shfl_down_sync", "07": "still added", "08": "travel together",
        "09": "in a register", "10": "lane 1", "11": "two lines", "12": "488 elements",
        "13": "232 elements", "14": "must call", "15": "The ticket is an atomic", "16": "24 bits",
        "17": "s[1][5]", "18": "its own 64", "19": "as for 4096", "20": "sum of four",
        "21": "one block has all"}
HUNT = {"11", "12", "13", "14", "15"}  # a bug is to be found: lines are shown by HINT=1
TO_WRITE = "07", "08"  # what is given is another reduction, with another result


def assert_given(result):
    """Not yet: for a budget that is the task, or for what is to be found: a bug, or why it is wrong."""
    tasks = [budget["name"] for budget in result["budgets"] if not budget["keep"]]
    assert (result["status"], result["score"]) == (1, 0)
    wrong = ["wrong"] if result["name"][:2] in TO_WRITE else []
    found = [each["id"] for each in result["findings"]]
    assert result["reason"] == [*wrong, *tasks, *found, "wrong"][0]


def shown(number):
    """The options that show the first hint."""
    return ["--hint", 2] if number in HUNT else []


@pytest.mark.parametrize("number", EXERCISES)
def test_given(mark, number):
    """Right results, but where that is the task; its hint is shown, at a line of main.cu."""
    result, text = mark(number, given(number), "--type", types(number)[0], "--runs", 1,
                        *shown(number))
    assert_given(result)
    assert result["types"][0]["right"] == (result["reason"] != "wrong") and "Hint " in text
    assert result["hints"] >= 2 and HINT.get(number, "") in " ".join(result["hint"].split())
    assert " ".join(result["hint"].split()) in " ".join(text.split())
    assert bool(result["places"]) == (result["reason"] != "wrong")
    for place in result["places"]:
        assert f"main.cu:{place['line']}" in text
        assert given(number).splitlines()[place["line"] - 1].strip() == place["source"]
    to_find = result["findings"] != [] or (result["reason"] == "wrong" and number not in TO_WRITE)
    assert ("FIXME" in given(number)) != to_find
    assert "FIXME" not in solution(number)


@pytest.mark.parametrize("number", sorted(HUNT))
def test_a_hunt_shows_no_line_before_it_is_asked(mark, number):
    result, text = mark(number, given(number), "--type", "int", "--runs", 1)
    assert (result["reason"], result["hint"], result["places"]) != ("wrong", None, [])
    assert result["places"] == [] and "main.cu:" not in text and "HINT=1" in text


# What the solution has of what is predicted
PREDICTED = {"01": 4, "03": 1, "04": 9, "06": 86, "17": 1, "18": 2}


def test_predictions(mark):
    """The student's number stands beside what came, in words, for each type."""
    assert [number for number in EXERCISES if "PREDICT:" in given(number)] == list(PREDICTED)
    for number, came in PREDICTED.items():
        source = re.sub("(PREDICT:.*= )[?]", r"\g<1>77", solution(number))
        for type in types(number):
            result, text = mark(number, source, "--type", type, "--runs", 1)
            assert (result["predicted"], result["came"]) == (77, came)
            assert f"you predicted 77; {came} came" in " ".join(text.split())


def assert_margins(result):
    """A solution is not at the edge; nothing is above 95 % of its limit, except of a limit 0."""
    assert result["budgets"]
    for budget in result["budgets"]:
        assert budget["met"] and budget["value"] <= 0.95 * budget["limit"], budget


@pytest.mark.parametrize("number", EXERCISES)
def test_solution(mark, number):
    result, text = mark(number, solution(number), "--type", types(number)[0])
    assert result["passed"] and result["findings"] == [], text
    assert result["types"][0]["runs"] == result["types"][0]["right"] >= 12
    assert_margins(result)
    assert f"make solution-{number}" in text and f"right at {result['types'][0]['runs']}" in text


@pytest.mark.slow
@pytest.mark.parametrize("number", EXERCISES)
def test_solution_for_all_types(mark, number):
    """At sizes and with inputs that nobody has chosen, three times."""
    for _ in range(3):
        done = run(MARK, "--quiet", "--file", EXERCISES[number] / "solution.cu", EXERCISES[number])
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    result, _ = mark(number, solution(number))
    assert [each["type"] for each in result["types"]] == types(number)
    assert_margins(result)


@pytest.mark.slow
@pytest.mark.parametrize("number", EXERCISES)
def test_given_for_all_types(mark, number):
    for type in types(number)[1:]:
        assert_given(mark(number, given(number), "--type", type, *shown(number))[0])


def names(source):
    """The sizes and arrays that a program asks for."""
    return set(re.findall(r'task_\w+\(task, ("\w+")', source))


@pytest.mark.slow
@pytest.mark.parametrize("number", EXERCISES)
def test_no_program_is_done_as_another_exercise(mark, number):
    """Only programs that ask for its arrays and sizes come so far as to be wrong."""
    task = (EXERCISES[number] / "task.txt").read_text()
    known = {f'"{name}"' for name in re.findall(r"^(?:size|in|out|work) (\S+)", task, re.M)}
    for other in EXERCISES:
        for source in given(other), solution(other):
            if other != number and names(source) <= known:
                result, text = mark(number, source, "--type", types(number)[0])
                assert not result["passed"], text


@pytest.mark.parametrize("block, reason", [(32, "atomics"), (64, "atomics"), (128, "done"), (256, "barriers"),
                                           (512, "threads"), (1024, "threads")])
def test_which_block_size(mark, block, reason):
    source = changed(given("21"), "#define BLOCK 1024", f"#define BLOCK {block}")
    assert mark("21", source, "--type", "int")[0]["reason"] == reason


# ---- other right answers ----

def assert_right(mark, number, source):
    result, text = mark(number, source, "--type", types(number)[-1])
    assert result["passed"], text


@pytest.mark.slow
@pytest.mark.parametrize("block", [128, 512, 1024])
@pytest.mark.parametrize("number", ["03", "04", "07", "08", "09", "10", "11", "15", "16", "18", "19"])
def test_other_block_sizes(mark, number, block):
    """A budget asks for an idea, not for our number of threads."""
    if number == "15" and block < 256:
        pytest.skip("its memory to work with has a word for each 256 elements")
    source = re.sub("(#define BLOCK) (256|128)", rf"\1 {block}", solution(number))
    if number == "03":  # its tile must fit into 48 KiB of shared memory
        source = source.replace(f"BLOCK {block}", "BLOCK 64")
    assert f"BLOCK {block}" in source or number == "03"
    assert_right(mark, number, source)


# The solution, but for one thing: the exercise, and what becomes what
ALSO_RIGHT = {
    "each warp loads a part of the tile, in blocks of 1024 threads": ("01", {
        "#define BLOCK 256 ": "#define BLOCK 1024", "#define ELEMS 16 ": "#define ELEMS 4",
        "tile + k * BLOCK + tid": "tile + tid / 32 * (32 * ELEMS) + k * 32 + tid % 32"}),
    "the tile goes through shared memory": ("01", {
        "s[BLOCK];": "s[BLOCK], all[TILE];",
        """        if (i < n)
            sum += in[i];
    }
""": """        all[k * BLOCK + tid] = i < n ? in[i] : 0;
    }
    __syncthreads();
    for (unsigned k = 0; k < ELEMS; k++)
        sum += all[tid * ELEMS + k];
"""}),
    "a row is a column of the tile": ("02", {
        "s[ROWS][COLS]": "s[COLS][ROWS]", "s[row][col]": "s[col][row]",
        "stride = 1; stride < COLS; stride *= 2": "stride = COLS / 2; stride > 0; stride /= 2",
        "        unsigned pairs = COLS / (2 * stride); /* of one row */\n": "",
        "ROWS * pairs": "ROWS * stride",
        "unsigned r = tid / pairs, left = tid % pairs * (2 * stride);":
            "unsigned c = tid / ROWS, r = tid % ROWS;",
        "s[r][left] = max(s[r][left], s[r][left + stride]);":
            "s[c][r] = max(s[c][r], s[c + stride][r]);",
        "s[tid][0]": "s[0][tid]"}),
    "one array of pairs": ("04", {
        "__shared__ elem_t s[BLOCK], q[BLOCK];": "__shared__ struct { elem_t s, q; } p[BLOCK];",
        "s[tid] = x": "p[tid].s = x", "q[tid] = x": "p[tid].q = x",
        "s[tid] += s[tid + stride]": "p[tid].s += p[tid + stride].s",
        "q[tid] += q[tid + stride]": "p[tid].q += p[tid + stride].q",
        "s[0]": "p[0].s", "q[0]": "p[0].q"}),
    "the block's upper half adds up the squares": ("04", {
        "        if (tid < stride) {\n": """        unsigned t = tid % (BLOCK / 2);
        elem_t *of = tid < BLOCK / 2 ? s : q;
        if (t < stride) {
""",
        "s[tid] += s[tid + stride]": "of[t] += of[t + stride]",
        "            q[tid] += q[tid + stride];\n": ""}),
    "two elements per thread, and two trees": ("04", {
        "(size_t)blockIdx.x * BLOCK + tid": "(size_t)blockIdx.x * (2 * BLOCK) + tid",
        "in[i] : 0;": "in[i] : 0, y = i + BLOCK < n ? in[i + BLOCK] : 0;",
        "s[tid] = x;": "s[tid] = x + y;", "x * x;": "x * x + y * y;",
        "            q[tid] += q[tid + stride];\n        }\n        __syncthreads();\n    }\n": """        }
        __syncthreads();
    }
    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            q[tid] += q[tid + stride];
        __syncthreads();
    }
""",
        "(n + BLOCK - 1) / BLOCK,": "(n + 2 * BLOCK - 1) / (2 * BLOCK),"}),
    "blocks of 512 threads whose thread 0 joins the pairs": ("06", {
        "#define BLOCK 256": "#define BLOCK 512",
        "(size_t)blockIdx.x * (2 * BLOCK) + tid, j = i + BLOCK": "(size_t)blockIdx.x * BLOCK + tid",
        "b = in[j < n ? j : n - 1]": "b = a",
        "if (tid < 32) {\n        lo = low[tid % WARPS]; /* four lanes have the same value */\n"
        "        hi = high[tid % WARPS];\n":
            "if (tid == 0) {\n        lo = low[0];\n        hi = high[0];\n",
        "delta = WARPS / 2; delta > 0; delta /= 2": "w = 1; w < WARPS; w++",
        "min(lo, __shfl_down_sync(0xffffffff, lo, delta));\n            hi = max(hi, "
        "__shfl_down_sync(0xffffffff, hi, delta));\n        }":
            "min(lo, low[w]);\n            hi = max(hi, high[w]);\n        }",
        "(n + 2 * BLOCK - 1) / (2 * BLOCK)": "(n + BLOCK - 1) / BLOCK"}),
    "each thread begins with an element of its own": ("07", {
        "in[0];": "in[blockIdx.x * BLOCK + tid < n ? blockIdx.x * BLOCK + tid : n - 1];",
        "__shfl_down_sync": "__shfl_xor_sync"}),
    "a tree in shared memory": ("07", {
        "s[BLOCK / 32];": "s[BLOCK];",
        "    x = join_warp(x);\n    if (tid % 32 == 0)\n        s[tid / 32] = x;": "    s[tid] = x;",
        "    if (tid < 32) {\n        x = join_warp(s[tid % (BLOCK / 32)]);\n": """\
    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            s[tid] = s[tid + stride] > s[tid] ? s[tid + stride] : s[tid];
        __syncthreads();
    }
    {
        x = s[0];
"""}),
    "one product per thread": ("09", {
        "    if (i + BLOCK < n)\n        x += a[i + BLOCK] * b[i + BLOCK];\n": "",
        "2 * BLOCK": "BLOCK"}),
    "a word for each warp and tile": ("11", {
        "s[BLOCK / 32]": "s[TILES][BLOCK / 32]", "s[warp]": "s[(tile - first) / BLOCK][warp]",
        "        __syncthreads();\n\n        if (warp == 0)\n": """\
    }
    __syncthreads();
    for (size_t tile = first; tile < end; tile += BLOCK) {
        if (warp == 0)
""",
        "s[lane]": "s[(tile - first) / BLOCK][lane]",
        "        __syncthreads(); /* s is free for the next tile */\n": ""}),
    "the sums of all tiles first": ("11", {
        "    for (size_t tile = first; tile < end; tile += BLOCK) {\n": "    {\n",
        "elem_t x = add_warp(tile + tid < n ? in[tile + tid] : 0);": """elem_t x = 0;
        for (size_t i = first + tid; i < end; i += BLOCK)
            x += in[i];
        x = add_warp(x);"""}),
    "blocks of 512 threads": ("02", {"#define BLOCK 256": "#define BLOCK 512"}),
    "blocks of 64 threads": ("02", {"#define BLOCK 256": "#define BLOCK 64"}),
    "rows of 33 words": ("03", {"[BLOCK][COLS];": "[BLOCK][COLS + 1];", "(k + tid) % COLS": "k"}),
    "another permutation in each lane": ("03", {"(k + tid) % COLS": "k ^ col"}),
    "a barrier of each kind in one loop": ("05", {
        """    if (tid < BLOCK / 2)
        s[tid] += s[tid + BLOCK / 2];
    __syncthreads();

    if (tid < 32) {""": "    {", "left = BLOCK / 2": "left = BLOCK",
        "__syncwarp();": "if (half > 32) __syncthreads(); else __syncwarp();"}),
    "two rows of words that take turns": ("11", {
        "s[BLOCK / 32];": "s[2][BLOCK / 32];", "s[warp]": "s[tile / BLOCK % 2][warp]",
        "s[lane]": "s[tile / BLOCK % 2][lane]",
        "        __syncthreads(); /* s is free for the next tile */\n": ""}),
    "a clamped index": ("13", {
        "i < n ? in[i] : 0": "in[i < n ? i : n - 1] * (elem_t)(i < n)"}),
    "a tree that leaves out what is not there": ("13", {
        "    s[tid] = i < n ? in[i] : 0": "    if (i < n)\n        s[tid] = in[i]",
        "if (tid < stride)": "if (tid < stride && i + stride < n)"}),
    "a quarter of the threads loads 16 bytes each": ("13", {
        "    s[tid] = i < n ? in[i] : 0;": """    struct __align__(16) wide { elem_t of[16 / sizeof(elem_t)]; };
    size_t first = (size_t)blockIdx.x * BLOCK;
    if (first + BLOCK > n)
        s[tid] = i < n ? in[i] : 0;
    else if (tid < BLOCK * sizeof(elem_t) / 16) {
        struct wide v = ((const struct wide *)(in + first))[tid];
        for (unsigned j = 0; j < 16 / sizeof(elem_t); j++)
            s[tid * (16 / sizeof(elem_t)) + j] = v.of[j];
    }"""}),
    "thread 0 adds up": ("14", {
        "if (tid < BLOCK / 32) {\n        x = s[tid];": "if (tid == 0) {\n        x = s[0];",
        "delta = BLOCK / 64; delta > 0; delta /= 2": "w = 1; w < BLOCK / 32; w++",
        "__shfl_down_sync(0xff, x, delta, BLOCK / 32)": "s[w]"}),
    "all 32 lanes call": ("14", {
        "if (tid < BLOCK / 32) {\n        x = s[tid];":
            "if (tid < 32) {\n        x = tid < BLOCK / 32 ? s[tid] : 0;",
        "(0xff, x, delta, BLOCK / 32)": "(0xffffffff, x, delta)"}),
    "an exchange among eight lanes": ("14", {
        "__shfl_down_sync(0xff, x, delta, BLOCK / 32)": "__shfl_xor_sync(0xff, x, delta)"}),
    "a ticket that the last block sets to 0": ("15", {
        "last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;":
            "if ((last = atomicAdd(&ticket, 1) + 1 == gridDim.x)) ticket = 0;"}),
    "a fence of all threads": ("15", {
        "        __threadfence(); /* first the sum, then the ticket */\n":
            "    }\n    __threadfence();\n    if (tid == 0) {\n"}),
    "16 elements per thread, in doubles": ("16", {
        "__shared__ elem_t": "__shared__ double",
        "    s[tid] = i < n ? in[i] : 0;": """    s[tid] = 0;
    for (; i < n; i += gridDim.x * BLOCK)
        s[tid] += in[i];""",
        "(n + BLOCK - 1) / BLOCK,": "(n + 16 * BLOCK - 1) / (16 * BLOCK),"}),
    "columns permuted by exclusive or, in blocks of 1024 threads": ("17", {
        "#define ROWS 8 ": "#define ROWS 32", "[TILE + 1];": "[TILE];", "s[k][x]": "s[k][x ^ k]",
        "s[x][k]": "s[x][k ^ x]"}),
    "two tiles per block": ("17", {
        "s[TILE][TILE + 1]": "s[2][TILE][TILE + 1]",
        "y = threadIdx.y;": "y = threadIdx.y % ROWS, z = threadIdx.y / ROWS;",
        "(size_t)blockIdx.x * TILE": "((size_t)blockIdx.x * 2 + z) * TILE",
        "s[k][x]": "s[z][k][x]", "s[x][k]": "s[z][x][k]",
        "(cols + TILE - 1) / TILE": "(cols + 2 * TILE - 1) / (2 * TILE)",
        "block(TILE, ROWS)": "block(TILE, 2 * ROWS)"}),
    "row r begins at column r": ("17", {
        "[TILE + 1]; /* a column is in all banks */": "[TILE];", "s[k][x]": "s[k][(x + k) % TILE]",
        "s[x][k]": "s[x][(k + x) % TILE]"}),
    "few blocks, which go through all keys": ("18", {
        "BLOCK 256 ": "BLOCK 1024", "i = first + tid; i < end; i += BLOCK":
            "i = blockIdx.x * BLOCK + tid; i < n; i += gridDim.x * BLOCK",
        "    size_t first = (size_t)blockIdx.x * TILE;\n"
        "    size_t end = first + TILE < n ? first + TILE : n;\n": "",
        "if (tid < BINS)\n        atomicAdd": "if (tid < BINS && s[tid] > 0)\n        atomicAdd"}),
    "two arrays take turns": ("20", {
        "s[BLOCK];": "s[2][BLOCK];\n    unsigned now = 0;",
        "    s[tid] = sum;\n    __syncthreads();\n\n": "    s[0][tid] = sum;\n    __syncthreads();\n\n",
        "s[tid - d]": "s[now][tid - d]", "        __syncthreads(); /* all have read */\n": "",
        "        s[tid] = sum;": "        now = 1 - now;\n        s[now][tid] = sum;"})}


@pytest.mark.slow
@pytest.mark.parametrize("number, changes", ALSO_RIGHT.values(), ids=ALSO_RIGHT)
def test_right_but_for_one_thing(mark, number, changes):
    source = solution(number)
    for old, new in changes.items():
        source = changed(source, old, new)
    assert_right(mark, number, source)


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted((ROOT / "tests/right").glob("*.cu")), ids=lambda file: file.stem)
def test_other_right_answers(mark, file):
    """A kernel, in front of the solution's task_run() where the file has none of its own."""
    number, source = file.name[:2], file.read_text()
    if "void task_run" not in source:
        source += solution(number)[solution(number).index("void task_run"):]
    assert_right(mark, number, source)


# ---- wrong answers ----

# Of exercises that make a value of a tile: its elements (all are one tile of 2^30), and where the
# value is stored
TILE = {"01": (4096, "sums"), "03": (32, "sums"), "05": (96, "sums"), "07": (2**30, "max"),
        "08": (2**30, "max"), "09": (2**30, "dot"), "11": (2048, "sums"), "12": (512, "sums"),
        "13": (256, "parts"), "14": (256, "totals"), "19": (2**30, "sum")}


def program(number, kernel, host):
    """A source with this kernel and this body of task_run; out[b] is the sum of tile b."""
    tile, out = TILE[number]
    n = '32 * task_size(task, "rows")' if number == "03" else 'task_size(task, "n")'
    return f"""#include "task.h"
#include <stdlib.h>
#include <unistd.h>
#define TILE (size_t){tile}
{kernel}
void task_run(const struct task *task)
{{
    const elem_t *in = task_in(task, "{'a' if number == '09' else 'in'}");
    elem_t *out = task_out(task, "{out}");
    size_t n = {n}, tiles = (n + TILE - 1) / TILE;
    {host}
    CHECK(cudaGetLastError());
}}
"""


SERIAL = ("""__global__ void add(const elem_t *in, elem_t *out, size_t n)
{
    size_t tile = blockIdx.x * TILE;
    elem_t sum = 0;
    if (threadIdx.x == 0) {
        for (size_t i = tile; i < tile + TILE && i < n; i++)
            sum += in[i];
        out[blockIdx.x] = sum;
    }
}""", "add<<<tiles, 256>>>(in, out, n);")

HARD_CODED = ("__global__ void answer(elem_t *out) { out[blockIdx.x] = 1234; }",
              "(void)in; answer<<<tiles, 1>>>(out);")

LOOK = """__global__ void look(const elem_t *in, elem_t *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n && in[i] == (elem_t)12345)
        out[0] = 0;
}
"""
ADD_ON_HOST = """
    elem_t *h = (elem_t *)malloc(n * sizeof *h), *s = (elem_t *)calloc(tiles, sizeof *s);
    CHECK(cudaMemcpy(h, in, n * sizeof *h, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        s[i / TILE] += h[i];
    CHECK(cudaMemcpy(out, s, tiles * sizeof *s, cudaMemcpyHostToDevice));
"""
NO_KERNEL = ("", ADD_ON_HOST)
HOST = (LOOK, "look<<<(n + 255) / 256, 256>>>(in, out, n);" + ADD_ON_HOST)
BY_WAY_OF_MANAGED = ("""__global__ void copy(const elem_t *in, elem_t *m, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        m[i] = in[i];
}""", """elem_t *m, *s = (elem_t *)calloc(tiles, sizeof *s);
    CHECK(cudaMallocManaged((void **)&m, n * sizeof *m));
    copy<<<(n + 255) / 256, 256>>>(in, m, n);
    CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n; i++)
        s[i / TILE] += m[i];
    CHECK(cudaMemcpy(out, s, tiles * sizeof *s, cudaMemcpyHostToDevice));""")
# A warp stores four elements a lane at once
BY_WIDE_COPIES = ("""struct __align__(16) wide { elem_t of[16 / sizeof(elem_t)]; };
#define EACH (16 / sizeof(elem_t))
__global__ void copy(const elem_t *in, wide *m, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, k = i * EACH;
    wide w;
    if (k + EACH <= n)
        w = ((const wide *)in)[i];
    else
        for (size_t j = 0; j < EACH; j++)
            w.of[j] = k + j < n ? in[k + j] : 0;
    if (k < n)
        m[i] = w;
}""", """elem_t *m, *s = (elem_t *)calloc(tiles, sizeof *s);
    CHECK(cudaMallocManaged((void **)&m, (n + EACH) * sizeof *m));
    copy<<<(n / EACH + 256) / 256, 256>>>(in, (wide *)m, n);
    CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n; i++)
        s[i / TILE] += m[i];
    CHECK(cudaMemcpy(out, s, tiles * sizeof *s, cudaMemcpyHostToDevice));""")
LEAVES_OUT = ("""__global__ void add(const elem_t *in, elem_t *out, size_t n)
{
    size_t i = blockIdx.x * TILE + threadIdx.x;
    elem_t x = i < n && threadIdx.x < 8 ? in[i] : 0;
    for (unsigned d = 16; d > 0; d /= 2)
        x += __shfl_down_sync(~0u, x, d);
    if (threadIdx.x == 0)
        out[blockIdx.x] = x;
}""", "add<<<tiles, 32>>>(in, out, n);")

# One thread adds what all have loaded
SHARED_SERIAL = ("""__global__ void add(const elem_t *in, elem_t *out, size_t n)
{
    __shared__ elem_t s[32];
    size_t tile = blockIdx.x * TILE;
    unsigned tid = threadIdx.x;
    elem_t sum = 0;
    for (size_t begin = tile; begin < tile + TILE && begin < n; begin += 32) {
        s[tid] = begin + tid < n ? in[begin + tid] : 0;
        __syncwarp();
        for (unsigned k = 0; tid == 0 && k < 32; k++)
            sum += s[k];
        __syncwarp();
    }
    if (tid == 0)
        out[blockIdx.x] = sum;
}""", "add<<<tiles, 32>>>(in, out, n);")

BARRIER = "__syncthreads();"


def races(number):
    """A right result on most days: the solution without one of its barriers."""
    source = solution(number)
    if number == "05":
        return changed(source, "            __syncwarp();\n", "")
    return changed(source, BARRIER, "", 1)


def one_more(number):
    """All of the work, and another result."""
    return re.sub(r"((?:sums|parts|totals)\[(?:blockIdx.x|first . tid)\])( = [^;]*)",
                  r"\1\2 + 1", solution(number))


WRONG = {
    "serial": (lambda k: program(k, *SERIAL), "serial"),
    "hard-coded": (lambda k: program(k, *HARD_CODED), "unread"),
    "host": (lambda k: program(k, *HOST), "host"),
    "race": (races, "shared-race"),
}
# The same as SERIAL in company: all threads load, again and again, what nobody adds
IN_COMPANY = (SERIAL[0].replace("    if (threadIdx.x == 0) {", """    for (int k = 0; k < 9; k++)
        if (tile + threadIdx.x < n && ((const volatile elem_t *)in)[tile + threadIdx.x] == 12345)
            sum = 0;
    if (threadIdx.x == 0) {"""), SERIAL[1])
BY_A_SYMBOL = (LOOK + "__device__ elem_t all[1 << 18];\n", """look<<<(n + 255) / 256, 256>>>(in, out, n);
    elem_t *h = (elem_t *)malloc(n * sizeof *h), *s = (elem_t *)calloc(tiles, sizeof *s);
    CHECK(cudaMemcpyToSymbolAsync(all, in, n * sizeof *h, 0, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpyFromSymbol(h, all, n * sizeof *h));
    for (size_t i = 0; i < n; i++)
        s[i / TILE] += h[i];
    CHECK(cudaMemcpy(out, s, tiles * sizeof *s, cudaMemcpyHostToDevice));""")

MORE_WRONG = {
    "serial, in company": (lambda k: program(k, *IN_COMPANY), "serial"),
    "host, by a symbol": (lambda k: program(k, *BY_A_SYMBOL), "host"),
    "no kernel": (lambda k: program(k, *NO_KERNEL), "no-kernel"),
    "host, by managed memory": (lambda k: program(k, *BY_WAY_OF_MANAGED), "stores"),
    "host, by wide copies": (lambda k: program(k, *BY_WIDE_COPIES), "stores"),
    "one more": (one_more, "wrong"),
    "serial, in shared memory": (lambda k: program(k, *SHARED_SERIAL),
                                 "shared"),
    "leaves out": (lambda k: program(k, *LEAVES_OUT), "unread"),
}


def assert_wrong(mark, number, name, *options):
    make_source, reason = (WRONG | MORE_WRONG)[name]
    result, text = mark(number, make_source(number), "--type", "int", *options)
    assert (result["status"], result["score"], result["reason"]) == (1, 0, reason), text
    assert " ".join(result["message"].split()) in " ".join(text.split())
    assert result["types"][0]["runs"] == 1 or not options
    if reason == "wrong":  # the first is told, the others counted
        more = re.search(r"\[0\] is .* \((\d+) more are wrong\)", result["message"])
        n = result["sizes"].get("n") or 32 * result["sizes"]["rows"]
        assert (int(more[1]) if more else 0) + 1 == -(-n // TILE[number][0])


# An exercise's own, which are called as the reason for which they are refused
OWN_WRONG = sorted((ROOT / "exercises").glob("*/wrong/*"))


def wrong_answer(file):
    """A program, or the solution with what a .diff changes in it."""
    text, source = file.read_text(), solution(file.parts[-3][:2])
    for hunk in re.split("^@@.*\n", text, flags=re.MULTILINE)[1:]:
        lines = hunk.splitlines(keepends=True)
        old, new = ("".join(line[1:] or line for line in lines if line[0] != sign) for sign in "+-")
        assert source.count(old) == 1, (file, old)
        source = source.replace(old, new)
    return source if file.suffix == ".diff" else text


# What repeats a path takes its time in make test-all.
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("number", [number if number == "03" else
                                    pytest.param(number, marks=pytest.mark.slow)
                                    for number in TILE])
def test_wrong_answers(mark, number, name):
    assert_wrong(mark, number, name, *(("--at", 256) if name == "serial" else ("--runs", 1)))


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow)
                                  if name == "host, by a symbol" else name for name in MORE_WRONG])
def test_more_wrong_answers(mark, name):
    assert_wrong(mark, "13", name, "--runs", 1)


@pytest.mark.parametrize("file", [
    pytest.param(file, id=f"{file.parts[-3]}-{file.stem}", marks=[] if first else [pytest.mark.slow])
    for files in itertools.groupby(OWN_WRONG, lambda file: file.parent)
    for first, file in zip([True, *[False] * 99], files[1])])
def test_own_wrong_answers(mark, file):
    number = file.parts[-3][:2]
    result, text = mark(number, wrong_answer(file), "--type", types(number)[0], "--runs", 3,
                        "--hint", 2)  # or the last one
    assert not result["hints"] or (f"Hint {min(2, result['hints'])} of" in text and
                                   " ".join(result["hint"].split()) in " ".join(text.split()))
    reason = file.name.partition(".")[0]
    assert (result["status"], result["score"], result["reason"]) == (1, 0, reason), text


def test_each_has_three_wrong_answers():
    for number, folder in EXERCISES.items():
        own = [file for file in OWN_WRONG if folder in file.parents]
        assert len(own) + len(WRONG) * (number in TILE) >= 3, folder


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG | MORE_WRONG)
@pytest.mark.parametrize("number", TILE)
def test_all_wrong_answers_at_all_sizes(mark, number, name):
    assert_wrong(mark, number, name)


# ---- other ways to fail ----

def with_host_code(code, head="", number="04"):
    """The solution, whose task_run does something else first."""
    return head + changed(solution(number), "    size_t n = task_size(task, \"n\");\n",
                          f"    size_t n = task_size(task, \"n\");\n    {code}\n")


HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
PASSED = r'puts("{\"passed\": true, \"score\": 100}");'
# The harness's answer (exercises/wire.h) but for the nonce, and then an end
FORGED = """elem_t *h = (elem_t *)calloc(n + 1, sizeof *h);
    unsigned long long head[5] = {0, 0, 1, 0, 5};
    CHECK(cudaMemcpy(h, in, n * sizeof *h, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        h[n] += h[i];
    if (write(4, head, sizeof head) < 0 || write(4, "step,", 5) < 0)
        exit(1);
    exit(write(4, h, (n + 1) * sizeof *h) < 0);"""
OTHERS = {
    "exit in the middle": (with_host_code(PASSED + "exit(0);", HEAD), 1, "crash",
                           "before task_run had returned"),
    "exit from a constructor": (HEAD + "__attribute__((constructor)) static void f()\n"
                                "{\n    exit(0);\n}\n" + solution("04"), 1, "crash",
                                "before task_run had returned"),
    "exit before the report": (with_host_code("atexit(leave);", HEAD + "static void leave()\n"
                                              "{\n    _exit(0);\n}\n"), 1, "ended",
                               "ended on its own"),
    "a pipe for a report": (with_host_code('mkfifo("report.json", 0600);\n    _exit(0);', HEAD +
                                           "#include <sys/stat.h>\n"), 1, "crash",
                            "before task_run had returned"),
    "a second answer": (with_host_code("atexit(more);", HEAD + "static void more()\n{\n    if "
                                       '(write(4, "x", 1) != 1)\n        _exit(9);\n}\n'), 1,
                        "twice", "More than one result"),
    "crash": (with_host_code("*(volatile int *)8 = 1;"), 1, "crash", "signal 11"),
    "an error of CUDA": (with_host_code("CHECK(cudaMemset(sum, 0, 1000));"), 1, "crash",
                         "invalid argument"),
    "changes the input": (with_host_code("CHECK(cudaMemset((void *)in, 0, 8));"), 1, "changed",
                          "'in' is not what it was"),
    "no result": (changed(solution("04"), "atomicAdd(sum, s[0]);", "s[0] = 0;").replace(
        "    CHECK(cudaMemset(sum, 0, sizeof *sum));\n", ""), 1, "wrong",
        "sum is -1, as if nobody had written it, at n = 4096"),
    "an answer of its own": (with_host_code(FORGED, HEAD), 1, "crash",
                             "before task_run had returned"),
    "no such array": (changed(solution("04"), '"in"', '"inn"'), 1, "crash", "no input 'inn'"),
    "an array of ints": (changed(solution("04"), 'task_out(task, "sum")',
                                 '(elem_t *)task_out(task, "in")'), 1, "crash",
                         "no output 'in'"),
    "no such size": (changed(solution("04"), 'task, "n"', 'task, "m"'), 1, "crash",
                     "has no size 'm'"),
    "counters off": (with_host_code("simt_set_counters(0);", "#include <simt.h>\n"), 1, "crash",
                     "the counters of an exercise are the marker's"),
    "checks off": (HEAD + "__attribute__((constructor)) static void f()\n"
                   '{\n    setenv("SIMT_CHECKS", "off", 1);\n}\n' + solution("04"), 1, "crash",
                   "SIMT_CHECKS is off"),
    "a flood": (with_host_code('for (;;) puts("passed");', HEAD), 5, "output", "4 MiB"),
    "does not compile": (changed(solution("04"), "threadIdx.x;", "threadIdx.x"), 1, "compile",
                         "expected"),
    "includes the solution": (f'#include "{EXERCISES["04"]}/solution.cu"\n', 5, "refused",
                              "no such file"),
    "includes the reference": ('#include "04-halve-the-barriers/reference.c"\n', 5, "refused",
                               "no such file"),
    "includes what has no end": ('#include "/dev/zero"\n', 1, "compile", "too much time"),
    "is refused": ("#include <cooperative_groups.h>\n" + solution("04"), 5, "refused",
                   "cooperative groups"),
    "deadlock": (changed(solution("04"), "        }\n        __syncthreads();", "        __syncthreads();"
                         "\n        }"), 1, "divergent-barrier", "All threads of a block"),
}


LIKE_OTHERS = {"includes what has no end", "exit before the report", "crash", "an error of CUDA",
               "no such array", "an array of ints", "no such size", "counters off",
               "includes the reference"}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow)
                                  if name in LIKE_OTHERS else name for name in OTHERS])
def test_other_ways(mark, name):
    source, status, reason, words = OTHERS[name]
    result, text = mark("04", source, "--type", "int", "--runs", 1)
    assert (result["status"], result["score"], result["reason"]) == (status, 0, reason), text
    assert words in " ".join(text.split()) and \
        result["types"][-1]["right"] == (name in ("deadlock", "exit before the report"))
    if name == "a flood":
        assert text.count("    passed\n") == 12 and "    passed\n    …\n" in text
    if "exit in" in name:
        assert r'{"passed": true' in result["printed"] and "What it printed" in text


def test_fork(mark):
    """A student's program starts no copies of itself; who tries goes on alone."""
    result, _ = mark("04", with_host_code("if (fork() >= 0) exit(9);", HEAD), "--type", "int",
                     "--runs", 1)
    assert result["passed"]


CONFINED = can_confine()


@pytest.mark.skipif(not CONFINED, reason="bubblewrap may not work here")
def test_sees_no_solution(mark):
    """Neither solution nor reference, nor its shared object, nor what others hand in."""
    folder = EXERCISES["04"]
    hidden = [folder / "solution.cu", folder / "reference.c", folder,
              ROOT / "build/exercises" / folder.name / "reference-int.so"]
    code = " ".join(f'if (access("{path}", F_OK) == 0 && open("{path}", O_RDONLY) >= 0) exit(9);'
                    for path in [*hidden, ROOT / "Makefile", "/proc/3", "/etc/passwd"])
    code += " for (char **e = environ; *e; e++) if (strstr(*e, \"TOKEN\")) exit(7);"
    code += " if (socket(AF_INET, SOCK_STREAM, 0) >= 0 && if_nametoindex(\"eth0\")) exit(6);"
    source = with_host_code(code, HEAD + "#include <fcntl.h>\n#include <net/if.h>\n"
                            "#include <sys/socket.h>\nextern char **environ;\n")
    result, text = mark("04", source, "--type", "int", "--runs", 1)
    assert result["passed"], text


def test_the_next_run_finds_nothing_of_the_last(mark):
    source = with_host_code('if (fopen("left", "r")) exit(9); fclose(fopen("left", "w"));', HEAD)
    result, text = mark("04", source, "--type", "int", "--runs", 3)
    assert result["passed"], text


def test_an_interrupt_ends_all(marker, tmp_path):
    """The program, too; nothing stays behind."""
    source = tmp_path / "main.cu"
    source.write_text(with_host_code(f'fclose(fopen("here", "w")); sleep({HANG});', HEAD))
    before = set((ROOT / "build/marks").iterdir())
    marks = subprocess.Popen([MARK, "--file", source, EXERCISES["04"]], env=ENVIRONMENT,
                             stdout=subprocess.DEVNULL)
    until = time.monotonic() + HANG
    while not (work := [path for path in (ROOT / "build/marks").iterdir()
                        if path not in before and (path / "here").exists()]):
        assert marks.poll() is None and time.monotonic() < until
        time.sleep(0.05)
    marks.send_signal(signal.SIGINT)
    assert marks.wait(HANG) == -signal.SIGINT
    assert not work[0].exists()


@pytest.mark.slow
@pytest.mark.parametrize("code, reason, words", [
    ("for (volatile int i = 0;; i++);", "time", "did not come to an end"),
    ("for (;;) memset(malloc(1 << 24), 1, 1 << 24);", "memory", "2 GiB"),
])
def test_beyond_limits(mark, code, reason, words):
    result, text = mark("04", with_host_code(code, HEAD), "--type", "int")
    assert (result["status"], result["reason"]) == (5, reason)
    assert words in " ".join(text.split()) and "Could not be judged" in text


@pytest.mark.slow
def test_a_kernel_that_hangs(mark):
    source = changed(solution("04"), "    if (tid == 0) {\n", "    for (volatile int i = 0; tid == 0;)"
                     "\n        i = i + 1;\n    if (tid == 0) {\n")
    result, text = mark("04", source, "--type", "int")
    assert (result["status"], result["reason"]) == (5, "not-judged")
    line = source.splitlines().index("        i = i + 1;") + 1
    assert f"main.cu:{line}" in text or f"main.cu:{line - 1}" in text


# ---- the command line ----

@pytest.mark.parametrize("options, words", [
    (["--hint", "0"], ["--hint 0", "1 to 99"]),
    (["--at", "x"], ["--at x", "whole number"]),
    (["--at", "5,5"], ["--at", "more values"]),
    (["--runs", "x"], ["--runs x", "whole number"]),
    (["--seed", "-1"], ["--seed -1"]),
    (["--type", "half"], ["half", "no type"]),
    (["--file", "nowhere.cu"], ["nowhere.cu", "No such file"]),
    (["--file", "/dev/zero"], ["/dev/zero", "Invalid argument"]),
    (["--file", str(ROOT)], [str(ROOT), "Is a directory"]),
    (["--what"], ["--what", "--help"]),
    (["--json", "/nowhere/x", "--type", "int", "--runs", "1", "--quiet"], ["/nowhere/x"]),
])
def test_wrong_calls(marker, options, words):
    folder = EXERCISES["04"]
    file = [] if "--file" in options else ["--file", folder / "solution.cu"]
    done = run(MARK, *file, *options, folder)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("mark: ") and all(word in done.stderr for word in words)


def test_help(marker):
    done = run(MARK, "--help")
    assert done.returncode == 0 and max(map(len, done.stdout.splitlines())) <= 80
    for option in "--file", "--hint", "--json", "--quiet", "--runs", "--seed", "--title", "--type":
        assert option in done.stdout
    assert run(MARK, "--title", EXERCISES["04"]).stdout == "halve the barriers\n"


@pytest.mark.slow
def test_a_seed_repeats_a_mark(mark):
    first, _ = mark("13", given("13"), "--type", "int", "--runs", 2)
    again, _ = mark("13", given("13"), "--type", "int", "--runs", 2)
    assert first == again


TASK = """title a task
types int
size n 4
in in elem n
out out elem 1
budget b shared_loads_requests <= 1
"""


@pytest.mark.parametrize("line, words", [
    ("titel x", "1: want title, types"),
    ("types half", "1: types: want int, float, double: half"),
    ("size n 0", "1: a number from 1 to 2^24 expected: 0"),
    ("size n 1 draw 3 1", "1: a number from"),
    ("in in short n", "1: the type of an array: want elem or int: short"),
    ("in in elem m", "1: a name that is no figure: m"),
    ("budget b 1 < 2", "1: want: NAME FIGURE <= LIMIT"),
    ("budget b shared_loads <= 2", "1: a name that is no figure: shared_loads"),
    ("means b text", "1: means: no budget before it is called so: b"),
    ("hint wrong", "1: want: hint REASON TEXT"),
    ("title x", "ends; want title, types, size, in and out"),
])
def test_wrong_task_files(marker, tmp_path, line, words):
    """One line that names file and line."""
    (tmp_path / "task.txt").write_text(line + "\n")
    done = run(MARK, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"mark: {tmp_path}/task.txt:") and done.stderr.count("\n") == 1
    assert words in done.stderr


# ---- the student's targets ----

@pytest.fixture
def clone(marker, tmp_path):
    """A clone with what is built; of the exercises two, so that the last comes soon, of ints."""
    for room in "common", "make", "simt":
        shutil.copytree(ROOT / room, tmp_path / "clone" / room)
    for name in "marker", EXERCISES["02"].name, EXERCISES["04"].name:
        shutil.copytree(ROOT / "exercises" / name, tmp_path / "clone/exercises" / name,
                        ignore=shutil.ignore_patterns("main.cu*"))
    for task in (tmp_path / "clone/exercises").glob("*/task.txt"):
        task.write_text(re.sub("^types .*", "types int", task.read_text(), flags=re.M))
    for file in (ROOT / "exercises").glob("*.[ch]"):
        shutil.copy2(file, tmp_path / "clone/exercises")
    shutil.copy2(ROOT / "Makefile", tmp_path / "clone")
    for room in "simt", "task", "exercises":
        shutil.copytree(ROOT / "build" / room, tmp_path / "clone/build" / room)
    return tmp_path / "clone"


def test_how_a_student_works(clone):
    def do(*goals, status=0):
        done = make("-s", *goals, cwd=clone)
        assert done.returncode == status, done.stdout + done.stderr
        assert all(len(line) <= 80 for line in done.stdout.splitlines())
        return done.stdout + done.stderr

    two, four = (clone / "exercises" / EXERCISES[number].name for number in ("02", "04"))
    assert [line.split()[-2:] for line in do("exercises").splitlines()] == [["to", "do"]] * 2
    assert "exercise 02" in do("exercise")
    assert (two / "main.cu").read_text() == given("02") and not (four / "main.cu").exists()
    assert "Hint 2 of 3" in do("mark-2", "HINT=2")
    assert "not done yet: make mark-02" in do("solution-02", status=2)
    (two / "main.cu").write_text("// mine\n" + solution("02"))
    assert "Done." in do("exercise")
    assert "-// mine\n" in do("solution-02")
    assert "exercise 04" in do("exercise")
    assert [line.split()[-1] for line in do("exercises").splitlines()] == ["done", "do"]
    (four / "main.cu").write_text(changed(given("04"), "FIXME", "begun"))
    assert "begun" in do("exercises")
    done = run("bash", "-c", "set -o pipefail; make -s exercises | head -n 1", cwd=clone)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    for data in "reference.c", "task.txt":  # what was done is not, if the exercise has changed
        os.utime(two / data)
        assert "exercise 02" in do("exercise") and "exercise 04" in do("exercise")
    assert "main.cu.1" in do("reset-02") and (two / "main.cu").read_text() == given("02")
    assert "main.cu.2" in do("reset-02") and (two / "main.cu.2").read_text() == given("02")
    assert (two / "main.cu.1").read_text().startswith("// mine")
    assert "no exercise '99'; want one of 02 04" in do("mark-99", status=2)
    assert "make mark-9?9: no exercise '9?9'; want one" in do("mark-9\r9", status=2)


@pytest.mark.slow
def test_watch(clone):
    """Marks at once, and whenever an exercise is saved; ends when it is interrupted."""
    two = clone / "exercises" / EXERCISES["02"].name / "main.cu"
    log = clone / "log"
    with log.open("w") as out:
        watcher = subprocess.Popen(["make", "-s", "watch"], cwd=clone, stdout=out, stderr=out,
                                   start_new_session=True, env=ENVIRONMENT)

    def wait_for(words, times=1):
        until = time.monotonic() + HANG
        while log.read_text().count(words) < times:
            assert watcher.poll() is None and time.monotonic() < until, log.read_text()
            time.sleep(0.1)

    try:
        wait_for("waiting for a main.cu to be saved")
        assert "Not yet" in log.read_text()
        two.write_text(solution("02"))
        wait_for("Done.")
        two.write_text(given("02"))
        wait_for("Not yet", 2)
        os.killpg(watcher.pid, signal.SIGINT)
        assert watcher.wait(HANG) in (0, 2, -signal.SIGINT)
    finally:
        if watcher.poll() is None:
            os.killpg(watcher.pid, signal.SIGKILL)
            watcher.wait()


def test_names_in_other_numbers_build_nothing(clone):
    shutil.rmtree(clone / "build")
    for goal in "mark-99", "solution-99", "reset-99", "mark-04;touch X":
        done = make("-s", goal, cwd=clone)
        assert done.returncode == 2 and done.stderr.startswith(f"make {goal}: no exercise")
    assert not (clone / "build").exists() and not (clone / "X").exists()


# Results that are no usual numbers: what is right, what a kernel stores (None: nothing), the mark.
# The second run's outputs hold other bytes at first, so nothing that is right is there before.
STORED = [("5", "5", "done"), ("5", "NAN", "wrong"), ("5", "INFINITY", "wrong"), ("5", None, "wrong"),
          ("NAN", "NAN", "done"), ("NAN", "5", "wrong"), ("NAN", None, "wrong"),
          ("INFINITY", "INFINITY", "done"), ("INFINITY", "5", "wrong"), ("-1", "-1", "done"),
          ("-1", None, "wrong")]


def test_what_equals_no_number(clone):
    """NaN is right where NaN is, and what nobody wrote is right nowhere."""
    folder = clone / "exercises/99-odd"
    folder.mkdir()
    (folder / "task.txt").write_text("title odd\ntypes float int\nsize n 100 64\nin in elem n\n"
                                     "out out elem 1 within 1\n")
    for right, stored, reason in STORED:
        (folder / "reference.c").write_text(
            '#include "work.h"\n#include <math.h>\n'
            f'void reference(struct work *w) {{ elems(w, "out")[0] = (elem_t){right}; }}\n')
        (folder / "main.cu").write_text(f"""#include "task.h"
#include <math.h>
__global__ void store(const elem_t *in, elem_t *out, size_t n)
{{
    if (threadIdx.x < n && in[threadIdx.x] == (elem_t)12345)
        out[0] = 0;
    if (threadIdx.x == 0 && {int(stored is not None)})
        out[0] = (elem_t){stored or 0};
}}
void task_run(const struct task *task)
{{
    store<<<1, 128>>>(task_in(task, "in"), task_out(task, "out"), task_size(task, "n"));
}}
""")
        assert make("-s", "marker", cwd=clone).returncode == 0
        done = run(clone / "build/exercises/mark", "--json", clone / "mark.json", "--type",
                   "int" if right == "-1" else "float", folder)
        result = json.loads((clone / "mark.json").read_text())
        assert result["reason"] == reason, done.stdout


def test_blocks_run_in_another_order_every_second_time(mark):
    """Who takes them to come in the order of their numbers is right at first."""
    source = changed(changed(solution("13"), "__global__", "__device__ unsigned next;\n__global__", 1),
                     "parts[blockIdx.x]", "parts[atomicAdd(&next, 1)]")
    result, text = mark("13", source, "--type", "int", "--runs", 1)
    assert result["types"][0]["right"] == 1, text
    result, text = mark("13", source, "--type", "int", "--runs", 8)
    assert result["reason"] == "wrong" and 4 <= result["types"][0]["right"] < 8, text


# ---- modules ----

@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    def compiled(name, *modules):
        program = tmp_path_factory.mktemp("c") / name
        done = run("gcc", "-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I.",
                   "-Isimt", f"tests/c/{name}.c",
                   *(f"exercises/marker/{module}.c" for module in modules),
                   "-lm", "-o", program, cwd=ROOT)
        assert (done.returncode, done.stderr) == (0, "")
        return program
    return compiled


def test_limits(driver, tmp_path):
    """Whatever a command does, it ends, and nothing of it is left."""
    program = driver("limits", "limits", "confine")
    outside, here = tmp_path / "outside", tmp_path / "here"
    outside.mkdir(), here.mkdir()
    (outside / "secret").write_text("secret\n")

    def ended(script, seconds=20, memory=1 << 30, processes=8, output=1 << 20, file=1 << 20,
              files=1 << 22, alone=0):
        done = run(program, seconds, memory, processes, output, file, files, alone, "sh", "-c",
                   script, cwd=here, env={"TOKEN": "secret", "HANDED_DOWN": "down"})
        assert (done.returncode, done.stderr) == (0, "")
        head, _, text = done.stdout.partition("\n")
        how, status, left = head.split()
        assert left == "0"
        for file in here.iterdir():  # they would count as the next one's
            file.unlink()
        return how, int(status), text

    assert ended("echo out; echo err >&2; exit 7") == ("exit", 7, "out\nerr\n")
    assert ended('echo "$ADDED$TOKEN" $HANDED_DOWN; read x || echo none') == (
        "exit", 0, "yes down\nnone\n")
    assert ended("sleep 100 & sleep 100", seconds=0.05)[0] == "time"
    assert ended("while :; do :; done", seconds=0.2)[0] == "time"
    assert ended("sleep 100 & exit 3") == ("exit", 3, "")
    assert ended("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 100 & done; wait")[0] == "processes"
    assert ended("x=0123456789abcdef; while :; do x=$x$x; done", memory=1 << 26)[0] == "memory"
    how, _, text = ended("while :; do echo 0123456789; done", output=100000)
    assert how == "output" and len(text) <= 65536
    assert ended("head -c 2000000 /dev/zero >big; wc -c <big")[2].startswith("1048576\n")
    assert "cannot fork" in ended("(echo child); echo after", alone=1)[2].lower()
    assert ended("while :; do i=$((i + 1)); echo >f$i; done", files=1 << 20)[0] == "output"
    assert ended("ulimit -n") == ("exit", 0, "64\n")
    if CONFINED:
        _, _, text = ended(f"cat {outside}/secret; echo x >{outside}/new; ls /proc | grep -c '^[1-9]'")
        assert text.startswith("3\n") or "\n" in text and "secret\n" not in text
        assert not (outside / "new").exists() and "TOKEN" not in ended("cat /proc/1/environ")[2]


def test_the_open_one_as_a_program_of_the_lab(simt):
    """As make times builds it for a GPU, but for the CPU backend; without a GPU it says why not."""
    file = EXERCISES["19"] / "solution.cu"
    done = make("-s", "BACKEND=cpu", f"FILE={file}", "build/cpu-int-256-sum/handin")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    for n in 1, 4097, 70000:
        done = run(ROOT / "build/cpu-int-256-sum/handin", "-n", n)
        assert done.returncode == 0 and done.stdout.startswith("yours ") and " OK" in done.stdout
    done = make("-s", "BACKEND=cpu", "FILE=/dev/zero", "build/cpu-int-256-sum/handin")
    assert "make times: FILE=/dev/zero: want a file such as main.cu" == done.stderr.splitlines()[0]
    done = make("-s", "BACKEND=cpu", "times")
    assert (done.returncode, done.stdout) == (0, "Times are left out: as asked for.\n")


def test_it_says_when_nothing_is_confined(marker, tmp_path):
    """A bubblewrap that may make no namespaces is pretended."""
    (tmp_path / "bwrap").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    (tmp_path / "main.cu").write_text("#error\n")
    for path, can in (os.environ["PATH"], CONFINED), (f"{tmp_path}:{os.environ['PATH']}", False):
        for options in [], ["--quiet"]:
            done = run(MARK, *options, "--file", tmp_path / "main.cu", EXERCISES["04"],
                       env={"PATH": path})
            assert (done.returncode, done.stderr) == (1, "")
            assert done.stdout.count("is not confined") == (not can and not options)


def test_what_is_read_of_a_run(driver):
    """Counters of all launches, or of a line of the student's file; of findings a divergent barrier
    before all others, and no notes but those with a hint."""
    program = driver("report", "counters", "findings")

    def read(text, *options):
        return run(program, *options, input=text).stdout.splitlines()

    head = "step,launch,grid,block,file,line,space,op,requests,lanes,sectors,wavefronts,bank_conflicts"
    rows = [",1,2x3x4,8x2,a,b.cu,7,global,load,1,2,3,,", ",1,2x3x4,8x2,a,b.cu,8,shared,store,4,5,,6,7",
            ",2,5,32,c.cu,7,global,atomic,10,20,30,,", ",2,5,32,a,b.cu,9,sync,reduce,11,12,,,"]
    of_line = ["global_requests 1", "global_lanes 2", "global_sectors 3"]
    loads = [f"global_load_{each[7:]}" for each in of_line]
    launches = ["launches 2", "blocks 29", f"threads {24 * 16 + 5 * 32}"]
    assert read("\n".join([head, *rows, ""]), "counters", "a,b.cu") == [
        *launches, "global_requests 11", "global_lanes 22", "global_sectors 33", *loads,
        "global_atomic_requests 10", "global_atomic_lanes 20", "global_atomic_sectors 30",
        *(f"shared_{op}{figure}" for op in ("", "store_") for figure in
          ("requests 4", "lanes 5", "wavefronts 6", "bank_conflicts 7")),
        "reductions 11", *launches, *of_line, *loads]
    assert read(head + "\nno row\n", "counters", "a") == ["not read"]

    def first(*findings):
        report = {"version": 1, "status": 4, "not_judged": None, "findings": [
            {"id": id, "note": id in ("hinted", "note"), "text": "\ufffd\u0439"} for id in findings]}
        text = json.dumps(report, ensure_ascii=False).replace("\ufffd", r"\ufffd")
        return read(text, "finding")

    assert first("note") == ["none: "] and first() == ["none: "]
    assert first("note", "hinted", "shared-race") == ["hinted: \ufffd\u0439"]
    assert first("a", "divergent-barrier", "b") == ["divergent-barrier: \ufffd\u0439"]


def test_expressions(driver):
    lines = {"1": "1", "1 + 2 * 3": "7", "(1 + 2) * 3": "9", "10 - 2 - 3": "5", "8 / 4 / 2": "1",
             "ceil(n / 256)": "4", "max(n, 7) - min(n, 7)": "993", "zero / zero": "0",
             "1 / zero": "inf", "1.5*n": "1500", "": "a number, a name or '(' expected",
             "1 +": "a number, a name or '(' expected", "1 2": "an operator expected",
             "(1": "')' expected", "m": "a name that is no figure",
             "sin(1)": "a function that is none of ceil, min, max", "min(1)": "',' expected",
             "(" * 60 + "1" + ")" * 60: "too many brackets"}
    done = run(driver("expression", "expression"), input="\n".join(lines) + "\n")
    assert done.stdout.splitlines() == list(lines.values())


def test_arrows_of_the_marker():
    found = arrows(ROOT / "exercises")
    assert circle(found) == []
    assert found["marker/limits"] == {"marker/confine"}
    assert not found["marker/expression"] | found["marker/text"]
    assert not {to for to in found["task"] if to.startswith("marker")}


def test_students_files_are_short():
    """One kernel and its launch, real CUDA, no templates."""
    for number in EXERCISES:
        for source in given(number), solution(number):
            assert "template" not in source and len(source.splitlines()) <= 80
            assert source.startswith(f"/* Exercise {number}: ") and "Arrays: " in source
            assert max(map(len, source.splitlines())) <= 79  # a difference of two fits

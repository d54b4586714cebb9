"""The detours: right sums for every size, block and type, and each header's promises kept."""

import csv
import functools
import itertools
import math
import re

import numpy
import pytest

from harness import (BACKENDS, COUNTERS_HEADER, DETOURS, GPU, GXX, NEEDS_GPU, ROOT, STEPS,
                      assert_refused, build, build_programs, compile_changed, counted, csv_row,
                      expected_sum, input_values, make, run)

ANYWHERE = [name for name in DETOURS if name not in NEEDS_GPU]  # the CPU backend runs them
IN_PLACE = [name for name in ANYWHERE if name.startswith("global-")]
TYPES = {"deterministic-float": ["float"], "warp-redux": ["int"]}  # the others take all three
ALL_TYPES = ("int", "float", "double")

SIZES = (1, 2, 31, 33, 257, 4095, 4097, 16385, 65537)
FEW_SIZES = {"float": (31, 4097, 100003), "double": (33, 8193, 100003)}
N = 100003


def takes(name, type):
    return type in TYPES.get(name, ALL_TYPES)


def usual(name):
    """Type and block of a program that make is told nothing but the name of."""
    return TYPES.get(name, ["int"])[0], 200 if name == "any-block-size" else 256


def block_of(name, block):
    """The block that it says it has: one of its own, or that which it was built with."""
    own = re.search(r"^#undef BLOCK\n#define BLOCK +(\d+)", DETOURS[name].read_text(), re.M)
    return int(own[1]) if own else block


def build_able(type, block):
    """All that take this configuration; returns their folder."""
    return build_programs(*(name for name in ANYWHERE if takes(name, type)), type=type, block=block)


def program(name):
    """As it is usually built: one make for all that are built in one folder."""
    type, block = usual(name)
    together = [other for other in ANYWHERE if usual(other) == (type, block)]
    return build_programs(*together, type=type, block=block) / name


def check(path, type, n, *options, block):
    done = run(path, "--csv", "-n", n, *options)
    assert (done.returncode, done.stderr) == (0, "")
    row = csv_row(done)
    about = {"step": "", "name": path.name, "type": type, "n": str(n), "verified": "yes",
             "block": str(block_of(path.name, block))}
    assert {key: row[key] for key in about} == about
    assert float(row["result"]) == float(row["expected"]) == expected_sum(type, n), row
    return row


def check_usual(name, n, *options):
    type, block = usual(name)
    check(program(name), type, n, *options, block=block)


# ---- those that need a GPU ----

# Of the other two, for several GPUs, test_multi_gpu.py tests the same.
NEEDS = {"cluster": "clusters of blocks (compute capability 9.0)",
         "cooperative-groups": "cooperative groups, a library of the CUDA toolkit",
         "cub": "CUB, a library of the CUDA toolkit",
         **{name: "CUB 3.1 or later, a library of the CUDA toolkit"
            for name in ("cub-atomic", "cub-reproducible")}}


@pytest.mark.parametrize("name", NEEDS)
def test_needs_gpu(name):
    path = build_programs(*NEEDS) / name
    for arguments in [], ["-n", "0"], ["--csv"]:
        assert_refused(run(path, *arguments), 3, f"{name}: needs a GPU and {NEEDS[name]}: "
                       f"on a machine that has them, make BACKEND=cuda {name}")
    assert_refused(run(path, "-n", "x"), 2, f"{name}: -n x: want a count")
    check_help(path)


@pytest.mark.parametrize("name", ANYWHERE)
def test_help(name):
    check_help(program(name))


def check_help(path):
    done = run(path, "-h")
    assert (done.returncode, done.stderr) == (0, "")
    title = path.name.replace("-", " ")
    assert done.stdout.startswith(f"{path.name}: {title}\nusage: {path} [options]\n")


# ---- right sums ----

@pytest.mark.parametrize("name", ANYWHERE)
def test_sizes(name):
    for n in SIZES:
        check_usual(name, n)


@pytest.mark.slow
@pytest.mark.parametrize("type, block", [("double", 64), ("float", 1024)])
def test_types_and_blocks(type, block):
    folder = build_able(type, block)
    for name in ANYWHERE:
        for n in FEW_SIZES[type] if takes(name, type) else ():
            check(folder / name, type, n, block=block)


@pytest.mark.parametrize("name", ["atomic-finish", "grid-stride", "single-pass"])
def test_orders(name):
    """Whichever block is the last, or the first to add its sum."""
    for options in (["--order", 1], ["--order", 2]):
        check_usual(name, N, *options)


@pytest.mark.parametrize("name", ANYWHERE)
def test_reduces_again(name):
    """The harness restores the input of those that destroy it; the others leave it as it was, and
    what they keep on the device (single-pass's ticket) as they found it."""
    check_usual(name, 33333, "-w", 3)


# ---- their texts ----

NAME = r"(?:step \d\d|[a-z-]+)"
READ_IT = re.compile(rf"^Read it (?:after|before) ({NAME}(?:, {NAME})*(?: and {NAME})?)[.,:]", re.M)
PARTS = ("Read it", "Idea:", "Look at:", "Source:")  # in this order
SOURCES = "write-up|CUDA|CUB's documentation|NCCL's documentation|Higham"


def header_of(name):
    """The first comment, a line a line, without its stars; and the code."""
    comment, code = DETOURS[name].read_text().split("*/", 1)
    return re.sub(r"^(/\*| \*) ?", "", comment, flags=re.M), code


@pytest.mark.parametrize("name", DETOURS)
def test_header(name):
    header, _ = header_of(name)
    wants = f"detours/{name}/main.cu begins with a comment: '/* Name: what it does.' and then"
    assert re.match(r"[A-Z][^:.]*: [^.]+\.\s", header), wants
    starts = [part for line in header.splitlines() for part in PARTS if line.startswith(part)]
    assert starts == [part for part in PARTS if part in starts]
    assert {"Read it", "Look at:"} <= set(starts), f"{wants} paragraphs 'Read it …', 'Look at: …'"
    for text in header.split("\n\n"):
        if text.startswith(("Look at:", "Idea:")):
            assert len(text.split()) > 5
        if text.startswith("Source:"):
            assert re.search(SOURCES, text)
    assert set(re.findall(r"write-ups? (\d)", header)) <= set("01234")


@pytest.mark.parametrize("name", DETOURS)
def test_header_names_programs(name):
    header, _ = header_of(name)
    found = READ_IT.search(header)
    assert found, f"detours/{name}/main.cu, first comment: wants 'Read it after step 07' or the like"
    named = re.split(", | and ", found[1])
    named += re.findall(r"step\s+\d\d", header)
    for other in named:
        number = re.fullmatch(r"step\s+(\d\d)", other)
        assert number[1] in STEPS if number else other in DETOURS and other != name, other


def statement_after(lines, number):
    """What is executed next after the line of this number: an else is not."""
    number += 1
    while lines[number].strip().startswith("}"):
        if "} else" in lines[number]:
            number = lines.index(lines[number].partition("}")[0] + "}", number)
        number += 1
    return lines[number].strip()


@pytest.mark.parametrize("name", DETOURS)
def test_errors_are_checked(name):
    """Behind each launch, and around each other call of CUDA."""
    _, code = header_of(name)
    lines = code.splitlines()
    for number, line in enumerate(lines):
        if "<<<" in line:
            assert line.endswith(");")
            assert statement_after(lines, number) == "CHECK(cudaGetLastError());", line
        assert not re.match(r"\s*cuda(?!Trigger|GridDep)[A-Z]\w*\(", line)


# ---- what the headers promise of the counters ----

@functools.lru_cache(maxsize=None)
def counters(path, n):
    """Rows of one reduction, figures as numbers."""
    done = run(path, "-n", n, "--counters=csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == COUNTERS_HEADER
    return [row | {key: int(row[key] or 0) for key in
                   ("launch", "grid", "block", "requests", "lanes", "sectors", "wavefronts")}
            for row in csv.DictReader(done.stdout.splitlines())]


def total(rows, operation, field="requests"):
    return sum(row[field] for row in rows if f"{row['space']} {row['op']}" == operation)


# The committed counters, which hold what the headers say of them, are of g++ 12. Of two programs another g++ counts other branches, and all
# else the same: any-block-size has a loop over constants, which g++ 14 computes, and single-pass one
# of two rounds, which g++ 15 and later do not unroll, and a test, which g++ 11 makes once for two.
OTHER_BRANCHES = "any-block-size", "single-pass"


@pytest.mark.parametrize("name", [  # a second each, and with fewer elements they are tested below
    pytest.param(name, marks=pytest.mark.slow) if name in IN_PLACE else name
    for name in [*(f"step{step}" for step in STEPS), *ANYWHERE]])
def test_committed_counters(name):
    """What plots/data/counters.csv has is what the program counts today, line by line, whichever
    g++ has compiled it."""
    if name.startswith("step"):
        path, place = build() / name, str(STEPS[name[4:]].relative_to(ROOT))
    else:
        path, place = program(name), f"detours/{name}/main.cu"
    committed = [line for line in (ROOT / "plots/data/counters.csv").read_text().splitlines()
                 if line.split(",")[4:5] == [place]]
    today = counted(path).read_text().splitlines()[1:]
    if GXX != 12 and name in OTHER_BRANCHES:
        committed, today = ([line for line in lines if ",control,branch," not in line]
                            for lines in (committed, today))
    assert committed == today, "make plots/data/counters.csv"


def launches(rows):
    return rows[-1]["launch"]


@pytest.mark.parametrize("type, n", [("float", 20000), ("float", N), ("float", 2**20),
                                     ("double", 54321)])
def test_single_pass_waits(type, n):
    """A block posts its sum by one atomic; the first one takes them, and looks as often as it must."""
    rows = counters(build_programs("single-pass", type=type) / "single-pass", n)
    blocks, warps = rows[0]["grid"], rows[0]["block"] // 32
    assert launches(rows) == 1 and blocks > 1
    atomics = [row for row in rows if row["op"] == "atomic"]
    source = DETOURS["single-pass"].read_text().splitlines()
    lanes = {source[int(row["line"]) - 1].strip(): row["lanes"] for row in atomics}
    assert lanes.pop("atomicAdd(&mailbox[block], bits ^ NO_SUM);") == blocks
    assert lanes.pop("bits = atomicExch(&mailbox[block], 0);") >= blocks and not lanes
    assert total(rows, "sync syncthreads") == warps * (blocks + 2)


def shape_rows(type):
    """(macro, what is in its brackets) for each row of the table of single-pass's shapes."""
    text = (DETOURS["single-pass"].parent / f"shapes-{type}.h").read_text()
    return [(macro, [2**63 if value == "SIZE_MAX" else int(value) for value in values.split(", ")])
            for macro, values in re.findall(r"^    ([A-Z_]+)\((.*)\),$", text, re.M)]


@pytest.mark.parametrize("type", ALL_TYPES)
def test_shapes(type):
    """Each has room for its n, each n has one that any device can run, and as the data say."""
    pack = 2 if type == "double" else 4
    rows = shape_rows(type)
    for macro, (most, *shape) in rows:
        assert macro in ("TICKETS", "WAITING") or most <= pack * math.prod(shape), (macro, most)
        assert macro != "CLUSTER" or shape[0] <= 16
    for (macro, (most, *shape)), behind in zip(rows, rows[1:]):
        if macro == "CLUSTER" and shape[0] > 8:  # then one that every GPU with clusters can run
            assert behind[1][0] >= most and (behind[0] != "CLUSTER" or behind[1][1] <= 8)
    anywhere = [values[0] for macro, values in rows if macro != "CLUSTER"]
    assert anywhere == sorted(anywhere) and anywhere[-1] == 2**63 == rows[-1][1][0]
    done = run("awk", "-v", f"type={type}", "-f", "bench/shapes/shapes.awk",
               "plots/data/shapes-h200.csv", cwd=ROOT)
    assert done.stdout == (DETOURS["single-pass"].parent / f"shapes-{type}.h").read_text(), (
        "make bench-shapes PUBLISH=1 writes both, on a GPU")


def test_mailbox_without_an_atomic(tmp_path):
    """Two blocks use the word at the same time."""
    path = compile_changed("single-pass", "atomicAdd(&mailbox[block], bits ^ NO_SUM)",
                           "mailbox[block] = bits ^ NO_SUM", tmp_path, type="float")
    done = run(path, "-n", N)
    assert done.returncode == 4 and "race in global memory, kernel reduce_wait" in done.stderr


@pytest.mark.parametrize("n", [1, 2, 3, 1024, 1025, N])
def test_halving_has_a_launch_a_level(n):
    """Each element and each sum but the last is read once: 2 n reads and n writes in all."""
    rows = counters(program("halving-launches"), n)
    levels = [n]
    while levels[-1] > 2:
        levels.append(math.ceil(levels[-1] / 2))
    assert launches(rows) == len(levels) == max(1, math.ceil(math.log2(n)))
    assert total(rows, "global load", "lanes") == sum(levels)
    assert total(rows, "global store", "lanes") == sum(math.ceil(level / 2) for level in levels)


def test_naive_everywhere_coalesced(tmp_path):
    path = compile_changed("naive-everywhere", "COALESCED 0", "COALESCED 1", tmp_path)
    rows = counters(path, 2**20)
    assert total(rows, "global load", "sectors") < 4.1 * total(rows, "global load")
    for n in 1, 1025, 16385, N:
        assert csv_row(run(path, "--csv", "-n", n))["verified"] == "yes"


@pytest.mark.parametrize("constants, blocks", [
    ({"define ELEMS 16": "define ELEMS 2", "LOADS = 1": "LOADS = 2", "define GUARD 0": "define GUARD 1"},
     512),
    ({"LOADS = 1": "LOADS = 16"}, 4096)])
def test_waiting_loads_with_other_constants(tmp_path, constants, blocks):
    """Right for every n, with as many blocks as step 05 or 06."""
    old, new = DETOURS["waiting-loads"].read_text(), None
    for constant, changed in constants.items():
        assert old.count(constant) == 1
        new = (new or old).replace(constant, changed)
    path = compile_changed("waiting-loads", old, new, tmp_path)
    assert counters(path, N)[0]["grid"] == math.ceil(N / blocks)
    for n in 1, 511, 4097, N:
        assert csv_row(run(path, "--csv", "-n", n))["verified"] == "yes"


# ---- deterministic-float ----

def float_bits(name, n, block, *options, device="small"):
    """Of the sum of n values in [0, 1). Nine digits tell floats apart."""
    path = build_programs(name, type="float", block=block) / name
    row = csv_row(run(path, "--csv", "--uniform", "-n", n, *options, env={"SIMT_DEVICE": device}))
    assert (row["verified"], row["type"], row["block"]) == ("yes", "float", str(block))
    return numpy.float32(row["result"]).tobytes()


@functools.lru_cache(maxsize=None)
def uniform_floats(count=2**20):
    return numpy.fromiter(itertools.islice(input_values("float", uniform=True), count),
                          numpy.float32)


def in_pairs(lanes):
    """The sums of 32 lanes by five rounds of pairs."""
    for delta in 16, 8, 4, 2, 1:
        lanes = lanes[:, :delta] + lanes[:, delta:2 * delta]
    return lanes[:, 0]


def sums_of_warps(values, warps, loads):
    """Warp w adds tiles w, w + warps, …; of a tile a lane adds packs of four, 32 packs apart."""
    packs = len(values) // 4
    turns = numpy.pad(values[:4 * packs], (0, -4 * packs % (warps * loads * 128)))
    lanes = numpy.zeros((warps, 32), numpy.float32)
    for turn in turns.reshape(-1, warps, loads, 32, 4):
        for load, element in itertools.product(range(loads), range(4)):
            lanes += turn[:, load, :, element]
    lanes[0, :len(values) % 4] += values[4 * packs:]
    return in_pairs(lanes)


def sum_in_fixed_order(values):
    """The order of the header, and of the program's constants."""
    n, shape = len(values), (16, 2) if len(values) <= 4096 else (32, 4)
    if n > 16384:
        loads = 1 if n <= 2**19 else 2 if n <= 2**21 else 8
        tiles = -(-n // (128 * loads))
        values = sums_of_warps(values, max(tiles // 16, min(tiles, 4096)), loads)
    sums = sums_of_warps(values, *shape)
    return in_pairs(numpy.pad(sums, (0, 32 - len(sums)))[None])[0]


@pytest.mark.parametrize("n", [1, 1025, 4097, N, 2**20])
def test_same_bits_whatever_the_block(n):
    right = sum_in_fixed_order(uniform_floats()[:n])
    assert right.dtype == numpy.float32
    for block in 32, 256, 1024:
        assert float_bits("deterministic-float", n, block) == right.tobytes()
    assert float_bits("deterministic-float", n, 256, "--order", 1) == right.tobytes()
    for device in "t4", "h200":
        assert float_bits("deterministic-float", n, 256, device=device) == right.tobytes()


def test_another_order_gives_other_bits():
    """So the one above is not right by chance."""
    values = uniform_floats()
    assert sum_in_fixed_order(values) != numpy.cumsum(values, dtype=numpy.float32)[-1]
    assert float_bits("step07", len(values), 256) != sum_in_fixed_order(values).tobytes()


# ---- with a mistake in them ----

# Of a detour, and of its type if it is not int: a text, what takes its place, what the CPU backend
# calls that, and the line it names.
MISTAKES = {
    "single-pass, a sum that is not added by an atomic": (
        "single-pass", "atomicAdd(&handed_in, mine) + mine", "handed_in += mine",
        "race in global memory", "unsigned long long all = handed_in += mine;"),
    "single-pass, no barrier before the second sum": (
        "single-pass float", "    __syncthreads(); /* block_sum's shared memory is used again */", "",
        "race in shared memory", "s[tid / 32] = sum;"),
    "atomic-finish, a plain addition": (
        "atomic-finish", "atomicAdd(out, s[0]);", "*out += s[0];",
        "race in global memory", "*out += s[0];"),
    "grid-stride, no barrier in the tree": (
        "grid-stride", "        __syncthreads();\n    }", "    }",
        "race in shared memory", "s[tid] += s[tid + half];"),
    "any-block-size, no barrier in the tree": (
        "any-block-size", "        __syncthreads();\n    }", "    }",
        "race in shared memory", "s[tid] += s[tid + stride];"),
    "any-block-size, missing leaves not left out": (
        "any-block-size", " && tid + stride < BLOCK", "",
        "out of bounds in shared memory", "s[tid] += s[tid + stride];"),
    "unrolled-tree, write-up 4's last line": (
        "unrolled-tree", "s[tid] += s[tid + 2];\n        __syncwarp();", "s[tid] += s[tid + 2];\n",
        "race in shared memory", "s[tid] += s[tid + 2];"),
    "vector-loads, past the end": (
        "vector-loads", "if (tile + TILE <= n) {", "if (true) {",
        "out of bounds in global memory", "struct pack p = packs[i + tid];"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_found(tmp_path, mistake):
    program, old, new, finding, line = MISTAKES[mistake]
    name, type = (program + " int").split()[:2]
    done = run(compile_changed(name, old, new, tmp_path, type=type,
                               block=usual(name)[1]), "-n", N)
    assert done.returncode == 4
    assert f"\nsimt: {finding}, kernel " in done.stderr
    report = done.stderr.split(f"\nsimt: {finding}, kernel ")[1]
    source = (tmp_path / name / "main.cu").read_text().splitlines()
    places = [f"main.cu:{number}  " for number, text in enumerate(source, 1) if line in text]
    assert any(place + line in report for place in places), report


def test_ticket_that_does_not_return_to_0(tmp_path):
    """Is right the first time only, so test_reduces_again would find it."""
    path = compile_changed("single-pass", "        atomicExch(&handed_in, 0);", "        ", tmp_path)
    for runs, status in (1, 0), (2, 1):
        done = run(path, "-n", N, "-w", runs)
        assert (done.returncode, done.stderr) == (status, "")


# ---- what make takes ----

@pytest.mark.parametrize("block", [1, 33, 1000])
def test_any_block_size(block):
    assert make("-n", "BACKEND=cpu", f"BLOCK={block}", "any-block-size").returncode == 0
    path = build_programs("any-block-size", block=block) / "any-block-size"
    for n in 1, 33, 1025, N:
        check(path, "int", n, block=block)


@pytest.mark.parametrize("goal, type, block", [
    ("any-block-size", "int", 200), ("deterministic-float", "float", 256),
    ("warp-redux", "int", 256)])
def test_usual_configuration(goal, type, block):
    """Of a make that is told nothing: what it says, and what ./goal becomes a link to."""
    done = make("-n", "BACKEND=cpu", goal)
    assert (done.returncode, done.stderr) == (0, "")
    first, *_, last = done.stdout.splitlines()
    assert first == f"backend: cpu (as asked for); {type}; blocks of {block}"
    assert last == f"ln -sf build/cpu-{type}-{block}-sum/{goal} {goal}"


STEPS_TAKE = "32 64 128 256 512 1024"
REFUSED = [
    *((f"BLOCK={block}", "any-block-size", "want a number from 1 to 1024")
      for block in ("0", "1025", "x", "-1", "007", "1 2", "")),
    ("BLOCK=200", "step03", f"want one of {STEPS_TAKE}"),
    ("BLOCK=200", "single-pass", f"want one of {STEPS_TAKE}"),
    ("BLOCK=200", "any-block-size step03", f"want one of {STEPS_TAKE}"),
    ("OP=foo", "any-operator", "want one of sum max min prod"),
    ("OP=max", "step03", "want sum; another operator is for any-operator alone"),
    ("OP=max", "any-operator single-pass", "want sum; another operator is for any-operator alone"),
    ("TYPE=int", "deterministic-float", "want float for deterministic-float"),
    ("TYPE=double", "deterministic-float", "want float for deterministic-float"),
    ("TYPE=float", "warp-redux", "want int for warp-redux"),
]


@pytest.mark.parametrize("variable, goals, remedy", REFUSED, ids=str)
def test_make_refuses(variable, goals, remedy):
    assert_refused(make("BACKEND=cpu", variable, *goals.split()), 2, f"*** {variable}: {remedy}.")


@pytest.mark.parametrize("type", [None, *ALL_TYPES])
def test_programs(type):
    """All that the CPU backend runs, each where it is built, and no other."""
    variables = [f"TYPE={type}"] if type else []
    done = make("-s", "-n", "BACKEND=cpu", *variables, "programs")
    assert (done.returncode, done.stderr) == (0, "")
    listed = done.stdout.splitlines()[-1].split()
    assert listed[:2] == ["printf", r"'%s\n'"]

    names = [*(f"step{step}" for step in STEPS),
             *(name for name in ANYWHERE if type is None or takes(name, type))]
    configurations = [(type or usual(name)[0], usual(name)[1], name) for name in names]
    assert listed[2:] == ["build/cpu-{}-{}-sum/{}".format(*them) for them in configurations]


# ---- on a GPU ----

MULTI_GPU = ("multi-gpu", "multi-gpu-mpi")  # test_multi_gpu.py
NEEDS_SM = {"cluster": 90, "warp-redux": 80}


@pytest.mark.parametrize("type", ALL_TYPES)
@pytest.mark.parametrize("backend", BACKENDS[1:])
def test_on_gpu(backend, type):
    names = [name for name in DETOURS if takes(name, type) and name not in MULTI_GPU]
    folder = build_programs(*names, backend=backend, type=type, block=256)
    for name in names:
        for n in (33, 4097, N) if NEEDS_SM.get(name, 0) <= int(GPU[3:]) else ():
            check(folder / name, type, n, "-r", 1, block=256)

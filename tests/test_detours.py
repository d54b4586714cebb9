"""The detours: right sums for every size, block and type, and each header's promises kept."""

import csv
import itertools
import math
import re

import pytest

from harness import (BACKENDS, COUNTERS_HEADER, DETOURS, GPU, GXX, NEEDS_GPU, NVCC, ROOT, STEPS,
                     assert_refused, build, build_programs, check_sum, compile_changed, counted,
                     csv_row, make, replay, row_of, run, said)

from plots.read import programs

ANYWHERE = [name for name in DETOURS if name not in NEEDS_GPU]  # the CPU backend runs them
IN_PLACE = [name for name in ANYWHERE if name.startswith("global-")]
TYPES = {"deterministic-float": ["float"], "warp-redux": ["int"],  # the others take all three
         "two-bytes": ["half", "bfloat16"]}
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


def program(name):
    """As it is usually built: one make for all that are built in one folder."""
    type, block = usual(name)
    together = [other for other in ANYWHERE if usual(other) == (type, block)]
    return build_programs(*together, type=type, block=block) / name


def check(path, type, n, *options, block):
    check_sum(path, type, n, *options, step="", name=path.name,
              block=str(block_of(path.name, block)))


def check_usual(name, n, *options):
    type, block = usual(name)
    check(program(name), type, n, *options, block=block)


# ---- right sums ----

@pytest.mark.parametrize("name", ANYWHERE)
def test_sizes(name):
    for n in SIZES:
        check_usual(name, n)


def test_two_bytes():
    """Both types, also with values that are rounded to them; a sum that stays in two bytes is lost. make
    builds the latter as bench does, with a changed constant."""
    for type in "half", "bfloat16":
        path = build_programs("two-bytes", type=type, block=256) / "two-bytes"
        for n in 7, 1000, N:
            check(path, type, n, block=256)
            assert row_of(path, "--csv", "-n", n, "--uniform")["verified"] == "yes"
        narrow = f"{path.parent.relative_to(ROOT)}/changed/NARROW-1/two-bytes"
        said(make("-s", "BACKEND=cpu", f"TYPE={type}", narrow))
        done = run(ROOT / narrow, "--csv", "-n", 400000, "--uniform")
        assert (done.returncode, csv_row(done)["result"] == "inf") == (1, type == "half")


@pytest.mark.slow
@pytest.mark.parametrize("type, block", [("double", 64), ("float", 1024)])
def test_types_and_blocks(type, block):
    names = [name for name in ANYWHERE if takes(name, type)]
    folder = build_programs(*names, type=type, block=block)
    for name in names:
        for n in FEW_SIZES[type]:
            check(folder / name, type, n, block=block)


@pytest.mark.parametrize("name", ANYWHERE)
def test_reduces_again(name):
    """The harness restores the input of those that destroy it; the others leave it as it was, and
    what they keep on the device (single-pass's ticket) as they found it. Whichever block is the last,
    or the first to add its sum."""
    check_usual(name, 33333, "-r", 3, "--order", 1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_harness(backend, tmp_path):
    """The whole program compares its sum with the host's; a wrong kernel does not pass, and a call
    that fails is told. It is compiled with nothing but itself, too."""
    path = "no-harness"
    file, right = ROOT / f"detours/{path}/main.cu", r"sum (\d+), expected \1   OK\n\S+ ms, \S+ GB/s\n"
    assert re.fullmatch(right, said(run(build_programs(path, backend=backend) / path)))
    compiler = ["simt/simtcc"] if backend == "cpu" else [NVCC, f"-arch={GPU}"]
    for old, new, status in (("stride > 0", "stride > 1", 1), ("blocks, THREADS>>>", "blocks, 4096>>>", 3)):
        (tmp_path / "main.cu").write_text(file.read_text().replace(old, new))
        said(run(*compiler, tmp_path / "main.cu", "-o", tmp_path / "sum", cwd=ROOT))
        done = run(tmp_path / "sum")
        assert (done.returncode, "WRONG" in done.stdout) == (status, status == 1), done.stderr


# ---- their texts ----

@pytest.mark.parametrize("name", programs.detours())
def test_header(name):
    """Its parts stand in their order, and each program that it names exists."""
    program, wants = programs.get(name), f"detours/{name}/main.cu wants in its first comment "
    labels = [text.partition(":")[0] for text in program.paragraphs[1:]]
    starts = [label for label in labels if label in ("Idea", "Look at", "Source")]
    assert starts == sorted(starts) and "Look at" in starts and program.idea, wants + "'Look at: …'"
    assert program.when_to_read, wants + "'Read it after step 07' or the like"
    assert labels.index("Look at") > [label[:7] for label in labels].index("Read it")
    assert {*re.findall(r"step (\d\d)", " ".join(program.paragraphs))} <= {*STEPS}


@pytest.mark.parametrize("name", programs.detours())
def test_errors_are_checked(name):
    """A check stands behind each launch (or behind an if whose branches have one each), and around each other
    CUDA call."""
    code = "\n".join(programs.get(name).code)
    *launching, rest = code.split("CHECK(cudaGetLastError());")
    for before in launching:
        assert re.search(r"<<<[^;]*;[\s}]*(else [^;]*<<<[^;]*;[\s}]*)*$", before), before[-300:]
    assert "<<<" not in rest
    assert not re.search(r"^\s*cuda(?!Trigger|GridDep)[A-Z]\w*\(", code, re.M)


# ---- what the headers promise of the counters ----

# The committed counters, which hold what the headers say of them, are of g++ 12. Of four programs
# another g++ counts other branches, and all else the same: any-block-size has a loop over
# constants, which g++ 14 computes, and single-pass one of two rounds, which g++ 15 and later do not
# unroll, and a test, which g++ 11 makes once for two; and two have loops that g++ 16 turns around.
OTHER_BRANCHES = "any-block-size", "single-pass", "deterministic-float", "two-kernels"


@pytest.mark.parametrize("name", [  # those in place take a second each
    pytest.param(name, marks=pytest.mark.slow) if name in IN_PLACE else name
    for name in [*(f"step{step}" for step in STEPS), *ANYWHERE]])
def test_committed_counters(name):
    """The program counts what plots/data/counters.csv says, line by line, whichever g++ has compiled
    it."""
    if name.startswith("step"):
        path, place = build() / name, str(STEPS[name[4:]].relative_to(ROOT))
    else:
        path, place = program(name), f"detours/{name}/main.cu"
    lines = (ROOT / "plots/data/counters.csv").read_text().splitlines()
    assert lines[:4] == ["# n: 1048576", "# type: int", "# block: 256", COUNTERS_HEADER]
    committed = [line for line in lines if line.split(",")[4:5] == [place]]
    today = counted(path).read_text().splitlines()[1:]
    if GXX != 12 and name in OTHER_BRANCHES:
        committed, today = ([line for line in lines if ",control,branch," not in line]
                            for lines in (committed, today))
    assert committed == today, "make plots/data/counters.csv"


@pytest.mark.parametrize("name, constants, blocks", [
    ("naive-everywhere", {"COALESCED 0": "COALESCED 1"}, 16),
    ("waiting-loads", {"define ELEMS 16": "define ELEMS 2", "LOADS = 1": "LOADS = 2",
                       "define GUARD 0": "define GUARD 1"}, 2048),
    ("waiting-loads", {"LOADS = 1": "LOADS = 16"}, 256),
    ("in-flight", {"define LOADS  4": "define LOADS  32", "define BLOCKS 8": "define BLOCKS 1"}, 16)])
def test_other_constants(tmp_path, name, constants, blocks):
    """With other values of the constants that one may change: right for every n, and coalesced."""
    path = compile_changed(name, constants, tmp_path)
    rows = csv.DictReader(said(run(path, "-n", 2**20, "--counters=csv")).splitlines())
    loads = [row for row in rows if (row["space"], row["op"]) == ("global", "load")]
    assert int(loads[0]["grid"]) == blocks
    assert sum(int(row["sectors"]) - 4.1 * int(row["requests"]) for row in loads) < 0
    for n in 1, 511, 1025, 4097, 16385, N:
        assert row_of(path, "--csv", "-n", n)["verified"] == "yes"


# The sums of deterministic-float for n values in [0, 1); nine digits tell floats apart.
FLOATS = {1: "0.840187669", 4097: "2050.36279", N: "49988.125", 1_100_000: "550064"}


@pytest.mark.parametrize("n", FLOATS)
def test_same_bits_whatever_the_block(n):
    """Nor do they depend on the order of the blocks or the device. Another order of additions gives others."""
    def uniform_sum(name, block, *options, device="small"):
        path = build_programs(name, type="float", block=block) / name
        row = row_of(path, "--csv", "--uniform", "-n", n, *options, env={"SIMT_DEVICE": device})
        assert (row["verified"], row["block"]) == ("yes", str(block))
        return row["result"]

    sums = [uniform_sum("deterministic-float", *how)
            for how in ((32,), (1024,), (256, "--order", 1))]
    sums.append(uniform_sum("deterministic-float", 256, device="h200"))
    assert {*sums} == {FLOATS[n]}
    assert n < 2**20 or uniform_sum("step07", 256) != FLOATS[n]


# ---- with a mistake in them ----

@pytest.mark.parametrize("name, type, old, new, finding, line", [
    ("single-pass", "float", "atomicAdd(&mailbox[block], word_of(sum))",
     "mailbox[block] = word_of(sum)", "race in global memory", "mailbox[block] = word_of(sum)"),
    ("single-pass", "float", "    __syncthreads(); /* block_sum's shared memory is used again */",
     "", "race in shared memory", "s[tid / 32] = sum;"),
    ("vector-loads", "int", "if (tile + TILE <= n) {", "if (true) {",
     "out of bounds in global memory", "struct pack p = packs[i + tid];")])
def test_mistake_is_found(tmp_path, name, type, old, new, finding, line):
    done = run(compile_changed(name, {old: new}, tmp_path, type=type), "-n", N)
    report = done.stderr.partition(f"\nsimt: {finding}, kernel ")[2]
    assert done.returncode == 4 and re.search(rf"main.cu:\d+  {re.escape(line)}", report), done.stderr


# ---- what make takes ----

@pytest.mark.parametrize("block", [1, 33, 1000])
def test_any_block_size(block):
    path = build_programs("any-block-size", block=block) / "any-block-size"
    for n in 1, 33, 1025, N:
        check(path, "int", n, block=block)


# ---- on several GPUs, which are pretended ----

@pytest.mark.parametrize("type, counts", [
    ("int", (1, 3)), ("double", (11,)), pytest.param("float", (2,), marks=pytest.mark.slow)])
def test_pretended_gpus(tmp_path, type, counts):
    """With pretend/gpus.h the program refuses no CPU backend; some n are fewer than the GPUs. 130 rounds
    are two laps of the peers' mailboxes, and two rounds."""
    texts = {'#include "lab.h"\n': '#include "gpus.h"\n#include "lab.h"\n', "#ifdef SIMT\n": "#if 0\n"}
    program = compile_changed("multi-gpu-peer", texts, tmp_path, "-Itests/pretend", type=type)
    for gpus, n in itertools.product(counts, (1, 2, 5, 8, 4097, N)):
        done = run(program, "-n", n, "-r", 130 if n == 8 else 3, "--csv",
                   env={"PRETEND_GPUS": str(gpus)})
        alone = "multi-gpu-peer: one GPU here: it does all the work alone\n" * (gpus == 1)
        assert (done.returncode, done.stderr) == (0, alone)
        row = csv_row(done)
        assert row["result"] == row["expected"] and row["verified"] == "yes"
        assert row["device"] == (f"{gpus} x " if gpus > 1 else "") + "CPU backend"
    done = run(program, env={"PRETEND_GPUS": "2", "PRETEND_APART": "1"})
    assert_refused(done, 3, "GPU 1 cannot reach the memory of GPU 0: use multi-gpu")


# ---- on a GPU ----

NEEDS_SM = {"cluster": 90, "dependent-launch": 90, "two-kernels": 90, "warp-redux": 80}


def runs_on(name, type):
    """This GPU, that is; make bench-multi-gpu runs those for several."""
    return takes(name, type) and not name.startswith("multi-gpu") and (
        NEEDS_SM.get(name, 0) <= int(GPU[3:]))


@pytest.mark.parametrize("type", ALL_TYPES)
@pytest.mark.parametrize("backend", BACKENDS[1:])
def test_on_gpu(backend, type):
    names = [name for name in DETOURS if runs_on(name, type)]
    folder = build_programs(*names, backend=backend, type=type, block=256)
    for name in names:
        if "needs CUB 3.1" in run(folder / name, "-n", 1).stderr:
            continue  # `make test CCCL=FOLDER` has newer headers
        for n in 33, 4097, N:
            check(folder / name, type, n, "-r", 1, block=256)


# ---- any-operator: of a NaN, too ----

OPS = ("sum", "max", "min", "prod")
# Of 0, 1, 33 and 65537 elements. Of nothing it is the neutral element.
RIGHT = {("sum", "int"): (0, 103, 4861, 8374458), ("sum", "float"): (0, -0.5, 21.5, 1842.5),
         ("max", "int"): (-2**31, -1804289384, -35005212, -3723),
         ("max", "float"): (-math.inf, -1804289384, -35005212, -3723),
         ("min", "int"): (2**31 - 1, 1804289383, 35005211, 3723),
         ("min", "float"): (math.inf, 1804289383, 35005211, 3723),
         ("prod", "int"): (1, 1804289383, -598200975, -1471968523),
         ("prod", "float"): (1, -1, -1, 1)}


def any_operator(op, type="int"):
    return build_programs("any-operator", type=type, op=op) / "any-operator"


@pytest.mark.parametrize("op, type", [
    pytest.param(op, type, marks=pytest.mark.slow if type == "float" and op != "max" else ())
    for op in OPS for type in ("int", "float")])
def test_operators(op, type):
    """33 elements leave most threads without one, 65537 the last block's threads but one."""
    for n, right in zip((0, 1, 33, 65537), RIGHT[op, type]):
        row = row_of(any_operator(op, type), "--csv", "-n", n)
        assert row["result"] == row["expected"] and row["verified"] == "yes"
        assert math.isclose(float(row["result"]), right, rel_tol=0 if type == "int" else 1e-7)
    assert f"\n  {op} " in run(any_operator(op, type), "-n", 33).stdout


@pytest.mark.parametrize("op", [op if op == "max" else pytest.param(op, marks=pytest.mark.slow)
                                for op in OPS])
def test_nan_is_the_result(op):
    """The NaN is the first, the last or a middle element. The same holds for a step's sum."""
    for path in any_operator(op, "float"), build_programs("step07", type="float") / "step07":
        for n in 1, 2, 65537:
            row = row_of(path, "--csv", "--nan", "-n", n)
            assert row["verified"] == "yes" and math.isnan(float(row["result"]))


def test_golden_inputs_for_sums():
    def call(typed):
        op, type, option = typed.split()
        return run(any_operator(op, type), option)

    replay("refused-operators.csv", call)

"""The detours: right sums for every size, block and type, and each header's promises kept."""

import re

import pytest

from conftest import (DETOURS, NEEDS_GPU, STEPS, assert_refused, build_programs, csv_row,
                      expected_sum, run)

# Those that the CPU backend runs; a new folder of detours/ must be named here or in NEEDS_GPU.
ANYWHERE = ("any-block-size", "any-operator", "atomic-finish", "atomic-per-element",
            "deterministic-float", "global-neighbored-pairs", "global-sequential",
            "global-strided-index", "grid-stride", "halving-launches", "single-pass",
            "unrolled-tree", "vector-loads", "warp-redux")
IN_PLACE = [name for name in ANYWHERE if name.startswith("global-")]
TYPES = {"deterministic-float": ["float"], "warp-redux": ["int"]}  # the others take all three
ALL_TYPES = ("int", "float", "double")

SIZES = (1, 2, 31, 33, 257, 4095, 4097, 16385, 65537, 100003)
FEW_SIZES = {"float": (31, 4097, 100003), "double": (33, 8193, 100003)}
N = 100003


def takes(name, type):
    return type in TYPES.get(name, ALL_TYPES)


def build_all(names, type, block, **options):
    """Builds those that take the type; any-block-size has 200 threads where 256 are usual."""
    able = [name for name in names if takes(name, type)]
    if block == 256 and "any-block-size" in able:
        able.remove("any-block-size")
        build_programs("any-block-size", type=type, block=200, **options)
    return build_programs(*able, type=type, block=block, **options)


def program(name):
    """As it is built when make is told nothing but its name."""
    if name == "any-block-size":
        return build_programs(name, block=200) / name
    if name == "deterministic-float":
        return build_programs(name, type="float") / name
    return build_all(ANYWHERE, "int", 256) / name


def check(path, type, n, *options, block):
    done = run(path, "--csv", "-n", n, *options)
    assert (done.returncode, done.stderr) == (0, "")
    row = csv_row(done)
    about = {"step": "", "name": path.name, "type": type, "n": str(n), "verified": "yes",
             "block": "512" if path.name == "single-pass" else str(block)}
    assert {key: row[key] for key in about} == about
    assert float(row["result"]) == float(row["expected"]) == expected_sum(type, n), row
    return row


def check_usual(name, n, *options):
    type = TYPES.get(name, ["int"])[0]
    check(program(name), type, n, *options, block=200 if name == "any-block-size" else 256)


# ---- which there are ----

def test_all_are_known():
    """A test that goes over all names goes over all folders."""
    assert sorted([*ANYWHERE, *NEEDS_GPU]) == list(DETOURS)


# Of the other two, for several GPUs, test_multi_gpu.py tests the same.
NEEDS = {"cluster": "clusters of blocks (compute capability 9.0)",
         "cooperative-groups": "cooperative groups, a library of the CUDA toolkit",
         "cub": "CUB, a library of the CUDA toolkit"}


@pytest.mark.parametrize("name", NEEDS)
def test_needs_gpu(name):
    path = build_programs(*NEEDS) / name
    for arguments in [], ["-n", "0"], ["--csv"]:
        assert_refused(run(path, *arguments), 3, f"{name}: needs a GPU and {NEEDS[name]}: "
                       f"make BACKEND=cuda {name} on a machine that has them")
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


@pytest.mark.parametrize("type, block", [("double", 64), ("float", 1024)])
def test_types_and_blocks(type, block):
    folder = build_all(ANYWHERE, type, block)
    for name in ANYWHERE:
        for n in FEW_SIZES[type] if takes(name, type) else ():
            check(folder / name, type, n, block=block)


@pytest.mark.parametrize("name", ["atomic-finish", "grid-stride", "single-pass"])
def test_threads_and_orders(name):
    """Whichever block is the last, or the first to add its sum."""
    for options in (["--threads", 1], ["--threads", 2], ["--order", 1], ["--order", 2]):
        for n in 20000, N:
            check_usual(name, n, *options)


@pytest.mark.parametrize("name", ANYWHERE)
def test_reduces_again(name):
    """The harness restores the input of those that destroy it; the others leave it as it was, and
    what they keep on the device (single-pass's ticket) as they found it."""
    for n in 257, N:
        check_usual(name, n, "-w", 3)


# ---- their texts ----

NAME = r"(?:step \d\d|[a-z-]+)"
READ_IT = re.compile(rf"^Read it (?:after|before) ({NAME}(?:, {NAME})*(?: and {NAME})?)[.,:]", re.M)
PARTS = ("Read it", "Idea:", "Look at:", "Expect:", "Source:")  # in this order
SOURCES = "write-up|CUDA|CUB's documentation|NCCL's documentation|Higham"


def header_of(name):
    """The first comment, a line a line, without its stars; and the code."""
    comment, code = DETOURS[name].read_text().split("*/", 1)
    return re.sub(r"^(/\*| \*) ?", "", comment, flags=re.M), code


@pytest.mark.parametrize("name", DETOURS)
def test_header(name):
    header, _ = header_of(name)
    assert re.match(r"[A-Z][^:.]*: [^.]+\.\s", header)
    starts = [part for line in header.splitlines() for part in PARTS if line.startswith(part)]
    assert starts == [part for part in PARTS if part in starts]
    assert {"Read it", "Expect:"} <= set(starts)
    for text in header.split("\n\n"):
        if text.startswith(("Expect:", "Look at:", "Idea:")):
            assert len(text.split()) > 5
        if text.startswith("Source:"):
            assert re.search(SOURCES, text)
    assert set(re.findall(r"write-ups? (\d)", header)) <= set("01234")


@pytest.mark.parametrize("name", DETOURS)
def test_header_names_programs(name):
    header, _ = header_of(name)
    named = re.split(", | and ", READ_IT.search(header)[1])
    named += re.findall(r"step\s+\d\d", header)
    for other in named:
        number = re.fullmatch(r"step\s+(\d\d)", other)
        assert number[1] in STEPS if number else other in DETOURS and other != name, other


def test_header_names_programs_can_fail():
    assert READ_IT.search("Read it after step 07, grid-stride and vector-loads. Their")[1] == (
        "step 07, grid-stride and vector-loads")
    assert READ_IT.search("Read it after step 06, whose tree is")[1] == "step 06"


@pytest.mark.parametrize("file", sorted(
    f"{path.parent.name}/{path.name}" for main in DETOURS.values() for path in main.parent.iterdir()))
def test_lines(file):
    folder, name = file.split("/")
    text = (DETOURS[folder].parent / name).read_text()
    assert max(map(len, text.splitlines())) <= 100
    assert not re.search("MEASURED|TODO|FIXME|XXX|[ \t]$", text, re.M)


def statement_after(lines, number):
    """What is executed next after the line of this number: an else is not."""
    number += 1
    while lines[number].strip() in ("}", "} else {"):
        if lines[number].strip() == "} else {":
            number = lines.index(lines[number].replace("} else {", "}"), number)
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
        assert not re.match(r"\s*cuda[A-Z]\w*\(", line)

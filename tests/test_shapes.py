"""bench/shapes: every candidate adds up right, and the table that is made of what was measured."""

import csv

import pytest

from harness import ROOT, assert_refused, build_programs, run, transcript
from bench.shapes import table
from tutorial import shape_data
from tutorial.files import BadData

HEADER = "type,n,way,blocks,threads,loads,median_ms,min_ms"
LEASTS = """int,0,launch,1,32,1,0.0027,0.0027
int,0,trip,1,32,1,0.0031,0.0030
int,0,trip,132,256,1,0.0036,0.0035
int,0,barrier,8,32,1,0.0035,0.0034
int,0,atomic,132,32,1,0.0041,0.0040"""


@pytest.mark.parametrize("type", ["int", pytest.param("double", marks=pytest.mark.slow)])
def test_every_candidate_is_right(type):
    """The program verifies each; on the CPU backend those that need no cluster."""
    done = run(build_programs("shapes", type=type) / "shapes", "-n", 2**20)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith(HEADER)
    rows = list(csv.DictReader(done.stdout.splitlines()))
    of_many = "ticket" if type == "int" else "wait"
    assert {row["way"] for row in rows} == {"launch", "trip", "atomic", "group", of_many}
    assert {int(row["n"]) for row in rows} == {0} | {2**k for k in range(10, 21)}
    pack = 2 if type == "double" else 4
    for row in rows:
        at_once = pack * int(row["threads"]) * int(row["loads"])
        assert row["median_ms"] == ""
        assert row["way"] != "group" or int(row["n"]) <= at_once
        assert row["way"] != of_many or int(row["n"]) > at_once


def test_too_few_elements():
    done = run(build_programs("shapes") / "shapes", "-n", 1000)
    assert_refused(done, 2, "shapes: -n 1000: want 1048576 or more, and host memory for it")


# ---- the table of shapes ----

# Clusters that every GPU with clusters takes, and what stands behind them
NARROW = [(4096, "group", 8, 256, 4, 4), (8192, "group", 8, 256, 4, 4.5),
          (16384, "wait", 16, 512, 2, 5), (16384, "ticket", 16, 256, 1, 6),
          (32768, "wait", 16, 512, 2, 5.5), (32768, "ticket", 32, 256, 1, 7),
          (65536, "wait", 16, 512, 2, 6), (65536, "ticket", 64, 256, 1, 8)]


def with_wide(*rows):
    return sorted(NARROW + [(n, "group", 16, *rest) for n, *rest in rows])


# What was measured: (n, way, blocks, threads, loads, µs)
TABLES = {
    "another takes over when it is faster by more than 80 ns; a last row is for every larger n": [
        (1024, "group", 1, 256, 1, 3.4), (1024, "group", 1, 512, 2, 3.42),
        (2048, "group", 1, 256, 1, 3.7), (2048, "group", 1, 512, 2, 3.5),
        (4096, "group", 1, 512, 2, 3.9), (4096, "ticket", 4, 256, 1, 3.85),
        (8192, "group", 1, 512, 2, 4.5), (8192, "ticket", 8, 256, 1, 4.3)],
    "of large ones, by half a percent": [
        (2**20, "ticket", 8, 256, 1, 100), (2**20, "ticket", 8, 512, 4, 100.3),
        (2**22, "ticket", 8, 256, 1, 400), (2**22, "ticket", 8, 512, 4, 397.9)],
    "behind a shape that not every GPU can do stands the best of the others": [
        (4096, "group", 8, 256, 4, 4), (4096, "ticket", 4, 256, 1, 5), (4096, "ticket", 2, 512, 1, 4.9),
        (8192, "wait", 8, 512, 2, 4), (8192, "ticket", 4, 512, 1, 6)],
    "clusters that every GPU with clusters takes": NARROW,
    # another cluster changes nothing but to stand in front, up to the n at which it is ahead by 1 %
    "a large cluster, hardly ahead": with_wide((4096, 256, 1, 3.97), (16384, 512, 4, 4.96)),
    "ahead at first": with_wide((4096, 256, 1, 3.94), (4096, 512, 1, 3.9), (8192, 512, 1, 4.5)),
    "ahead later": with_wide((16384, 512, 4, 4.94)),
    "ahead in the end": with_wide((32768, 512, 4, 5.4), (65536, 1024, 4, 5.9)),
    "ahead to 8192": with_wide((4096, 512, 1, 3.9), (8192, 512, 1, 4.4))}


def test_golden_shapes(tmp_path):
    """The table that is made of what was measured; none of a type that was not."""
    calls, file = [], tmp_path / "shapes.csv"
    for title, rows in TABLES.items():
        lines = ["# gpu: A GPU", HEADER, *LEASTS.splitlines()]
        lines += [f"int,{','.join(map(str, row))},{us / 1000},0.001" for *row, us in rows]
        file.write_text("\n".join(lines) + "\n")
        calls.append((title, table.of_type(file, "int")))
    transcript("shapes.txt", [*calls, ("another type", table.of_type(file, "float"))])


@pytest.mark.parametrize("type", ["int", "float", "double"])
def test_committed_table(type):
    """It is what table.py makes of what was measured."""
    assert table.of_type(ROOT / "plots/data/shapes-h200.csv", type) == (
        ROOT / f"detours/single-pass/shapes-{type}.h").read_text(), "make bench-shapes PUBLISH=1"


# ---- what is told of it ----

def test_least(tmp_path):
    """The smallest launch of each kind, by what one block and one cluster can hold."""
    (tmp_path / "shapes-x.csv").write_text(f"{HEADER}\n{LEASTS}\nint,1024,wait,2,256,2,0.005,0.004\n")
    shapes = shape_data.beside(tmp_path / "x.csv")
    assert shapes.shapes == {("int", 1024): {shape_data.Shape("wait", 2, 256, 2): 0.005}}
    assert [shape_data.least_ms(shapes, "int", size) for size in (
        4, 2**16, 2**16 + 4, 2**18, 2**18 + 4)] == [0.0031, 0.0031, 0.0035, 0.0035, 0.0041]
    assert shape_data.least_ms(shapes, "float", 4) is None
    assert shape_data.beside(tmp_path / "none.csv") == ({}, {})


def test_bad_shapes(tmp_path):
    (tmp_path / "shapes-x.csv").write_text(f"{HEADER}\nint,1024,grope,2,256,2,0.005,0.004\n")
    with pytest.raises(BadData, match="way"):
        shape_data.beside(tmp_path / "x.csv")

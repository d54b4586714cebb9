"""plots/measure/shapes: every candidate adds up right; the table that is made of what was measured."""

import csv

import pytest

from harness import ROOT, assert_refused, build_programs, replay, run
from plots.measure.shapes import table
from plots.read import bench_data, side_data

HEADER = "type,n,way,blocks,threads,loads,median_ms,min_ms"
LEASTS = """int,0,launch,1,32,1,0.0027,0.0027
int,0,trip,1,32,1,0.0031,0.0030
int,0,trip,132,256,1,0.0036,0.0035
int,0,barrier,8,32,1,0.0035,0.0034
int,0,atomic,132,32,1,0.0041,0.0040"""


@pytest.mark.slow
@pytest.mark.parametrize("type", ["int", "double"])
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
        assert row["median_ms"] == row["min_ms"] == ""
        assert row["way"] != "group" or int(row["n"]) <= at_once
        assert row["way"] != of_many or int(row["n"]) > at_once


def test_too_few_elements():
    done = run(build_programs("shapes") / "shapes", "-n", 1000)
    assert_refused(done, 2, "shapes: -n 1000: want 2^20 or more")


# ---- the table of shapes ----

def test_golden_shapes(tmp_path):
    """The table that is made of what was measured: n, way, blocks, threads, loads and µs."""
    def call(typed):
        rows = (row.rsplit(",", 1) for row in typed.split())
        lines = ["# gpu: A GPU", HEADER, *LEASTS.splitlines()]
        lines += [f"int,{shape},{float(us) / 1000},0.001" for shape, us in rows]
        (tmp_path / "shapes.csv").write_text("\n".join(lines) + "\n")
        head, begin, *rows, end = table.of_type(tmp_path / "shapes.csv", "int").splitlines()
        assert "as measured on an A GPU" in head and (begin[-1], end) == ("{", "};")
        return " ".join(map(str.strip, rows)) + "\n"

    replay("shapes.csv", call)
    assert table.of_type(tmp_path / "shapes.csv", "float").splitlines()[2:] == ["};"]


@pytest.mark.parametrize("type", ["int", "float", "double"])
def test_committed_table(type):
    """It is what table.py makes of what was measured."""
    assert table.of_type(ROOT / "plots/data/shapes-h200.csv", type) == (
        ROOT / f"detours/single-pass/shapes-{type}.h").read_text(), "make bench-shapes PUBLISH=1"


# ---- what is told of it ----

def test_least(tmp_path):
    """The smallest launch of each kind, by what one block and one cluster can hold."""
    (tmp_path / "shapes-x.csv").write_text(f"{HEADER}\n{LEASTS}\nint,1024,wait,2,256,2,0.005,0.004\n")
    shapes, leasts, _ = side_data.beside(tmp_path / "x.csv")
    assert shapes == {("int", 1024): {side_data.Shape("wait", 2, 256, 2): 0.005}}
    bench = bench_data.load(ROOT / "tests/data/bench_small.csv")._replace(
        leasts=leasts, peak=float("inf"))
    assert [bench_data.trips_ms(bench, "int", size // 4) for size in (
        4, 2**16, 2**16 + 4, 2**18, 2**18 + 4)] == [0.0031, 0.0031, 0.0035, 0.0035, 0.0041]
    assert bench_data.trips_ms(bench, "float", 1) is None
    assert side_data.beside(tmp_path / "none.csv") == ({}, {}, None)

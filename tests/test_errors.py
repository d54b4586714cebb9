"""Which error each wrong call gives (tests/errors.cu): the one that a GPU gave, or, where the table
says so, the one of CUDA's documentation."""

import pytest

from conftest import GPU, NVCC, ROOT, run, simtcc
from tutorial.csv_input import one_of, read_table

SOURCE, TABLE = ROOT / "tests/errors.cu", ROOT / "tests/data/errors_h200.csv"
ROW = {"call": str, "result": str, "last": str}
HERE = one_of("", "documented", "ends")


def rows(text, columns):
    return [row.values for row in read_table("errors", columns, text).rows]


def expected_here():
    """Of the measured rows those that the CPU backend shall give."""
    for row in rows(TABLE.read_text(), ROW | {"here": HERE}):
        here = row.pop("here")
        if here == "documented":
            row["result"] = row["last"] = "cudaErrorInvalidConfiguration"
        if here != "ends":
            yield row


def test_here(tmp_path):
    done = run(simtcc(SOURCE.read_text(), tmp_path / "errors.cu", "-Wall", "-Wextra"))
    assert rows(done.stdout, ROW) == list(expected_here())
    assert done.returncode == 4 and "access to no memory at all" in done.stderr  # it ends there


@pytest.mark.skipif(not GPU, reason="no GPU here")
def test_on_a_gpu(tmp_path):
    """Other versions of CUDA call a wrong configuration as it is documented."""
    built = run(NVCC, f"-arch={GPU}", SOURCE, "-o", tmp_path / "errors")
    assert built.returncode == 0, built.stderr
    found = rows(run(tmp_path / "errors").stdout, ROW)
    measured = rows(TABLE.read_text(), ROW | {"here": HERE})
    assert [row["call"] for row in found] == [row["call"] for row in measured]
    for row, other in zip(found, measured):
        may_be = {other["result"]} | ({"cudaErrorInvalidConfiguration"}
                                      if other["here"] == "documented" else set())
        assert row["result"] in may_be, row

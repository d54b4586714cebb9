"""Which error each wrong call gives (simt/tests/errors.cu): the one that a GPU gave, or, where the table
says so, the one of CUDA's documentation."""

import csv
import re

import pytest

from backend import GPU, NVCC, ROOT, run, simtcc

SOURCE, TABLE = ROOT / "simt/tests/errors.cu", ROOT / "simt/tests/data/errors_h200.csv"


def rows(text):
    return list(csv.DictReader(line for line in text.splitlines() if line[:1] != "#"))


def test_here(tmp_path):
    done = run(simtcc(SOURCE.read_text(), tmp_path / "errors.cu", "-Wall", "-Wextra"))
    expected = [row for row in rows(TABLE.read_text()) if row["here"] != "ends"]
    for row in expected:
        if row.pop("here") == "documented":
            row["result"] = row["last"] = "cudaErrorInvalidConfiguration"
    assert rows(done.stdout) == expected
    assert done.returncode == 4 and "access to no memory at all" in done.stderr  # it ends there


@pytest.mark.skipif(not GPU, reason="no GPU here")
def test_on_a_gpu(tmp_path):
    """Other versions of CUDA call a wrong configuration as it is documented."""
    built = run(NVCC, f"-arch={GPU}", SOURCE, "-o", tmp_path / "errors")
    assert built.returncode == 0, built.stderr
    found = rows(run(tmp_path / "errors").stdout)
    measured = rows(TABLE.read_text())
    assert [row["call"] for row in found] == [row["call"] for row in measured]
    for row, other in zip(found, measured):
        may_be = {other["result"]} | ({"cudaErrorInvalidConfiguration"}
                                      if other["here"] == "documented" else set())
        assert row["result"] in may_be, row


def test_memory_that_could_not_be_had(tmp_path):
    """A kernel's null pointer is told with the call that nobody looked at."""
    program = simtcc("__global__ void k(int *p) { p[1] = 1; }\nint main()\n{\n    int *p = 0;\n"
                     "    cudaMalloc(&p, 1ul << 50);\n    k<<<1, 1>>>(p);\n}\n", tmp_path / "x.cu")
    assert re.search(r"null pointer plus 4 bytes: the call at \S*x.cu:5 failed, and nobody looked",
                     " ".join(run(program).stderr.split()))


@pytest.mark.parametrize("limit", ["-d", "-v"])
def test_no_address_space(tmp_path, limit):
    """The program has not begun when it is told."""
    program = simtcc("int main() { return 0; }\n", tmp_path / "x.cu")
    done = run("bash", "-c", f'ulimit {limit} 100000; exec "$0"', program)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "simt: no address space: want 368 MiB at least (ulimit -v or -d?)\n"

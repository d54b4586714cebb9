"""simtcc --strict, for the checks alone (twins/loads.cu)."""

import pytest

from backend import assert_refused, run
from test_twins import CASES, program

LOADS = [name for stem, name, _ in CASES if stem == "loads"]


@pytest.mark.parametrize("name", LOADS)
def test_the_optimiser_removes_loads(name):
    """And with them their races."""
    done = run(program("loads", "-O1"), name)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("setting", ["SIMT_COUNTERS=table", "SIMT_COUNTERS=csv",
                                     "SIMT_COUNTERS=annotate", "SIMT_TRACE=trace.csv"])
def test_neither_counters_nor_trace(setting, tmp_path):
    """One line says so, before anything runs."""
    done = run(program("loads"), "all_wait", env=dict([setting.split("=")]), cwd=tmp_path)
    assert_refused(done, 2, setting, "--strict", "compile it without")
    assert not list(tmp_path.iterdir())

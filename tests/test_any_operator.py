"""any-operator: sum, maximum, minimum and product, of a NaN, too."""

import ctypes
import math

import pytest

from harness import ROOT, build_programs, replay, row_of, run, said

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


class Reference(ctypes.Structure):
    _fields_ = [("integer", ctypes.c_int64), *((name, ctypes.c_double) for name in (
        "real", "magnitude", "loop", "loop_ms"))]


@pytest.mark.parametrize("op, right", [("min", [7, -2, -2, -2, -2]), ("sum", [7, 5, 10, 20, 25])])
def test_inputs_that_repeat(tmp_path, op, right):
    """In whole and in part."""
    said(run("gcc", "-shared", "-fPIC", "-DTYPE=double", f"-DOP=OP_{op}", "-Icommon",
             "common/reference.c", "common/clock.c", "-lm", "-o", tmp_path / "so", cwd=ROOT))
    reference_of = ctypes.CDLL(tmp_path / "so").reference_of
    reference_of.restype = Reference
    refs = [reference_of((ctypes.c_double * 3)(7, -2, 5), ctypes.c_size_t(3), ctypes.c_size_t(n), True)
            for n in (1, 2, 3, 6, 8)]
    assert [ref.real for ref in refs] == [ref.loop for ref in refs] == right


def test_golden_inputs_for_sums():
    def call(typed):
        op, type, option = typed.split()
        return run(any_operator(op, type), option)

    replay("refused-operators.csv", call)

"""any-operator: sum, maximum, minimum and product, NaN, and operators that are wrong."""

import itertools
import math

import pytest

from harness import (ROOT, build_programs, compile_changed, replay, row_of, run, said)

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
    """The same holds for a step's sum."""
    for path in any_operator(op, "float"), build_programs("step07", type="float") / "step07":
        for n in 1, 33, 65537:
            row = row_of(path, "--csv", "--nan", "-n", n)
            assert row["verified"] == "yes" and math.isnan(float(row["result"]))


@pytest.mark.parametrize("op, type", [("min", "float"), ("sum", "int")])
def test_reference(tmp_path, op, type):
    """Inputs that repeat, whole and in part, and a NaN at each place. (max: as above.)"""
    said(run("gcc", f"-DTYPE={type}", f"-DOP=OP_{op}", "-Icommon", "tests/c/reference.c",
             "common/reference.c", "common/clock.c", "-lm", "-o", tmp_path / "reference", cwd=ROOT))

    def reference(n, *values):
        return run(tmp_path / "reference", len(values), n, *values).stdout.split()

    for n in 1, 2, 3, 6, 8:
        values = list(itertools.islice(itertools.cycle([7, -2, 5]), n))
        assert reference(n, 7, -2, 5) == [str({"min": min, "sum": sum}[op](values))] * 2
    for place in range(3) if op == "min" else ():
        assert reference(3, *([3] * place + ["nan"] + [4] * (2 - place))) == ["nan"] * 2


def test_golden_inputs_for_sums():
    def call(typed):
        op, type, option = typed.split()
        return run(any_operator(op, type), option)

    replay("refused-operators.csv", call)


# Of any-operator: the operator, the type, and a text with what takes its place.
WRONG_OPERATORS = {
    "max, padded with 0": ("max", "int", "OP == OP_max ? LOWEST", "OP == OP_max ? (elem_t)0"),
    "min, padded with 0": ("min", "int", "OP == OP_min ? HIGHEST", "OP == OP_min ? (elem_t)0"),
    "product, padded with 0": ("prod", "int", "(elem_t)(OP == OP_prod)", "(elem_t)0"),
    "subtraction": ("sum", "int", "default: return a + b;", "default: return a - b;"),
    "maximum that loses a NaN": ("max", "float", "a > b ? a : a <= b ? b : a + b", "a > b ? a : b"),
}


@pytest.mark.parametrize("name", WRONG_OPERATORS)
def test_wrong_operator(tmp_path, name):
    op, type, old, new = WRONG_OPERATORS[name]
    path = compile_changed("any-operator", old, new, tmp_path, type=type, op=op)
    options = ["--nan"] if "NaN" in name else []
    for n in 33, 5000:
        done = run(path, "-n", n, *options)
        assert (done.returncode, done.stderr) == (1, "") and "   WRONG\n" in done.stdout, done

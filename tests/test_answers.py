"""Exercises: what is given fails with the hint meant for it, solutions and other right answers
pass, and wrong answers are refused for the right reason."""

import itertools
import math
import re
import time

import pytest

from harness import ROOT, data_rows, patched
from marking import EXERCISES, changed, given, mark, marker, one_line, solution, types

each_type = pytest.mark.parametrize("number, type", [
    pytest.param(number, type, marks=[pytest.mark.slow] * (type != types(number)[0]))
    for number in EXERCISES for type in types(number)])


# ---- what is given, and what solves it ----

# A word of the hint that is meant for it
HINT = {"01": "lane 1", "02": "4 warps", "03": "lanes 0, 1, 2", "04": "stride 128",
        "05": "leaves 48", "06": "__shfl_down_sync", "07": "still added", "08": "travel together",
        "09": "in a register", "10": "lane 1", "11": "two lines", "12": "488 elements",
        "13": "232 elements", "14": "must call", "15": "The ticket is an atomic", "16": "24 bits",
        "17": "s[1][5]", "18": "its own 64", "19": "as for 4096", "20": "sum of four",
        "21": "one block has all"}
HUNT = {"11", "12", "13", "14", "15"}  # a bug is to be found: lines are shown by HINT=1
TO_WRITE = "07", "08"  # what is given is another reduction, with another result


@each_type
def test_given(mark, number, type):
    """Not yet, for its budget or bug; its hint is shown, at a line of main.cu."""
    result, text = mark(number, given(number), "--type", type, "--runs", 1,
                        *["--hint", 2] * (number in HUNT))
    why = ["wrong"] * (number in TO_WRITE)
    why += [budget["name"] for budget in result["budgets"] if not budget["keep"]]
    why += [each["id"] for each in result["findings"]]
    assert (result["status"], result["score"], result["reason"]) == (1, 0, [*why, "wrong"][0])
    assert result["types"][0]["right"] == (result["reason"] != "wrong")
    assert result["hints"] >= 2 and HINT[number] in one_line(result["hint"])
    assert "Hint " in text and one_line(result["hint"]) in one_line(text)
    assert bool(result["places"]) == (result["reason"] not in ("wrong", "threads"))  # no line's
    for place in result["places"]:
        assert f"main.cu:{place['line']}" in text
        assert given(number).splitlines()[place["line"] - 1].strip() == place["source"]
    assert ("FIXME" in given(number)) != (number in {*HUNT, "16"})
    assert "FIXME" not in solution(number)
    if number in HUNT:
        result, text = mark(number, given(number), "--type", type, "--runs", 1)
        assert (result["hint"], result["places"], result["findings"]) == (None, [], [])
        assert "main.cu:" not in text and "HINT=1" in text and ". " not in result["message"]


# The solution's number for each prediction
PREDICTED = {"01": 4, "03": 1, "04": 9, "06": 86, "17": 1, "18": 2}


@pytest.mark.parametrize("typed", ["1,5", "abc", "4*", "inf"])
def test_a_prediction_that_is_no_number(mark, typed):
    result, text = mark("03", re.sub("(PREDICT:.*= )[?]", rf"\g<1>{typed}", solution("03")),
                        "--type", "int", "--runs", 1)
    assert result["passed"] and result["predicted"] is None
    assert f"  PREDICT: '{typed}' is no number; want one such as 4 or 1.5.\n" in text


@each_type
def test_solution(mark, number, type):
    """It is not at the edge: no figure is above 95 % of its limit, unless the limit is 0. With other types
    the sizes and inputs are random. The text shows the student's prediction beside the solution's
    number."""
    seed = 1 if type == types(number)[0] else time.time_ns() % 2**32
    source = re.sub("(PREDICT:.*= )[?]", r"\g<1>77", solution(number))
    result, text = mark(number, source, "--type", type, "--seed", seed)
    came = PREDICTED.get(number)
    assert (result["predicted"], result["came"]) == (came and 77, came)
    assert not came or f"you predicted 77; it is {came}" in one_line(text)
    assert result["passed"] and result["findings"] == [] != result["budgets"], text
    assert result["types"][0]["runs"] == result["types"][0]["right"] >= 12
    sizes = math.prod(result["sizes"].values()) * (32 if number in ("02", "03") else 1)
    assert sizes > 1 << 16  # the last one is no index of 16 bits
    for budget in result["budgets"]:
        assert budget["met"] and budget["value"] <= 0.95 * budget["limit"], budget
    assert f"make solution-{number}" in text and f"right at {result['types'][0]['runs']}" in text


# ---- other answers ----

def with_block(number, block):
    """A budget asks for an idea, not for our number of threads."""
    return re.sub("(#define BLOCK) [0-9]+", rf"\1 {block}", solution(number))


# Exercise, reason, words of its first hint, size, what it is, source: the solution as answers.diff
# changes it
ANSWERS = [(*head, patched(solution(head[0]), body)) for *head, body in re.findall(
    r'^=== (\d\d) (\S+)(?: "(.+)")?(?: at ([\d,]+))?: (.*)\n((?:(?!===).*\n)+)',
    (ROOT / "tests/answers.diff").read_text(), re.M)]
BLOCKS = [*itertools.product("04 07 08 09 10 11 16 18 19".split(), ["done"], (128, 512, 1024)),
          ("02", "done", 64), ("03", "done", 64), ("15", "done", 512), ("15", "done", 1024),
          ("21", "atomics", 32), ("21", "atomics", 64), ("21", "barriers", 256),
          ("21", "threads", 512)]
ANSWERS += [(number, reason, "", "", f"blocks of {block}", with_block(number, block))
            for number, reason, block in BLOCKS]


@pytest.mark.parametrize("number, reason, words, size, source", [
    pytest.param(number, reason, words, size, source, id=f"{number}-{what}",
                 marks=[pytest.mark.slow] * (reason == "done"))
    for number, reason, words, size, what, source in ANSWERS])
def test_answers(mark, number, reason, words, size, source):
    """Right ones are done, for the last type, or at a size; wrong ones are refused, with a hint."""
    if reason == "done":
        result, text = mark(number, source, *(["--type", types(number)[0], "--at", size] if size
                                              else ["--type", types(number)[-1]]))
        assert result["passed"], text
        return
    shown = 1 + (number in HUNT) if words else 2  # or the last one
    result, text = mark(number, source, "--hint", shown,
                        *(["--at", size] if size else ["--runs", 3]))
    assert (result["status"], result["reason"]) == (1, reason), text
    assert result["score"] in (0, 25, 33, 50, 66, 75)  # some of two to four budgets
    assert one_line(result["message"]).partition(". ")[0] in one_line(text)
    assert "an allocation of" not in text  # arrays have names
    assert reason != "unnamed" or "0xff," in result["places"][0]["source"]  # the second shuffle
    assert words in one_line(result["hint"] or "")
    assert ("The next:" in text) == (result["hints"] > shown)
    assert not result["hints"] or (f"Hint {min(shown, result['hints'])} of" in text and
                                   one_line(result["hint"]) in one_line(text))


MISTAKES = [tuple(row.values()) for row in data_rows("tests/golden/mistakes.csv")]


@pytest.mark.parametrize("number, old, new, option, words", MISTAKES,
                         ids=[f"{number}-{words}" for number, *_, words in MISTAKES])
def test_a_hint_fits_what_was_written(mark, number, old, new, option, words):
    result, text = mark(number, changed(solution(number), old, new), option)
    assert words in one_line(result["hint"] or text), text

"""The ladder as a text: steps are short, and two that follow each other differ in one idea."""

import difflib
import re

import pytest

from harness import STEPS


def code_of(step):
    """The step without comments and blank lines."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", STEPS[step].read_text(), flags=re.S)
    return "".join(line.rstrip() + "\n" for line in text.splitlines() if line.strip())


@pytest.mark.parametrize("a, b", zip(list(STEPS)[1:], list(STEPS)[2:]))
def test_one_idea_a_step(a, b):
    """Only the kernel, its constants and the number of blocks change, in a few lines."""
    differ = difflib.ndiff(code_of(a).splitlines(), code_of(b).splitlines())
    changed = sum(line[0] in "+-" for line in differ)
    assert 0 < changed <= 25, f"steps {a} and {b}: {changed} lines differ, one idea is 1 to 25"

    def outside(step):
        kernel = r"(__global__ void reduce_block\([^)]*\))\n\{\n.*?^\}\n"
        text = re.sub(kernel, r"\1", code_of(step), count=1, flags=re.S | re.M)
        return re.sub(r"^#define .*\n|size_t blocks = .*;\n", "", text, flags=re.M)
    assert outside(a) == outside(b)


@pytest.mark.parametrize("step", STEPS)
def test_short_and_plain(step):
    text, code = STEPS[step].read_text(), code_of(step)
    assert text.count("\n") <= 80
    assert max(map(len, text.splitlines())) <= 100
    assert not re.search(r"\b(template|class|volatile|namespace|auto)\b", code)
    assert not re.search(r"\bSIMT|\bsimt", code)  # nothing in it knows of the CPU backend
    launches = re.findall(r"<<<.*\n(.*)\n", code)
    assert launches and {line.strip() for line in launches} == {"CHECK(cudaGetLastError());"}
    comment = re.match(r"/\* (.*?)\*/\n#include", text, re.S)[1]
    parts = re.findall(r"^(?: \* )?(Step \d\d|Before|Idea|Look at|Source):", comment, re.M)
    assert parts == [f"Step {step}", *["Before"] * (step != "00"), "Idea", "Look at", "Source"]

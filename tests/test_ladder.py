"""The ladder as a text: steps are short, and two that follow each other differ in one idea."""

import re

import pytest

from harness import STEPS

PAIRS = list(zip(list(STEPS)[1:], list(STEPS)[2:]))
FUNCTION = r"^(?:__global__|static) void (\w+)\([^)]*\)\n\{\n.*?^\}\n"


def code_of(step):
    """The step without comments and blank lines."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", STEPS[step].read_text(), flags=re.S)
    return "".join(line.rstrip() + "\n" for line in text.splitlines() if line.strip())


def functions(code):
    return {match[1]: match[0] for match in re.finditer(FUNCTION, code, re.S | re.M)}


def changed_lines(a, b):
    """Lines removed and added by the smallest difference, from the longest common subsequence."""
    longest = [0] * (len(b) + 1)
    for x in a:
        before = longest[:]
        for j, y in enumerate(b):
            longest[j + 1] = before[j] + 1 if x == y else max(before[j + 1], longest[j])
    return len(a) + len(b) - 2 * longest[-1]


def test_changed_lines():
    assert changed_lines("abcd", "abcd") == 0
    assert changed_lines("abcd", "axcd") == 2
    assert changed_lines("", "abc") == 3
    assert changed_lines("abcabba", "cbabac") == 5


def test_no_step_is_missing():
    assert list(STEPS) == [f"{number:02}" for number in range(len(STEPS))]


@pytest.mark.parametrize("a, b", PAIRS)
def test_one_idea_a_step(a, b):
    changed = changed_lines(code_of(a).splitlines(), code_of(b).splitlines())
    assert 0 < changed <= 25, f"steps {a} and {b}: {changed} lines differ, one idea is 1 to 25"


@pytest.mark.parametrize("a, b", PAIRS)
def test_same_outside(a, b):
    """Only the kernel, its constants and the number of blocks change."""
    def outside(step):
        text = code_of(step)
        kernel, launch = functions(text)["reduce_block"], functions(text)["reduce"]
        text = re.sub(r"^#define .*\n", "", text.replace(kernel, ""), flags=re.M)
        text = re.sub(r"size_t blocks = .*;\n", "", text)
        return kernel.splitlines()[0], launch.count("\n"), text
    assert outside(a) == outside(b)


@pytest.mark.parametrize("step", STEPS)
def test_short_and_plain(step):
    text, code = STEPS[step].read_text(), code_of(step)
    assert text.count("\n") <= 80
    assert max(map(len, text.splitlines())) <= 100
    assert not re.search(r"\b(template|class|volatile|namespace|auto)\b", code)
    assert not re.search(r"\bSIMT|\bsimt", code)  # nothing in it knows of the CPU backend


@pytest.mark.parametrize("step", STEPS)
def test_header_comment(step):
    comment = re.match(r"/\* (.*?)\*/\n#include", STEPS[step].read_text(), re.S)[1]
    parts = re.findall(r"^(?: \* )?(Step \d\d|Before|Idea|Look at|Source):", comment, re.M)
    before = [] if step == "00" else ["Before"]
    assert parts == [f"Step {step}", *before, "Idea", "Look at", "Source"]


@pytest.mark.parametrize("step", STEPS)
def test_every_launch_is_checked(step):
    lines = code_of(step).splitlines()
    launches = [i for i, line in enumerate(lines) if "<<<" in line]
    assert launches
    for i in launches:
        assert lines[i + 1].strip() == "CHECK(cudaGetLastError());"

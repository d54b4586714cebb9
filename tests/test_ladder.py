"""The programs as texts: steps are short, two that follow each other differ in one idea, and what is read
before a guess, in their headers and in NOTES.md, of which students have a copy, has no figure of the
table that follows, and says nothing of what came. (test_lab.py holds the slides.)"""

import difflib
import re
import types

import pytest

from harness import DETOURS, ROOT, STEPS

from plots import tables
from plots.read import bench_data, counter_data, programs


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


# ---- predict, then see ----

# Said of a figure, and not asked, they tell what became of it
OUTCOMES = re.compile(r"\b(halves|halved|falls? (?:to|by)|fell|rises?|hardly changes|"
                      r"gains? nothing|go(?:es)? up|is now|are now|unchanged)\b")
# A detour's header compares it with nothing, but asks for that
COMPARED = re.compile(r"\b(faster|fastest|slower|times the time|the (?:time|counters) of|"
                      r"(?:a|an|three) (?:third|quarters?|fifth|sixth|eighth|fifteenth|twentieth)"
                      r"(?! launch))\b")
DATA = types.SimpleNamespace(bench=bench_data.load(ROOT / "plots/data/h200.csv"),
                             counters=counter_data.load(ROOT / "plots/data/counters.csv"))
NOTES = (ROOT / "NOTES.md").read_text()


def figures(step):
    """Those that stand in the step's table and not in that of the step before, as people may write
    them: 32,768 or 32768, 4.0 or 4. One digit alone says nothing, nor does what a header tells."""
    def of(step):
        rows = tables.step(DATA, step).splitlines()[2:]
        return {row.split("|")[2].strip().replace(",", "") for row in rows
                if row[:1] == "|" and "loads in flight" not in row}

    before = f"{int(step) - 1:02}" if step in STEPS else (programs.get(step).when_to_read or "")[-2:]
    new = of(step) - (of(before) if before in STEPS else set())
    return {figure for figure in new | {re.sub(r"\.0+$", "", f) for f in new} if len(figure) > 1}


def told(words, text):
    """The words of the pattern that stand in the text outside of questions."""
    return [word for sentence in re.split(r"(?<=[.?!])\s", text) if not sentence.endswith("?")
            for word in words.findall(sentence)]


def outcomes_in(text, step):
    """The figures and words that give the step's outcome away."""
    numbers = {number.replace(",", "").rstrip(".") for number in re.findall(r"\d[\d,.]*", text)}
    return sorted(numbers & figures(step)) + told(OUTCOMES, text)


@pytest.mark.parametrize("key", [*STEPS, *DETOURS])
def test_header(key):
    """'Look at' gives nothing away; in a detour it asks."""
    program = programs.get(key)
    asked = program.parts["Look at"]
    assert outcomes_in(asked, key) == []
    if key in DETOURS:
        assert "?" in asked and "Expect" not in program.parts
        assert told(COMPARED, " ".join(program.paragraphs)) == []


@pytest.mark.parametrize("step", STEPS)
def test_notes(step):
    """The unfolded part of a section in front of the question gives nothing away, code and `Before` apart;
    and it has no picture or table of measured or counted figures."""
    section = re.search(rf"^## Step {step}\b.*?^\*\*Question\.", NOTES, re.M | re.S)[0]
    shown = re.sub(r"^\*\*Before\.\*\*.*?(?=^\*\*Idea)|^<details>.*?^</details>$|"
                   r"^<!-- generated: (?!step).*?/generated -->$", "", section, flags=re.M | re.S)
    assert outcomes_in(shown, step) == []
    picture = re.compile(r"\]\(plots/[\w-]+\.")
    assert not picture.search(shown) and "generated: step" not in shown
    assert not picture.search(NOTES.partition("\n## Step 00")[0])

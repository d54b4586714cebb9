"""Where a class meets the exercises: the handout, the notebook, the workflow, the container."""

import json
import re
import shutil
import sys
import tarfile
import textwrap

import pytest

from harness import ROOT, broken_links, copy_built, locked, make, run, said

SOLUTIONS = sorted(ROOT.glob("exercises/*/solution.cu"))
NOTEBOOK = ROOT / "exercises/lab.ipynb"
BANK = "exercises/03-remove-the-bank-conflict"


@pytest.fixture
def handout(simt, tmp_path):
    """The archive that make handout writes, unpacked."""
    with locked(ROOT / "exercises"):
        assert said(make("-s", "handout")) == "build/handout.tar.gz\n"
        assert run("tar", "-xzf", ROOT / "build/handout.tar.gz", "-C", tmp_path).returncode == 0
    return tmp_path / "reduction"


# ---- the handout ----

def files_of(tree):
    return {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()}


def answers(text):
    """The folded parts of a text without their headings, except those that follow a guess."""
    return re.findall(r"^<details><summary>(?!See what came).*?</summary>\n+(.*?)^</details>", text,
                      re.M | re.S)


def figures_of_steps():
    """The figures in NOTES.md's tables of steps that give something away: times, bandwidths, amounts, and the
    averages that one should guess."""
    tables = re.findall(r"^<!-- generated: step .*?/generated -->$", (ROOT / "NOTES.md").read_text(),
                        re.M | re.S)
    figures = {figure for table in tables for figure in re.findall(r"\d[\d,.]*\d", table)}
    return {figure for figure in figures if len(figure) > 4 and figure not in (
        "1,048,576", "32,768")} | {"22.7"}


def test_handout_has_no_answers(handout):
    files = files_of(handout)
    assert not [each for each in files
                if re.search(r"solution\.cu|^tests/|^exercises/.*main\.cu|^plots/page/", each)]
    assert [each for each in files if each.endswith(".svg")
            and not each.endswith("-blank.svg")] == []
    assert files >= {str(path.parent.relative_to(ROOT) / name) for path in SOLUTIONS
                     for name in ("given.cu", "exercise.c")}
    notes = (ROOT / "NOTES.md").read_text()
    left = (handout / "NOTES.md").read_text()
    assert len(answers(notes)) >= 16
    assert not [text for text in answers(notes) if text in left]
    assert "<details>" not in left and "](plots/access" not in left
    assert "what-came-of-it" not in left and "| ms " not in (handout / "README.md").read_text()
    told = (handout / "README.md").read_text() + said(make("help", cwd=handout))
    assert not re.search(r"make (lab|test)|^  (golden|handout|lab|table|test)|tests/|page/", told, re.M), told
    headings = re.findall("^## .*$", notes, re.M)
    headings.remove("## What a profiler adds")
    assert re.findall("^## .*$", left, re.M) == headings

    rows = re.findall(r"^(\| \d\d [^|]*\|[^|]*\| \d+ \|.*\|)([^|]*)\|$",
                      (ROOT / "exercises/README.md").read_text(), re.M)
    text = (handout / "exercises/README.md").read_text()
    assert len(rows) == len(SOLUTIONS) and "| common mistakes |" not in text
    assert all(f"\n{row}\n" in text and mistakes not in text for row, mistakes in rows)
    measured = figures_of_steps()
    for path in handout.rglob("*.md"):
        text = path.read_text()
        assert "details>" not in text
        assert not measured & {*re.findall(r"\d[\d,.]*\d", text)}, path
        assert [*broken_links(path)] == [], path


def test_handout_works(handout, no_python):
    """It needs no Python to build, to mark, or for a program of one's own, and tells well what is not
    there. Three exercises stay, so that the marker is soon built."""
    def do(*goals):
        return said(make("-s", "-j2", *goals, cwd=handout, env={"PATH": no_python}))

    files = files_of(handout)
    # one that is made of it, without git, is the same
    assert do("handout") == "build/handout.tar.gz\n"
    with tarfile.open(handout / "build/handout.tar.gz") as archive:
        assert {each.name for each in archive if each.isfile()} == {f"reduction/{f}" for f in files}
    copy_built(handout, ROOT / "build/simt")
    for text in {*handout.glob("exercises/*/exercise.c")} - {*handout.glob("exercises/[01][13]-*/*")}:
        shutil.rmtree(text.parent)
    assert "own/fast/main.cu" in do("new", "NAME=fast")
    do("step03", "BACKEND=cpu")
    assert run("./step03", cwd=handout).returncode == 0
    assert "exercises/01-coalesce-the-loads/main.cu" in do("exercise")
    assert "main.cu:40" in do("mark-11", "HINT=1")
    shutil.copy(ROOT / BANK / "solution.cu", handout / BANK / "main.cu")
    do("mark-03")
    for goal, words in (("solution-03", "make solution-03: this copy for students has no solutions"),
                        ("test", "no tests/"), ("lab", "no plots/page/"), ("table", "no plots/page/")):
        done = make("-s", goal, cwd=handout)
        assert (done.returncode, done.stdout) == (2, "") and words in done.stderr


# ---- the workflow ----

@pytest.mark.slow
def test_workflow(handout):
    """Each of its shell steps runs: what is not done is told at its line, and nothing else is."""
    workflow = (ROOT / ".github/workflows/exercises.yml").read_text()
    build, = re.findall(r" run: (make .*)", workflow)
    mark = textwrap.dedent(workflow.partition(" run: |\n")[2])

    def runs(script, status=0):
        done = run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script, cwd=handout)
        assert (done.returncode, done.stderr) == (status, "")
        return done.stdout

    run("bash", "-ec", build, cwd=handout)
    assert runs(mark) == ""
    shutil.copy(ROOT / BANK / "solution.cu", handout / BANK / "main.cu")
    race = handout / "exercises/11-find-the-race"
    shutil.copy(race / "given.cu", race / "main.cu")
    shutil.copy(handout / BANK / "given.cu", handout / BANK / "main.cu")
    stray = handout / "exercises/zz"
    stray.mkdir()
    (stray / "main.cu").write_text("")
    bank, found, warning = [line for line in runs(mark, 1).splitlines() if line.startswith("::")]
    assert re.match(rf"::error file={BANK}/main\.cu,line=\d+,title=03-remove-the-bank-conflict::", bank)
    assert found.startswith("::error file=exercises/11-find-the-race/main.cu,title=11-find-the-race::")
    assert warning.startswith("::warning file=exercises/zz/main.cu::")
    (race / "main.cu").write_text('#include "task.h"\nint 1;\n')
    assert "/main.cu,line=2,title=" in runs(mark, 1)


def test_classroom():
    """Each graded step marks an exercise that there is, and is reported."""
    text = (ROOT / "exercises/services/classroom.yml").read_text()
    numbers = re.findall(r"- id: exercise-(\d\d)\n", text)
    assert re.findall(r"EXERCISE-(\d\d)_RESULTS: .*steps.exercise-(\d\d).outputs", text) == [
        (number, number) for number in numbers]
    assert f"runners: {','.join(f'exercise-{number}' for number in numbers)}\n" in text
    commands = re.findall(r"test-name: (\d\d) (.*)\n *command: build/exercises/mark (\S+)\n", text)
    assert [number for number, _, _ in commands] == numbers
    for _, title, folder in commands:
        assert f'"{title}"' in (ROOT / folder / "exercise.c").read_text()


# ---- the notebook ----

def code_cells():
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_notebook_is_clean():
    """No output is kept, and where it comes from is one variable."""
    assert NOTEBOOK.read_text().count("example.org") == 1
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code_cells())


@pytest.mark.slow
def test_notebook(handout):
    """Its cells of bash, and those that end with points, in the folder that it would clone. What
    nbgrader 0.9.6 wants of these is that they are locked, and that the last value is the points."""
    def ran(text):
        if text.startswith("%%bash\n"):
            return said(run("bash", "-c", text.replace("%%bash", "exec 2>&1", 1), cwd=handout))
        shell, *rest, last = text.removeprefix("!").splitlines()
        said(run("bash", "-c", shell, cwd=handout))
        return said(run(sys.executable, "-c", "\n".join([*rest, f"print('points:', {last})"]),
                        cwd=handout))

    cells = [(cell, "".join(cell["source"])) for cell in code_cells()]
    texts = [text for _, text in cells]
    counted, mark_01, compared, mark_03, mark_13, last = (
        ran(text) for text in texts if text.startswith(("%%bash\n", "!make")))
    graded = [(cell["metadata"]["nbgrader"], text) for cell, text in cells if "points(" in text]
    assert all(each["grade"] and each["locked"] and f", {each['points']})" in text
               for each, text in graded) and len(graded) == 3
    assert "sectors/request" in counted and "32.0" in counted
    assert "bank conflicts" in compared and "03" in compared
    for text in mark_01, mark_03, mark_13:
        assert "Not yet:" in text and re.search("Hint 1 of|hint=1", text)
        assert text.endswith("points: 0\n")
    assert "backend: " in last and "   OK\n" in last
    pictures = re.findall(r'SVG\("(.*?)"\)', "".join(texts))
    assert len(pictures) == 2 and all((handout / picture).exists() for picture in pictures)

"""make table: blocks of the READMEs and the notes are made anew, and nothing around them
(test_notes.py: what is in the tables)."""

import functools
import re
import shutil
import sys

import pytest

from harness import ROOT, STEPS, run

from plots import table

SMALL = ROOT / "tests/data/bench_small.csv"
OPEN, CLOSE = "<!-- generated: ladder -->\n", "<!-- /generated -->\n"
LOADED = functools.cache(table.load)


@pytest.fixture
def loaded(monkeypatch):
    """The tables' data, read once for several tests."""
    monkeypatch.setattr(table, "load", LOADED)


def test_committed_tables_are_fresh(capsys, loaded):
    assert (table.main(["--check"]), *capsys.readouterr()) == (0, "", ""), "make table"


def test_table(tmp_path, capsys, loaded):
    """--check tells and writes nothing; the table is rewritten once, and nothing around it."""
    file = tmp_path / "README.md"
    good = (ROOT / "README.md").read_text()
    stale = good.replace("| [00 naive]", "| [00 native]")
    assert good.count(OPEN) == 1 and stale != good
    file.write_text(stale)
    for options, status, out, err, left in (
            (["--check"], 1, "", f"{file}: block 'ladder' is stale: make table\n", stale),
            ([], 0, f"{file}: block 'ladder' rewritten\n", "", good),
            (["--check"], 0, "", "", good),
            ([], 0, f"nothing to rewrite: {file} show the data as they are\n", "", good)):
        assert (table.main([*options, str(file)]), *capsys.readouterr()) == (status, out, err)
        assert file.read_text() == left and list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("text, line, why", [
    ("a\n" + OPEN + "b\n", 2, "a block stands between two lines, <!-- generated: NAME --> and "),
    ("a\n" + OPEN + OPEN + CLOSE, 2, "a block stands between two lines"),
    ("<!-- generated: none -->\n" + CLOSE, 1, "no block is called 'none'; there is measured, ladder"),
    ("<!-- generated: step 42 -->\n" + CLOSE, 1, "no block is called 'step 42'; there is "),
])
def test_bad_block(tmp_path, capsys, loaded, text, line, why):
    """Nothing is written, not even a good file in front of the bad one."""
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text(OPEN + CLOSE)
    bad.write_text(text)
    assert table.main([str(good), str(bad)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith(f"make table: {bad}:{line}: ") and why in err
    assert (good.read_text(), bad.read_text()) == (OPEN + CLOSE, text)


def test_unmeasured(tmp_path):
    """Cells without a figure, and under the table the command that measures them."""
    (tmp_path / "some.csv").write_text(re.sub(r"\n07,.*,1073741824,.*", "", SMALL.read_text()))
    file = tmp_path / "README.md"
    file.write_text(OPEN + CLOSE + "<!-- generated: step 07 -->\n" + CLOSE)
    assert table.main(["--data", str(tmp_path / "some.csv"), str(file)]) == 0
    ladder, step = file.read_text().split(CLOSE)[:2]
    cells = {line.split("]")[0]: line.split(" | ")[2:] for line in ladder.splitlines()}
    assert "–" not in "".join(cells["| [06 thread-coarsening"])
    assert cells["| [07 warp-shuffle"][2:] == ["–", "–", "–", "–", "– |"]
    assert "make bench PUBLISH=1" in ladder and "make bench PUBLISH=1" in step
    assert re.search(r"2\^30: ms\*\* \| 0\.\d+ \| – \|  \|$", step, re.M)


def test_grown(tree):
    """A step and a detour more, which nobody has measured: make table shows both without any list
    being touched; a second run finds nothing to do."""
    for room in "detours", "plots", "tests/data", "simt/tests":
        shutil.copytree(ROOT / room, tree / room, ignore=shutil.ignore_patterns("*.svg", "*.png"))
    for name in "README.md", "NOTES.md":
        shutil.copy(ROOT / name, tree)
    for folder, title in (("steps/98-quick", "Step 98"), ("detours/a-quick-one", "Quick")):
        (tree / folder).mkdir()
        (tree / folder / "main.cu").write_text(
            f"/* {title}: faster than all. */\n" + STEPS["07"].read_text().split("*/\n", 1)[1])
    last = [*STEPS][-1]
    with open(tree / "NOTES.md", "a") as notes:
        for name in f"diff {last} 98", "step 98":
            notes.write(f"<!-- generated: {name} -->\n{CLOSE}")
    make_table = [sys.executable, "-m", "plots.table"]
    done = run(*make_table, cwd=tree, env={"PYTHONPATH": ""})
    assert (done.returncode, done.stderr) == (0, "")
    for file, row in (
            ("README.md", "| [98 quick](steps/98-quick/main.cu) | faster than all | – | – | – | –"),
            ("detours/README.md",
             "| [a-quick-one](a-quick-one/main.cu) | - | quick: faster than all | – | – |"),
            ("NOTES.md", " | – |  |\n"), ("NOTES.md", f"| step {last} | step 98 | change |")):
        assert row in (tree / file).read_text(), row
    again = run(*make_table, "--check", cwd=tree, env={"PYTHONPATH": ""})
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")

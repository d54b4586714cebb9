"""make table: blocks of the READMEs and the notes are made anew, and nothing around them."""

import re
import shutil
import sys

from harness import ROOT, copy_rooms, golden, replay, shell

from plots import table

DATA = ROOT / "tests/data"


def test_golden_tables():
    """From data that never change, so that a mistake in the arithmetic is not renewed together with the tables
    of the texts. Neither floats nor two-kernels are measured in them."""
    data = {field: read(DATA / f"{field}_small.csv") for field, (read, _) in table.SOURCES.items()
            if (DATA / f"{field}_small.csv").exists()}
    runs = data["bench"].runs  # few are enough
    for key in [key for key in runs if "01" < key[0] < "06"]:
        del runs[key]
    for of_key in runs.values():
        for n in {*of_key} - {2**10, 2**14, 2**24, 2**30}:
            del of_key[n]
    data |= {"second": data["bench"]}
    data = table.Data(**dict.fromkeys(table.SOURCES) | data)
    names = ("ladder", "small-n", "cub", "processes", "errors",
             "ideas-corners", "multi-gpu", "detours", "planted", "step 00", "step 06 07")
    text = ""
    for name, *keys in map(str.split, names):
        text += f"{' '.join([name, *keys])}\n{table.BLOCKS[name](data, *keys)}"
    # without rules, what is under a table, and rows of nothing
    nothing = r"(?m)^(\|-.*|–.*|.*\|( (–|`None`|) \|){4,}|.* – \| – \||.*\|  \|  \|)?\n"
    golden("tables.md", re.sub(nothing, "", text))


def test_golden_grown(tree):
    """A step and a detour more, which nobody has measured: make table shows both without any list
    being touched; a second run finds nothing to do."""
    copy_rooms(tree, "detours", "plots")
    for name in "README.md", "NOTES.md":
        shutil.copy(ROOT / name, tree)
    replay("table-grown.txt", shell(tree, PYTHON=sys.executable, PYTHONPATH=""))


def test_committed_tables_are_fresh(tmp_path, monkeypatch):
    """Lines of origin in front of any measured file change nothing."""
    shutil.copytree(ROOT / "plots/data", tmp_path / "plots/data")
    (tmp_path / "simt").symlink_to(ROOT / "simt")
    monkeypatch.setattr(table, "ROOT", str(tmp_path))
    for path in tmp_path.glob("plots/data/*-h200.csv"):
        path.write_text("# origin: NVIDIA H200\n# day: 2026-11-21\n" + path.read_text())
    data = table.load()
    for file in table.FILES:
        text = (ROOT / file).read_text()
        made, stale = table.generate(file, text, data)
        assert stale == [] and made == text, f"{file}: make table"


def test_own_data(tmp_path):
    """A file of make bench alone, of a GPU that did not tell its peak: no block fails for what is not beside it."""
    text = re.sub("(# peak_gb_per_s: ).*", r"\1unknown", (ROOT / "plots/data/h100.csv").read_text(), count=1)
    (tmp_path / "own.csv").write_text(text)
    data = table.load(str(tmp_path / "own.csv"))
    made = "".join(table.generate(file, (ROOT / file).read_text(), data)[0] for file in table.FILES)
    assert "`make bench`: NVIDIA H100 80GB HBM3, CUDA 13.0" in made and "peak unknown" in made

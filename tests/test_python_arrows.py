"""Arrows go down in the Python, too: tutorial knows nothing of plots and lab, plots nothing of lab,
lab nothing of plots, exercises.teach of neither; no circle of modules; and nothing but tutorial parses CSV."""

import ast
import graphlib

import pytest

from harness import ROOT

ROOMS = {"tutorial": {"tutorial"}, "plots": {"tutorial", "plots"}, "lab": {"tutorial", "lab"},
         "exercises.teach": {"tutorial", "exercises"}}
FILES = {f"{room}.{path.stem}": path
         for room in ROOMS for path in (ROOT / room.replace(".", "/")).glob("*.py")}


def imports(text):
    """The modules that a text imports: both a.b and a.b.c of `from a.b import c`."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_imports_are_seen():
    text = "import os\ndef f():\n    from lab import page as p\n    import plots.svg\n"
    assert imports(text) == {"os", "lab", "lab.page", "plots.svg"}


@pytest.mark.parametrize("module", FILES)
def test_arrows_go_down(module):
    found = imports(FILES[module].read_text())
    rooms = {room.partition(".")[0] for room in ROOMS}
    assert {name.partition(".")[0] for name in found} & rooms <= ROOMS[module.rpartition(".")[0]]
    assert module.startswith("tutorial.") or "csv" not in found, "tutorial.csv_input reads CSV"


def test_no_circle():
    graph = {module: imports(path.read_text()) & set(FILES) for module, path in FILES.items()}
    order = list(graphlib.TopologicalSorter(graph).static_order())  # CycleError names a circle
    assert order.index("tutorial.files") < order.index("plots.draw")

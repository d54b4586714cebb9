"""make lab: one HTML page with the steps, their differences, counters, times and pictures."""

import itertools
import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

from harness import ROOT, STEPS, as_row, build_played, golden, run, said

from plots.page import page
from plots.read import counter_data, notes, programs, step_facts
from plots.read.figures import count as figures_count

DATA = ROOT / "plots/data/h200.csv"


def write_page(out, data, played):
    page.main(data=data, out=out, played=played)
    return ElementTree.parse(out).getroot()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Its file, and the root of it."""
    out = tmp_path_factory.mktemp("lab") / "deep/lab.html"
    root = write_page(out, DATA, build_played())
    assert [*out.parent.iterdir()] == [out]
    return out, root


@pytest.fixture
def tree(written):
    return written[1]


def section(tree, id):
    return tree.find(f".//section[@id='{id}']")


def text_of(node):
    return "".join(node.itertext())


def text_at(tree, id):
    return text_of(section(tree, id))


def played(tree, step):
    return json.loads(section(tree, f"step-{step}-step").find("script").text)


# ---- the page ----

def test_well_formed(written):
    """XML, and HTML in which every element is closed and every id is there once; links lead to a
    slide; nothing is loaded from anywhere, nor depends on where it was written."""
    found, text = written[1], written[0].read_text()
    ids = [node.get("id") for node in found.iter() if node.get("id")]
    assert text.startswith("<!DOCTYPE html>\n") and str(ROOT) not in text
    void = {"meta", "img", "col", "br", "input"}  # HTML knows no others without an end tag
    assert {tag for tag in re.findall(r"<(\w+)[^<>]*/>", text)} <= void
    assert not re.search(r"@import|url\(|https?:|//cdn|fetch\(|XMLHttpRequest|import\(|"
                         r"<(link|iframe|object|base)\b", text)
    assert len(ids) == len(set(ids))
    assert all(node.get("aria-label") for node in found.iter("section"))
    assert found.find(".//details[@open]") is None  # before one asks
    for image in found.iter("img"):
        assert image.get("alt") and image.get("src").startswith("data:")
    assert {link.get("href") for link in found.iter("a")} <= {f"#{id}" for id in ids}


VIEWS = {"": "idea"} | {f"-{view}": view for view in ("diff", "guess", "now", "step", "question")}


def test_golden_outline(tree):
    """A lesson is of 60 slides at most, the same for each step; where NOTES.md has the interlude, there
    it is."""
    told = " ".join(link.text for link in tree.find(".//nav").iter("a"))
    slides = {node.get("id"): node.get("aria-label") for node in tree.iter("section")}
    assert len(slides) <= 60
    for step in STEPS:
        for view, label in VIEWS.items():
            assert slides.pop(f"step-{step}{view}") == f"Step {step}, {label}"
    golden("lab.txt", "\n".join([told, *slides.values(), ""]))


def test_what_is_said_first(tree):
    """The words that a step uses are explained before it."""
    ids = [node.get("id") for node in tree.iter("section")]
    before = " ".join(text_at(tree, id) for id in ids[:ids.index("step-00")])
    for word in ("__global__ void twice", "lane", "warp", "sector", "request", "bank", "wavefront",
                 "barrier", "diverge", *(programs.get(step).idea for step in STEPS)):
        assert word.lower() in before.lower()
    assert "bytes in flight = bandwidth x latency" in text_at(tree, "interlude")


def bare(text):
    """The text without Markdown's signs and links in brackets."""
    return re.sub(r" \(\[[^]]*\]\([^)]*\)\)|\]\([^)]*\)|[`*[\]]", "", text).lower()


# Of the figures that a question of NOTES.md may name, the row
NAMED = {"sectors/request": "sectors/request", "shared requests": "shared requests",
         "wavefronts": "wavefronts", "bank conflicts": "bank conflicts",
         "barriers": "warps at __syncthreads", "lanes": "lanes/request",
         "multiprocessors": step_facts.WORKING, "in flight": step_facts.LOADS}


@pytest.mark.parametrize("step", STEPS)
def test_step(tree, step):
    """What stands in its main.cu: idea, and what was before; what NOTES.md asks and answers, the answers hidden at first. Each figure that the guess names is a row of the table
    that follows, and of the player's; the guess itself has none of this step's."""
    program, said = programs.get(step), notes.parts(notes.load(), step)
    for text in program.idea, program.parts.get("Before", ""), program.parts["Idea"]:
        assert text.lower() in text_at(tree, f"step-{step}").lower()
    later = section(tree, f"step-{step}-question").iter("details")
    shown = {"Predict": text_at(tree, f"step-{step}-guess"), "Now": text_at(tree, f"step-{step}-now"),
             **dict.fromkeys(("Question", "Try it"), text_at(tree, f"step-{step}-question")),
             **dict.fromkeys(("Answer", "What comes"), " ".join(map(text_of, later)))}
    assert said.keys() == shown.keys()
    for label, paragraphs in said.items():
        assert all(bare(each) in bare(shown[label]) for each in paragraphs), label

    guess, now = ([[text_of(cell) for cell in row] for row in section(
        tree, f"step-{step}-{view}").find(".//table[@class='facts']/tbody")] for view in ("guess", "now"))
    asked = text_of(section(tree, f"step-{step}-guess").find(".//div[@class='asked']")).lower()
    assert guess == [[*row[:1 if step == "00" else 2], ""] for row in now]
    rows = {row[0]: row[1 if step == "00" else 2] for row in now}
    played_too = {step_facts.WORKING, step_facts.LOADS, *played(tree, step)["counts"]}
    for word, row in NAMED.items():
        assert not re.search(rf"\b{word}", asked) or row in rows and row in played_too, word
    assert rows.get(step_facts.LOADS, "None") == str(program.loads_in_flight)


def test_what_is_not_measured(tmp_path, capsys):
    """Shown as –, with the command that measures it; everything else as it is."""
    lines = [line for line in DATA.read_text().splitlines(keepends=True)
             if not line.startswith("07,")]
    (tmp_path / "few.csv").write_text("".join(lines))
    tree = write_page(tmp_path / "lab.html", tmp_path / "few.csv", tmp_path)
    assert re.search(r"^make lab: shown as –, since .*few.csv lacks 07: make bench measures",
                     capsys.readouterr().err)
    assert section(tree, "step-07-step") is None  # nor is there what would be played
    shown = section(tree, "step-07-now").find(".//table[@class='facts']/tbody")
    assert {text_of(row[2]) for row in shown if " at 2^" in text_of(row[0])} == {"–"}


# ---- a step that plays ----

@pytest.mark.parametrize("step", STEPS)
def test_golden_rounds(tree, step, tmp_path):
    """For each round: its line, its sentences, the state of each warp, how many threads hold, read, write or
    get a value, for how many it is useless, and the sum of the written values. In the end that is the sum
    of the input, and the counters are those of the program."""
    data, slide = played(tree, step), section(tree, f"step-{step}-step")
    lines = {int(text_of(row[0])): text_of(row[1]).strip()
             for row in slide.find(".//table/tbody")}
    assert lines == {number: text.strip() for number, text in programs.get(step).kernels}
    assert data["frames"][-1]["round"] == {"00": 0, "07": 10}.get(step, 6)
    told = []
    for frame in data["frames"][1:]:
        say = "; ".join(f"{text} ({kind})" for text, kind in frame["say"])
        warps = ", ".join(state or "works" for state in frame["rows"])
        sizes = [f"{len(frame[what])} {what}" for what in (
            "holds", "reads", "writes", "gets", "useless", "conflicts", "sectors") if frame[what]]
        written = sum(value for *_, value in frame["writes"])
        told += [(lines[frame["line"]], say, warps, ", ".join(sizes), written)]
    if step in ("00", "02", "05", "07"):  # each kind of round is in one of these
        rows = [as_row(*line, len([*run])) for line, run in itertools.groupby(told)]
        golden(f"rounds-{step}.csv", as_row("line", "says", "warps", "threads", "sum", "times") +
               "".join(rows))
    values = next(iter(data["arrays"].values()))["values"].values()
    assert written == sum(values)
    (tmp_path / "counters.csv").write_text(f"# n: {len(values)}\n" + said(run(
        ROOT / f"build/play/step{step}", "-n", len(values), "--small", "--counters=csv")))
    figures = counter_data.figures(counter_data.load(tmp_path / "counters.csv")[step])
    last = dict(zip(data["counts"], data["frames"][-1]["counts"]))
    assert last == {what: figures_count(figures[what]) for what in last}
    assert not any(figure for what, figure in figures.items() if what not in last and what not in (
        "launches", "branch efficiency, %"))
    assert ("BLOCK 32, not 1024" in text_of(slide)) == (step == "00")
    assert ("ELEMS 4, not 16" in text_of(slide)) == (step in ("06", "07"))

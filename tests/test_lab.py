"""make lab: one HTML page with the steps, their differences, counters, times and pictures."""

import base64
import collections
import html
import json
import re
import shutil
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from harness import (COUNTERS_HEADER, ROOT, STEPS, assert_refused, build, build_played, golden,
                      run)

from lab import code_slides, frames, markup, page, step_slides, syntax
from tutorial import bench_data, compare, counter_data, notes, programs, trace_data
from tutorial.figures import count as figures_count
from tutorial.files import BadData

N = 2**12  # a small reduction tells as much about the page as a large one
DATA = ROOT / "plots/data/h200.csv"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
                None)
PICTURES = sorted((ROOT / "plots").glob("*.svg"))
# Two that use the same id, as matplotlib's do, and one to be seen at a step.
SVG = ('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1280 900">'
       '<title>Title &lt;{0}&gt;</title><rect id="p1" width="9" height="9"/>'
       '<text x="9" y="90" font-size="40">{0}</text></svg>')


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The page as it is written with two more pictures and a question, at a small n."""
    folder = build()
    out = tmp_path_factory.mktemp("lab") / "deep/lab.html"
    plots = out.parent.parent / "plots"
    shutil.copytree(ROOT / "plots", plots, ignore=shutil.ignore_patterns("__pycache__", "*.png"))
    for name in "access-02-strided-index", "extra-one", "extra-two":
        (plots / (name + ".svg")).write_text(SVG.format(name))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "COUNTED", N)
        patch.setattr(page, "PLOTS", str(plots))
        patch.setattr(sys, "argv", ["page.py", "--data", str(DATA), "--out", str(out),
                                    "--played", str(build_played()),
                                    *(str(folder / f"step{step}") for step in STEPS)])
        assert page.main() == 0
        first = out.read_bytes()
        assert page.main() == 0 and out.read_bytes() == first
    assert sorted(path.name for path in out.parent.iterdir()) == ["lab-detours.html", "lab.html"]
    return out, plots


@pytest.fixture(scope="module")
def tree(written):
    return ElementTree.parse(written[0]).getroot()


@pytest.fixture(scope="module")
def rest(written):
    """The page beside it."""
    return ElementTree.parse(written[0].with_name("lab-detours.html")).getroot()


def section(tree, id):
    return tree.find(f".//section[@id='{id}']")


# What a question of NOTES.md calls a figure, and the row of it.
NAMED = {"sectors/request": "sectors/request", "shared requests": "shared requests",
         "wavefronts": "wavefronts", "bank conflicts": "bank conflicts",
         "barriers": "warps at __syncthreads", "lanes": "lanes/request"}
NAMED_BY_TABLE = {"multiprocessors": step_slides.WORKING, "in flight": step_slides.LOADS}


@pytest.mark.parametrize("step", STEPS)
def test_what_is_asked_is_shown(tree, step):
    """Each figure that the guess names is a row of the table that follows, and of the player's."""
    slide = section(tree, f"step-{step}-guess")
    asked = text_of(slide.find(".//div[@class='asked']"))
    table = [text_of(row[0]) for row in slide.find(".//table[@class='counts']/tbody")]
    played = json.loads(section(tree, f"step-{step}-step").find("script").text)["counts"]
    for word, row in (NAMED | NAMED_BY_TABLE).items():
        if re.search(rf"\b{word}", asked, re.IGNORECASE):
            assert row in table and (word in NAMED_BY_TABLE or row in played), word


def test_nothing_is_given_away(tree):
    """No slide before a guess, nor the question itself, has a figure that comes; what both steps
    have, and small numbers, say nothing."""
    def numbers(node):
        return set(re.findall(r"\d[\d.,]{3,}(?! ?%)\b", text_of(node)))
    seen = set()
    for slide in (node for node in tree.iter("section") if node.get("data-view") != "step"):
        if slide.get("data-view") == "guess":
            cells = [cell for table in slide.iter("table") for cell in table.iter("td")]
            come, known = (set().union(*(numbers(cell) for cell in cells if (
                "later" in cell.get("class")) == later)) for later in (True, False))
            assert (come - known) & (seen | numbers(slide.find(".//div[@class='asked']"))) == set()
        seen |= numbers(slide)


def text_of(node):
    return "".join(node.itertext())


# ---- the page ----

def test_well_formed(written, tree, rest):
    """XML, and HTML in which every element is closed and every id is there once; links lead to a
    slide of either page."""
    ids = {"lab.html": [], "lab-detours.html": []}
    for (name, found), page_ in zip(ids.items(), (tree, rest)):
        text = written[0].with_name(name).read_text()
        assert text.startswith("<!DOCTYPE html>\n")
        found += [node.get("id") for node in page_.iter() if node.get("id")]
        assert len(found) == len(set(found))
        void = {"meta", "img", "col", "br", "input"}  # HTML knows no others without an end tag
        assert {tag for tag in re.findall(r"<(\w+)[^<>]*/>", text)} <= void
        assert all(node.get("aria-label") for node in page_.iter("section"))
        assert all(image.get("alt") for image in page_.iter("img"))
        assert page_.find(".//details[@open]") is None  # before one asks
    for name, page_ in zip(ids, (tree, rest)):
        for link in page_.iter("a"):
            file, _, id = link.get("href").partition("#")
            assert not id and file == "lab-detours.html" or id in ids[file or name]


def test_self_contained(written, tree, rest):
    for node in [*tree.iter(), *rest.iter()]:
        for name, value in node.attrib.items():
            if name in ("src", "href", "data", "action", "poster", "srcset"):
                assert value.startswith(("#", "lab", "data:image/svg+xml;base64,")), value
        assert node.tag not in ("link", "iframe", "object", "base")
    text = written[0].read_text()
    assert not re.search(r"@import|url\(|https?:|//cdn|fetch\(|XMLHttpRequest|import\(", text)


def test_pictures(written, tree, rest):
    """Each as it stands in plots/, on a slide of its own; two also in the lesson."""
    files = sorted(written[1].glob("*.svg"))
    shown = [node.get("id") for node in rest.iter("section") if node.find("img") is not None]
    assert len(shown) == len(files) and "plot-explain" == next(
        id for id in shown if id.startswith("plot-"))
    for path in files:
        stem = path.stem
        id = f"step-{stem[7:9]}-picture" if stem.startswith("access-") else f"plot-{stem}"
        image = section(rest, id).find("img")
        assert base64.b64decode(image.get("src").partition(",")[2]).decode() == path.read_text()
    assert section(rest, "plot-extra-one").find("img").get("alt") == "Title <extra-one>"
    assert [node.get("alt") for node in tree.iter("img")] == [
        section(rest, f"plot-{name}").find("img").get("alt") for name in ("explain", "share")]


def bare(text):
    """Without Markdown's signs, and what code may have of them, and links in brackets."""
    return re.sub(r" \(\[[^]]*\]\([^)]*\)\)|\]\([^)]*\)|[`*[\]]", "", text).lower()


@pytest.mark.parametrize("step", STEPS)
def test_step(tree, rest, step):
    """What stands in its main.cu: idea, the whole kernel with counters, every changed line; what
    NOTES.md asks and answers, the answers hidden at first."""
    program = programs.get(step)
    slide = {view: text_of(section(tree, f"step-{step}" + (view and "-" + view))).lower()
             for view in ("", "guess", "now", "question")}
    for part in "Before", "Idea":
        assert program.parts.get(part, "").lower() in slide[""]
    assert program.loads_in_flight is None or re.search(
        rf"loads in flight per thread[^a-z]*{program.loads_in_flight}(?!\d)", slide["guess"])
    assert program.idea.lower() in slide[""]
    said = notes.parts(notes.load(), step)
    assert set(said) == {"Predict", "Now", "Question", "Answer", "Try it", "What comes"}
    for label, paragraphs in said.items():
        view = {"Predict": "guess", "Now": "now"}.get(label, "question")
        for paragraph in paragraphs:
            assert bare(paragraph) in bare(slide[view]), label
    later = " ".join(map(text_of, section(tree, f"step-{step}-question").iter("details"))).lower()
    for label in "Answer", "What comes":
        assert bare(said[label][0]) in bare(later)

    rows = [row for node in rest.iter("section") if node.get("id", "").startswith(
        f"step-{step}-counters") for row in node.find("table/tbody")]
    lines = STEPS[step].read_text().splitlines()
    kernel = re.search(r"^__global__.*?^}$", "\n".join(lines), re.MULTILINE | re.DOTALL)[0]
    assert [text_of(row[1]) for row in rows] == kernel.splitlines()
    assert all(lines[int(text_of(row[0])) - 1] == text_of(row[1]) for row in rows)
    for where, id in (tree, f"step-{step}-guess"), (rest, f"step-{step}-counters"):
        assert section(where, id).get("data-part") == step
        assert section(where, id).get("data-view") == id[8:]


@pytest.mark.parametrize("old, new", list(zip(STEPS, list(STEPS)[1:])))
def test_diff(tree, old, new):
    """Two steps side by side, on two slides at most: all that differs, each line where it stands in
    its program, and marked on its own side alone."""
    slides = [node for node in tree.iter("section")
              if re.fullmatch(rf"step-{new}-diff(-\d)?", node.get("id", ""))]
    assert len(slides) <= 2
    changed = {old: collections.Counter(), new: collections.Counter()}
    for row in (row for slide in slides for row in slide.find("table/tbody")):
        for step, number, text, mark in zip((old, new), row[::2], row[1::2], ("del", "ins")):
            if number.text:
                line = STEPS[step].read_text().splitlines()[int(number.text) - 1]
                assert text_of(text) == line
                changed[step][line] += row.get("class") == "changed"
            assert {node.tag for node in text.iter()} <= {"td", "span", mark}
    code = {step: STEPS[step].read_text().split("*/\n", 1)[1].splitlines() for step in (old, new)}
    assert collections.Counter(code[old]) - changed[old] + changed[new] == (
        collections.Counter(code[new]))


def test_what_is_not_measured(tmp_path, monkeypatch, capsys):
    """Shown as –, with the command that measures it; everything else as it is."""
    lines = [line for line in DATA.read_text().splitlines(keepends=True)
             if not line.startswith(("07,", ",grid-stride,", ",warp-redux,"))]
    (tmp_path / "few.csv").write_text("".join(lines))
    monkeypatch.setattr(page, "COUNTED", N)
    monkeypatch.setattr(sys, "argv", ["page.py", "--data", str(tmp_path / "few.csv"), "--out",
                                      str(tmp_path / "lab.html"), "--played", str(tmp_path),
                                      str(build() / "step07")])
    assert page.main() == 0
    assert re.search(r"^make lab: shown as –, since .*few.csv lacks 07,? .*: make bench measures",
                     capsys.readouterr().err)
    found = ElementTree.parse(tmp_path / "lab.html").getroot()
    assert section(found, "step-07-step") is None  # nor is there what would be played
    times = section(found, "step-07-guess").find(".//table[@class='times']/tbody")
    assert {text_of(cell) for row in times for cell in row[1:]} == {"–"}
    rest = ElementTree.parse(tmp_path / "lab-detours.html")
    headings = {text_of(node) for node in rest.iter("h3")}
    assert {"grid-stride after step 06 · – ms at n = 2^24", "multi-gpu after step 07"} <= headings


def rows_of(html):
    """Of a table, its cells: * is highlighted, ? hidden until somebody asks."""
    for row in ElementTree.fromstring(html).iter("tr"):
        yield " | ".join(text_of(cell) + "*" * ("warn" in cell.get("class", "").split()) +
                         "?" * ("later" in cell.get("class", "").split()) for cell in row)


def test_golden_figures():
    """What a step took and counted, beside the step before, and what each of its lines cost; times
    are of data that stay as they are."""
    bench = bench_data.load(ROOT / "tests/data/bench_small.csv")
    step, told = None, []
    for key in "01", "02", "07":
        counted = run(build() / f"step{key}", "-n", N, "--counters=csv").stdout
        _, counts = counter_data.parse(counted, key, N)
        step = step_slides.Step(programs.get(key), step, counts, {}, None, None)
        told += [f"guess {key}", *rows_of(step_slides.time_table(step, bench)),
                 *rows_of(step_slides.counter_table(step, bench)), "lines"]
        for part in step_slides.counted(step):
            told += rows_of(part.partition("\n<p ")[0])
    golden("figures.txt", "\n".join([*told, ""]))


def test_order_and_contents(tree, rest):
    """A lesson is of 60 slides at most; where NOTES.md has the interlude, there it is."""
    ids = [node.get("id") for node in tree.iter("section")]
    assert ids[0] == "ladder" and ids[-1] == "plot-share" and len(ids) <= 60
    steps = [id[5:7] for id in ids if id.startswith("step-")]
    assert steps == sorted(steps) and sorted(set(steps)) == list(STEPS)
    place = re.search(r"\n## Interlude:.*?\n## Step (\d\d)", notes.load(), re.DOTALL)[1]
    assert ids[ids.index("interlude") + 1] == f"step-{place}"
    assert "bytes in flight = bandwidth x latency" in text_of(section(tree, "interlude"))
    def entries(page_):
        return [link.text for link in page_.find(".//nav").iter("a")]
    assert [entry for entry in entries(tree) if entry != "interlude"] == [
        "ladder", "before", *STEPS, "plots"]
    assert entries(rest) == [*STEPS, "plots", "detours"]
    assert section(tree, "plot-share").find("p/a").get("href") == "lab-detours.html"
    said = " ".join(text_of(section(tree, id)) for id in ids[:ids.index("step-00")])
    assert "__global__ void twice" in said
    for word in ("lane", "warp", "sector", "request", "bank", "wavefront", "barrier",
                 "branch efficiency"):
        assert word in said
    ids = [node.get("id") for node in rest.iter("section")]
    assert any("ms at n = 2^24 floats" in text_of(section(rest, id)) for id in ids)
    for name in (path.parent.name for path in ROOT.glob("detours/*/main.cu")):
        assert any(name in text_of(section(rest, id)) for id in ids if id.startswith("detours"))
        own = [section(rest, id) for id in ids if id in (f"detour-{name}", f"detour-{name}-code")]
        assert own[-1].find("table") is not None


def test_names_no_place(written):
    """Nothing in it depends on where it was written."""
    assert str(ROOT) not in written[0].read_text()
    assert str(written[0].parent) not in written[0].read_text()


# ---- a step that plays ----

@pytest.mark.parametrize("step", STEPS)
def test_play(tree, step):
    """Replayed from what the page has: words are read as they were written, the input adds up to
    the last word that is, and the counters end as those of the program."""
    slide = section(tree, f"step-{step}-step")
    data = json.loads(slide.find("script").text)
    memory = [{int(word): value for word, value in array["values"].items()}
              for array in data["arrays"]]
    total = sum(memory[0].values())
    for frame in data["frames"]:
        held = collections.Counter()
        for array, word, thread in frame["reads"]:
            held[thread] += memory[array][word]
        for array, word, thread, value in frame["writes"]:
            assert value == frame["holds"][str(thread)] and (
                value == held[thread] or not held[thread] or step == "00"), frame
            memory[array][word] = value
        working = {int(thread) // 32 for thread in frame["holds"]}
        assert working == {warp for warp, why in enumerate(frame["rows"]) if why is None}
    assert [array["name"] for array in data["arrays"]] == ["in", "s", "out"]
    assert memory[2] == {0: total} and data["total"] == total

    shown = {int(row.get("data-line")): text_of(row[1]) for row in slide.find(".//table/tbody")}
    lines = STEPS[step].read_text().splitlines()
    assert all(lines[number - 1] == text for number, text in shown.items())
    assert {frame["line"] for frame in data["frames"]} <= shown.keys()

    n = len(memory[0])
    output = run(ROOT / f"build/play/step{step}", "-n", n, "--small", "--counters=csv").stdout
    figures = counter_data.figures(counter_data.parse(output, step, n)[1])
    assert figures["launches"] == 1
    last = dict(zip(data["counts"], data["frames"][-1]["counts"]))
    assert last == {what: figures_count(figures[what]) for what in last}
    assert not any(figure for what, figure in figures.items() if what not in last and what not in (
        "launches", "branch efficiency, %"))
    assert ("BLOCK 32, not 1024" in text_of(slide)) == (step == "00")
    assert ("ELEMS 4, not 16" in text_of(slide)) == (step in ("06", "07"))


@pytest.mark.parametrize("step", ["03", "05", "07"])
def test_golden_rounds(tree, step):
    """Of each round the line, what is said of it, what each warp does, how many threads hold, read,
    write, and get a value, and of how many it is useless."""
    told = []
    for frame in json.loads(section(tree, f"step-{step}-step").find("script").text)["frames"]:
        say = "; ".join(f"{text} ({kind})" for text, kind in frame["say"])
        warps = ", ".join(state or "works" for state in frame["rows"])
        sizes = [f"{len(frame[what])} {what}" for what in (
            "holds", "reads", "writes", "gets", "useless", "conflicts", "sectors") if frame[what]]
        told += [f"line {frame['line']}: {say} | {warps} | {', '.join(sizes)}"]
    golden(f"rounds-{step}.txt", "\n".join([*told, ""]))


def test_what_cannot_be_played(tmp_path, capsys, monkeypatch):
    """A trace that says otherwise than what one would think of the kernel: told, and no slide."""
    done = run(build_played() / "step03", "-n", 64, "--small", "--trace", tmp_path / "t.csv")
    assert done.returncode == 0
    block, program = trace_data.load(tmp_path / "t.csv"), programs.get("03")
    arrays, shown = frames.of_block(block, program, 168)
    assert [array.words for array in arrays] == [64, 64, 1] and len(shown) == 15
    with pytest.raises(frames.Lost, match="does not end with the sum 167"):
        frames.of_block(block, program, 167)
    lanes = block.warps[0][3].lanes  # s[tid] += s[tid + 32] loads
    lanes[5] = lanes[5]._replace(value="0x00000063")
    with pytest.raises(frames.Lost, match="line 29: thread 5 reads 99, not "):
        frames.of_block(block, program, 168)
    monkeypatch.setattr(page.frames, "of_block", lambda *_: (_ for _ in ()).throw(
        frames.Lost("why")))
    assert page.play(str(ROOT / "build/play"), program) is None
    assert capsys.readouterr().err == "make lab: step 03 is not played: why\n"


# ---- its parts ----

NOTES = """# Notes

## Step 02: strided index

No question here.

## Step 03: sequential addressing

**Question.** Why is `a < b` *never* **slow**?
See [here](x.md).

More.

<details><summary>Answer</summary>

Since it is.

So.

</details>

**Try it.** This.

## Step 04: next

**Predict.** How much?

<details><summary>What came</summary>

| a | b |

![Picture](x.svg)

**Now.** It fell.

</details>

**Question.** Another?
"""


def test_parts():
    assert notes.parts(NOTES, "02") == notes.parts(NOTES, "07") == {}
    assert notes.parts(NOTES, "04") == {"Predict": ["How much?"], "Now": ["It fell."],
                                        "Question": ["Another?"]}
    found = notes.parts(NOTES, "03")
    assert markup.markdown(found["Question"][0]) == (
        "Why is <code>a &lt; b</code> <em>never</em> <strong>slow</strong>? See here.")
    assert found["Question"][1:] == ["More."] and found["Answer"] == ["Since it is.", "So."]
    assert found["Try it"] == ["This."] and "What comes" not in found
    assert markup.markdown("so it is ([why](x.md#y)), or ([a] b)") == "so it is, or ([a] b)"
    assert markup.markdown("2 * n * m & __x__") == "2 * n * m &amp; __x__"


def test_syntax():
    lines = ["#define A 1 /* two", "lines */ int x = threadIdx.x; // end", "s = \"int\";"]
    kinds = syntax.kinds(lines)
    assert [len(kind) for kind in kinds] == [len(line) for line in lines]
    assert kinds[0][0] == "directive" and kinds[0][10] == "number" and kinds[0][13] == "comment"
    assert kinds[1][0] == "comment" and kinds[1][9] == "keyword" and kinds[1][17] == "cuda"
    assert kinds[1][-1] == "comment" and kinds[2][5] == "string" and kinds[2][0] is None


def test_code_is_escaped():
    line = compare.Line(1, "a<b && c", {1})
    assert markup.code(line.text, syntax.kinds([line.text])[0], line.marks, "ins") == (
        "a<ins>&lt;</ins>b &amp;&amp; c")


def test_long_code_is_split():
    rows = [f"row {i}" if i % 7 else "" for i in range(100)]
    parts = code_slides.slidefuls(rows, code_slides.height_of)
    assert sum(parts, []) == rows and len(parts) == 5
    assert max(sum(map(code_slides.height_of, part)) for part in parts) <= code_slides.MOST_ROWS
    assert sum(part[0] == "" for part in parts) >= len(parts) - 2
    wide = ["x" * (2 * code_slides.MOST_COLUMNS - 9)] * 20  # each takes two lines
    assert [len(part) for part in code_slides.slidefuls(wide, code_slides.height_of)] == [10, 10]


def test_what_is_marked():
    """What costs more than it should, where it is done often."""
    def line(*figures):
        return dict(zip(counter_data.LINE_FIGURES, figures))
    assert step_slides.suspect(line(100, 4.0, 100, 1.0, 32.0, 5, 100, 87.5), 10) == set()
    bad = line(100, 4.5, 100, 2.0, 8.0, 5, 100, 0.0)
    assert step_slides.suspect(bad, 10) == {"sectors each", "wavefronts each", "lanes each",
                                            "alike %"}
    assert step_slides.suspect(bad, 201) == {"sectors each", "lanes each"}  # 450 sectors
    assert step_slides.suspect(bad, 600) == {"lanes each"}  # and 200 wavefronts
    assert step_slides.suspect(bad, 700) == set()
    assert step_slides.suspect(line(*[None] * 8), 0) == set()


def test_what_has_changed():
    """By a quarter or more."""
    for old, new, changed in ((4, 4, False), (0, 0, False), (0, 5, True), (5, 0, True),
                              (100, 110, False), (100, 125, True), (5, 4.1, False), (5, 4, True),
                              (None, 1.0, True),
                              (None, None, False)):
        assert step_slides.differs(old, new) == changed


# ---- what can go wrong ----

def test_bad_data(tmp_path):
    bad, out = tmp_path / "bad.csv", tmp_path / "lab.html"
    lines = DATA.read_text().splitlines(keepends=True)
    lines[20] = lines[20].replace(",cold,0.", ",cold,zero")
    bad.write_text("".join(lines))
    for data, where in (tmp_path / "none.csv", "none.csv"), (bad, "bad.csv:21"):
        done = run(sys.executable, "-m", "lab.page", "--data", data, "--out", out, "step03")
        assert_refused(done, 2, "make lab: ", where)
    assert not out.exists()


def test_bad_picture(tmp_path):
    (tmp_path / "one.svg").write_text("<svg>\n<g>\n</svg>\n")
    with pytest.raises(BadData, match=r"one.svg:3: is no SVG: mismatched tag"):
        markup.image(str(tmp_path / "one.svg"), "")


def test_failing_program(tmp_path):
    out, program = tmp_path / "lab.html", tmp_path / "step03"
    for text, status, why in (
            ("echo x; echo no luck >&2; exit 4", 1, "step03 failed with status 4: no luck"),
            (f"echo {COUNTERS_HEADER}; echo 03,1,1,1,x,1,global,load,1,1,1,,; exit 1", 1,
             "step03 failed with status 1: it says nothing"),
            ("echo 1,2", 2, "step03:1: columns missing: step, launch")):
        program.write_text("#!/bin/sh\n" + text + "\n")
        program.chmod(0o755)
        done = run(sys.executable, "-m", "lab.page", "--out", out, program)
        assert_refused(done, status, "make lab: " + why)
    done = run(sys.executable, "-m", "lab.page", "--out", out, tmp_path / "nothing")
    assert_refused(done, 1, "make lab: ", "No such file", "nothing")
    assert not out.exists()


# ---- in a browser ----

# Presses keys and writes down what is to be seen; a slide overflows where one of its elements
# reaches over its edges or into the bar of contents, or text of a picture into other text. code:
# the smallest letters of each slide's code and figures, letters: of all of its text, that of
# pictures included; fill: how far down a slide reaches, of its height; shown: how much of what a
# slide hides is seen after each key. A step that plays is played to its end, round by round.
PROBE = """<script>
const report = {errors: [], seen: [], over: [], shown: {}, code: {}, letters: {}, fill: {},
                keys: {}, played: {}, width: innerWidth, height: innerHeight};
addEventListener("error", (event) => report.errors.push(event.message));
console.error = (...words) => report.errors.push(words.join(" "));
addEventListener("load", async () => {
  const wait = () => new Promise((done) => setTimeout(done, 20));
  const tap = (key) => document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", {key, bubbles: true}));
  const press = async (key) => {
    tap(key);
    await wait();
    return location.hash.slice(1);
  };
  const choose = async (slide) => {  // 33 lanes, where 16 will add
    const said = () => slide.querySelector(".say").textContent.split(" · ")[0];
    await press("<");
    for (let i = 0; i !== 4; i++) await press(".");
    await press("w");
    const asked = said();
    for (const cell of [...slide.querySelectorAll(".cell")].slice(64, 97)) {  // behind in[64]
      cell.dispatchEvent(new PointerEvent("pointerdown", {bubbles: true, buttons: 1}));
    }
    const chosen = slide.querySelectorAll(".chosen").length;
    await press("ArrowRight");
    return [asked, chosen, slide.querySelectorAll(".right").length,
            slide.querySelectorAll(".wrong").length, said()];
  };
  const shown = () => [...document.querySelectorAll(".slide")].filter((s) => s.offsetParent);
  const slides = document.querySelectorAll(".slide").length;
  await press("Home");
  for (let i = 0; i !== slides; i++) {
    const [slide, ...others] = shown();
    const box = slide.getBoundingClientRect();
    const floor = document.getElementById("contents").getBoundingClientRect().top;
    const later = [...slide.querySelectorAll(".later")];
    const smallest = (px) => {
      report.letters[slide.id] = Math.min(report.letters[slide.id] || px, px);
    };
    const measurePicture = (image) => {  // its SVG for once as a part of the page, as large
      const bytes = Uint8Array.from(atob(image.src.split(",")[1]), (char) => char.charCodeAt(0));
      const {left, top, width, height} = image.getBoundingClientRect();
      const drawn = new DOMParser().parseFromString(new TextDecoder().decode(bytes),
                                                    "image/svg+xml").documentElement;
      drawn.style.cssText = `position: fixed; left: ${left}px; top: ${top}px; width: ${width}px; ` +
                            `height: ${height}px`;
      document.body.append(drawn);
      const boxes = [...drawn.querySelectorAll("text")].map((text) => {
        const {a, b, c, d} = text.getScreenCTM();
        smallest(parseFloat(getComputedStyle(text).fontSize) * Math.sqrt(a * d - b * c));
        const {left, top, right, bottom} = text.getBoundingClientRect();
        const air = (bottom - top) / 5;  // above and below the letters
        return [left, top + air, right, bottom - air, text.textContent.trim()];
      });
      boxes.forEach(([left, top, right, bottom, text], i) => {
        const meets = (other) => left < other[2] && right > other[0] &&
                                 top < other[3] && bottom > other[1];
        if (left < box.left || right > box.right || boxes.slice(0, i).some(meets)) {
          report.over.push(slide.id + ": in the picture: " + text);
        }
      });
      drawn.remove();
    };
    const onwards = () => press(i % 3 === 0 ? "ArrowRight" : i % 3 === 1 ? "PageDown" : " ");
    const seen = () => later.filter((node) => node.matches("details") ? node.open :
                                    getComputedStyle(node).visibility == "visible").length;
    report.shown[slide.id] = [seen()];
    while (seen() < later.length && report.shown[slide.id].length < 9) {
      await onwards();
      report.shown[slide.id].push(seen());
    }
    const measure = () => {
      for (const node of slide.querySelectorAll("*")) {
        const {left, right, bottom, width} = node.getBoundingClientRect();
        if (width && (left + 0.5 < box.left || right > box.right + 0.5 || bottom > floor + 0.5)) {
          report.over.push(slide.id + ": " + node.tagName + " " + node.textContent.slice(0, 30));
          break;
        }
      }
      const ends = [...slide.querySelectorAll("img, svg")];
      for (const cell of slide.querySelectorAll(".stage .cell")) {
        const text = document.createRange();
        text.selectNodeContents(cell);
        if (text.getBoundingClientRect().width > cell.clientWidth) {
          report.over.push(slide.id + ": a value over its cell: " + cell.textContent);
        }
      }
      const text = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
      while (text.nextNode()) {
        const parent = text.currentNode.parentElement;
        if (!text.currentNode.data.trim() || !parent.offsetParent) continue;
        const px = parseFloat(getComputedStyle(parent).fontSize);
        smallest(px);
        ends.push(document.createRange());
        ends.at(-1).selectNode(text.currentNode);
        if (parent.closest(".code td.text, .cell, .counts, .facts, .ladder, .sketch")) {
          report.code[slide.id] = Math.min(report.code[slide.id] || px, px);
        }
      }
      const bottoms = ends.map((node) => node.getBoundingClientRect().bottom);
      report.fill[slide.id] = (Math.max(...bottoms) - box.top) / box.height;
    };
    measure();
    slide.querySelectorAll("img").forEach(measurePicture);
    if (slide.matches(".step")) {
      let clicks = -1;  // the last one turns the slide
      for (; shown()[0] === slide && clicks !== 99; clicks++) await onwards();
      location.hash = slide.id;
      await wait();
      tap("<");
      const say = () => slide.querySelector(".say").textContent;
      const lit = () => [...slide.querySelectorAll(".lit")].filter((row) => !row.hidden).length;
      const rounds = Number(slide.querySelector("input").max);
      const played = {rounds, clicks, lit: 0, first: say()};
      for (let round = 0; round !== rounds; round++) {
        tap(".");
        played.lit += lit();
        if (round % 10 === 4 || round === rounds - 1 || innerWidth > 1900) measure();
      }
      tap(".");  // there are no more
      const out = [...slide.querySelectorAll(".stage .label")].find(
          (label) => label.textContent == "out[0]").nextElementSibling;
      Object.assign(played, {last: say(), out: out.textContent});
      tap(",");
      played.back = slide.querySelector(".round").textContent;
      tap("<");
      played.again = say();
      tap(">");
      played.end = slide.querySelector(".round").textContent;
      report.played[slide.id] = played;
    }
    report.seen.push(others.length ? "several" : slide.id);
    await onwards();
  }
  for (const key of ["End", "ArrowLeft", "Home", "PageUp", ..."01234567", "d", "i", "ArrowUp",
                     "2", "s", "w", "ArrowDown", "g", "n", "q", "d", "9", "3", "s"]) {
    if (document.getElementById("step-00")) (report.keys[key] ||= []).push(await press(key));
  }
  if (report.keys.w) report.choice = await choose(shown()[0]);
  report.loaded = performance.getEntriesByType("resource").map((entry) => entry.name).filter(
      (name) => !name.startsWith("data:"));
  document.getElementById("next").click();
  await wait();
  report.click = location.hash.slice(1);
  const sees = () => getComputedStyle(shown()[0]).visibility + " " +
                     getComputedStyle(document.body).backgroundColor;
  report.looks = [sees()];
  for (const key of ["b", "b", "l", "l"]) {
    await press(key);
    report.looks.push(sees());
  }
  document.body.innerHTML = "";
  document.body.append(Object.assign(document.createElement("pre"),
                                     {id: "report", textContent: JSON.stringify(report)}));
});
</script></body>"""


def browse(file, script, size, frame=None):
    """What a script added to the page reports, or the page that has it in a frame."""
    copy = file.with_name("probe.html")
    copy.write_text(file.read_text().replace("</body>", script))
    if frame:
        copy = file.with_name("frame.html")
        copy.write_text(frame)
    done = run(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu",
               f"--user-data-dir={file.parent / 'profile'}", f"--window-size={size}",
               "--virtual-time-budget=60000", "--dump-dom", copy.as_uri())
    return json.loads(html.unescape(re.search(r'<pre id="report">(.*?)</pre>', done.stdout)[1]))


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium here")
@pytest.mark.parametrize("name", ["lab.html", "lab-detours.html"])
def test_projected(written, tree, rest, name):
    """Nothing reaches over the edge, answers come one at a time, letters are large, slides full."""
    report = browse(written[0].with_name(name), PROBE, "1280,720")
    page_ = tree if name == "lab.html" else rest
    ids = [node.get("id") for node in page_.iter("section")]
    assert (report["errors"], report["over"]) == ([], [])
    assert report["seen"] == ids
    for id, shown in report["shown"].items():  # all figures by one key, then an answer by each
        answers = list(range(len(section(page_, id).findall(".//details[@class='later']")) + 1))
        assert shown == (answers if len(answers) > 1 else [0, shown[-1]] if shown[-1] else [0]), id
        assert shown[-1] or not id.endswith(("-guess", "-question"))
    scale = min(report["width"] / 1280, report["height"] / 720)  # the window has borders
    assert {id: px for id, px in report["letters"].items() if px < scale * 15.99} == {}
    assert set(report["letters"]) == set(ids) and report["loaded"] == []
    if page_ is rest:
        return
    assert {id: px for id, px in report["code"].items() if px < scale * 21.99} == {}
    assert {id: fill for id, fill in report["fill"].items() if fill < 0.6} == {}
    check_played(tree, report["played"])
    keys = report["keys"]
    assert keys["End"] == [ids[-1]] and keys["ArrowLeft"] == [ids[-2]]
    assert keys["Home"] == keys["PageUp"] == ["ladder"]
    assert [keys[str(digit)][0] for digit in range(8)] == [f"step-0{digit}" for digit in range(8)]
    assert keys["d"] == ["step-07-diff", "step-03-diff"] and keys["i"] == ["step-07"]
    assert (keys["ArrowUp"], keys["ArrowDown"]) == (["step-06"], ["step-03-step"])
    assert keys["s"] == ["step-02-step", "step-03-step"] and keys["g"] == ["step-03-guess"]
    assert (keys["n"], keys["q"]) == (["step-03-now"], ["step-03-question"])
    assert report["choice"] == ["Which lanes work next? Click them; → checks.", 33, 16, 17,
                                "wrong: 17"]
    assert report["click"] == "step-03-step"  # it plays
    usual, blank, again, dark, light = report["looks"]
    assert usual == again == light == "visible rgb(255, 255, 255)"
    assert blank == "hidden rgb(0, 0, 0)" and dark.startswith("visible") and dark != usual


def check_played(tree, played):
    """Each step shows its sum in the last round, and its line in each."""
    assert list(played) == [f"step-{step}-step" for step in STEPS]
    for id, seen in played.items():
        data = json.loads(section(tree, id).find("script").text)
        rounds = len(data["frames"])
        assert seen["rounds"] == seen["lit"] == rounds
        assert seen["clicks"] == (10 if id == "step-00-step" else rounds)  # 32 rounds are passed by
        assert seen["first"] == seen["again"] and seen["first"].startswith("Before the launch")
        assert f"sum {data['total']}" in seen["last"] and seen["last"].endswith("verified")
        assert seen["out"] == str(data["total"])
        assert seen["back"] == f"round {rounds - 1} of {rounds}"
        assert seen["end"] == f"round {rounds} of {rounds}"


# On a phone, which is a frame here: Chromium's windows are no narrower than 500. What plays is
# played by a finger. open, told: the answers and the figures that are seen before one asks.
PHONE = """<script>
addEventListener("load", async () => {
  const slides = [...document.querySelectorAll(".slide")];
  const inside = (node) => {
    const {left, right} = node.getBoundingClientRect();
    return left >= 0 && right <= innerWidth;
  };
  const report = {shown: slides.filter((slide) => slide.offsetParent).length,
                  wide: document.documentElement.scrollWidth > innerWidth, width: innerWidth,
                  clipped: slides.filter((slide) => slide.scrollWidth > slide.clientWidth &&
                      getComputedStyle(slide).overflowX == "hidden").map((slide) => slide.id),
                  small: slides.some((slide) => parseFloat(getComputedStyle(slide).fontSize) < 13),
                  open: [...document.querySelectorAll("details[open]")].length,
                  told: [...document.querySelectorAll("td.later")].filter(
                      (cell) => getComputedStyle(cell).visibility == "visible").length,
                  far: [], played: []};
  for (const slide of document.querySelectorAll(".slide.step")) {
    const slider = slide.querySelector("input"), buttons = slide.querySelectorAll("[data-move]");
    for (const node of [slider, ...buttons]) {
      if (!inside(node) || node.offsetHeight < 40) report.far.push(slide.id);
    }
    if (!inside(slide.querySelector(".counts"))) report.far.push(slide.id + ": counts");
    buttons[1].click();
    const first = slide.querySelector(".round").textContent;
    slider.value = slider.max;
    slider.dispatchEvent(new Event("input"));
    report.played.push([first, slide.querySelector(".say").textContent.split(" · ").pop()]);
  }
  const guess = document.getElementById("step-07-guess");
  guess.querySelector(".show").click();
  report.asked = [...guess.querySelectorAll("td.later:not(.shown)")].length;
  guess.scrollIntoView();
  const here = () => document.querySelector("#contents [aria-current=true]");
  dispatchEvent(new Event("scroll"));  // headless, a browser may draw too seldom to send one
  report.bar = [here().textContent, inside(here())];
  parent.postMessage(JSON.stringify(report), "*");
});
</script></body>"""
FRAME = """<body><iframe src="probe.html" style="width: 390px; height: 844px"></iframe><script>
addEventListener("message", (event) => {
  document.body.innerHTML = '<pre id="report"></pre>';
  document.getElementById("report").textContent = event.data;
});
</script></body>"""


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium here")
def test_on_a_phone(written, tree):
    """All slides below each other, no wider than the screen, or one can scroll to their end; what
    is hidden waits for a finger, and the bar follows."""
    report = browse(written[0], PHONE, "500,900", FRAME)
    ends = [f"sum {json.loads(section(tree, f'step-{step}-step').find('script').text)['total']}"
            for step in STEPS]
    played = report.pop("played")
    assert report == {"shown": len(list(tree.iter("section"))), "wide": False, "width": 390,
                      "clipped": [], "small": False, "far": [], "open": 0, "told": 0, "asked": 0,
                      "bar": ["07", True]}
    assert [first.partition(" of ")[0] for first, _ in played] == ["round 1"] * len(STEPS)
    assert [end.partition(",")[0] for _, end in played] == ends


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium here")
def test_printed(written, tree, tmp_path):
    """A slide a page, but none that tells what came."""
    run(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu",
        f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={tmp_path / 'lab.pdf'}",
        "--no-pdf-header-footer", written[0].as_uri())
    views = [node.get("data-view") for node in tree.iter("section")]
    pages = re.findall(rb"/Type */Page\b", (tmp_path / "lab.pdf").read_bytes())
    assert len(pages) == len([view for view in views
                              if view not in ("now", "step", "picture")])

"""The pictures: the committed ones are what is drawn today, no two labels overlap, and bad data are
told in one line that says what is wrong where. Those of make access, too; and what make table writes
into the READMEs and the notes."""

import contextlib
import io
import itertools
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from unittest import mock

import pytest

from harness import ROOT, STEPS, build, copy_rooms, golden, make, once, replay, run, said, shell, tools

from plots import draw, picture_bench, style, table
from plots.read import bench_data, counter_data, trace_data
from plots.read.files import BadData

DATA = ROOT / "plots/data/h200.csv"
COUNTERS = ROOT / "plots/data/counters.csv"
SMALL = ROOT / "tests/data/bench_small.csv"


def drawn(folder, data=DATA, counters=COUNTERS, pair=""):
    """The exit status of what make plots runs. pair: two programs' folders."""
    return draw.main(*(f"{path}/main.cu" for path in pair.split()), data=str(data),
                     counters=str(counters), out=str(folder)) or 0


def told(*arguments, **files):
    """How such a call ended, as a golden file has it."""
    with contextlib.redirect_stdout(io.StringIO()) as out, \
            contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            status = drawn(*arguments, **files)
        except BadData as error:
            status = 2
            print(f"make plots: {error}", file=err)
    return subprocess.CompletedProcess([], status, out.getvalue(), err.getvalue())


def words(svg):
    """The words in a picture."""
    return ["".join(element.itertext()) for element in ElementTree.parse(svg).iter(
        "{http://www.w3.org/2000/svg}text")]


# ---- the pictures of the committed data ----

@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    assert drawn(folder) == 0
    return folder


def test_committed(pictures):
    """They are the golden files of these tests: `make plots` renews them, a person looks. How an
    SVG names its parts and its fonts depends on matplotlib's version."""
    varies = re.compile(r' id="[^"]*"|<text style="[^"]*"|#h\w+')
    names = {f"{name}.svg" for name in [*draw.PICTURES, *draw.BESIDE]}
    assert {path.name for path in pictures.iterdir()} == names
    for name in names:
        assert (ROOT / "plots" / name).exists(), f"{name}: make plots"
        committed, fresh = (varies.sub("", (folder / name).read_text())
                            for folder in (ROOT / "plots", pictures))
        assert committed == fresh, f"{name}: make plots"


@pytest.mark.slow
def test_make_plots(pictures, tmp_path):
    """No compiler is needed; another process draws the same bytes."""
    clone = copy_rooms(tmp_path / "clone", "exercises", "make", "plots", "simt", "steps", "detours")
    env = tools(tmp_path / "bin", "bash", "dirname", "sh") | {"PYTHONHASHSEED": "7"}
    done = make("plots", f"PYTHON={sys.executable}", cwd=clone, env=env)
    assert done.returncode == 0 and re.fullmatch("(make plots: programs are left out, since .*\n)?", done.stderr)
    assert {*done.stdout.split()} == {f"plots/{path.name}" for path in pictures.iterdir()}
    for path in pictures.iterdir():
        assert (clone / "plots" / path.name).read_bytes() == path.read_bytes(), path


# ---- labels and looks ----

def test_no_label_overlaps():
    """With eighteen detours more, one of them at some sizes only: they have a picture of their own
    and stay out of the others."""
    bench, new = bench_data.load(SMALL), "a-detour-of-long-name-7"
    for i in range(18):
        bench.runs[f"{new[:-1]}{i}", "int"] = {
            n: run._replace(ms=run.ms * (1 + i**3 / 50), gb_per_s=run.gb_per_s / 2)
            for n, run in bench.runs["cub", "int"].items() if i != 7 or n > 2**20}
    drawn = draw.pictures(bench, "int", counter_data.load(COUNTERS)) | {
        "pair": picture_bench.pair(bench, "int", "07", new)}
    assert "in-flight" in drawn
    for name, picture in drawn.items():
        # what is really drawn: an axis also has ticks beyond its ends
        with mock.patch.object(style.pyplot().Text, "draw", autospec=True) as recorder:
            picture.draw_without_rendering()
        texts = (call.args[0] for call in recorder.call_args_list)
        boxes = [(text.get_text(), text.get_window_extent()) for text in texts
                 if text.get_visible() and text.get_text()]
        for (a, one), (b, two) in itertools.combinations(boxes, 2):
            assert (min(one.x1, two.x1) - max(one.x0, two.x0) <= 0.5
                    or min(one.y1, two.y1) - max(one.y0, two.y0) <= 0.5), (name, a, b)
        for text, box in boxes:
            assert 0 <= box.x0 and 0 <= box.y0 and box.x1 <= picture.bbox.x1, (name, text)
            assert box.y1 <= picture.bbox.y1, (name, text)
        assert ("a-detour-of-long-name-3" in dict(boxes)) <= (name == "detours")
    style.pyplot().close("all")


# ---- two programs ----

def test_pair(tmp_path, capsys):
    assert drawn(tmp_path, data=SMALL, pair="steps/07-warp-shuffle detours/single-pass") == 0
    svg = ROOT / capsys.readouterr().out.strip()
    assert [*tmp_path.iterdir()] == [svg] and svg.stem == "plot-07-single-pass"
    shown = words(svg)
    assert "Single-pass is 0.98 times as fast as step 07 at n = 2³⁰" in shown
    assert {"07 warp-shuffle", "single-pass over 07: times as fast", "0.98×"} <= {*shown}


def test_golden_bad_pairs(tmp_path):
    replay("plots-pairs.csv", lambda pair: told(
        tmp_path / "out", data=SMALL, pair=pair), root=ROOT)
    assert not (tmp_path / "out").exists()


# ---- data that are bad, or lack something ----

LOADERS = {SMALL: lambda path: bench_data.steps(bench_data.load(path), "int"),
           COUNTERS: counter_data.load, SMALL.with_name("trace_small.csv"): trace_data.load}


def test_golden_bad_data(tmp_path):
    """One line says what is wrong where. Of a file and a line from 1: what stands there, and what is
    there instead; or it is cut off in front of it, or in it."""
    def call(typed):
        name, line, change = re.match(r"(\S+):(\d+) (.*)", typed, re.S).groups()
        file, = (path for path in LOADERS if path.name == name)
        lines, number = file.read_text().splitlines(keepends=True), int(line) - 1
        if change.startswith("cut"):
            lines[number:] = [lines[number][:20]] if change == "cut in half" else []
        else:
            old, new = change.split(" as ")
            assert old in lines[number]
            lines[number] = lines[number].replace(old, new.replace("many", 200000 * "x"), 1)
        (tmp_path / "bad.csv").write_text("".join(lines))
        with pytest.raises(BadData) as error:
            LOADERS[file](tmp_path / "bad.csv")
        return f"{error.value}\n".partition("bad.csv:")[2]

    replay("plots-bad-data.csv", call, folder=tmp_path)


def test_lacking_data(tmp_path, monkeypatch):
    """A program that was not counted or measured is left out; a line names the command that does it."""
    names = "explain", "share"
    monkeypatch.setattr(draw, "PICTURES", {name: draw.PICTURES[name] for name in names})
    for file, path, lacks in ("data", SMALL, ("07,", ",single-pass,")), ("counters", COUNTERS, "05,"):
        lines = path.read_text().splitlines(keepends=True)
        (tmp_path / file).write_text("".join(line for line in lines if not line.startswith(lacks)))
    done = told(tmp_path / "out", data=tmp_path / "data", counters=tmp_path / "counters")
    assert (done.returncode, done.stdout.count(".svg\n")) == (0, 2)
    assert re.fullmatch(
        "make plots: programs are left out, since .*/data lacks 07, .*single-pass.*: make bench .*, with "
        "PUBLISH=1 into plots/data\n"
        "make plots: left out of explain, since the counters lack .*05.*: make "
        "plots/data/counters.csv\n", done.stderr)
    explain, share = (words(tmp_path / f"out/{name}.svg") for name in names)
    assert "06" in explain and not {"05", "07"} & {*explain}
    at = explain.index("multiprocessors")
    assert explain[at:at + 6] == ["multiprocessors", "with work", "–", "loads in flight", "per thread", "–"]
    assert {"05 unroll-last-warp", "best CUB",
            "Step 06 reads at 96.7 % of the theoretical peak"} < {*share}
    assert not {"07 warp-shuffle", "single-pass"} & {*share}


# ---- which thread touches which word ----

@pytest.fixture(scope="module")
def traced():
    """A folder of fresh pictures, made as `make access` makes them."""
    def draw_in(folder):
        said(run(sys.executable, "-m", "plots.access", f"--out={folder}/drawn", *(
            build(block=256 if step == "02" else 64) / f"step{step}" for step in STEPS), cwd=ROOT))

    return once("access", draw_in) / "drawn"


def test_committed_access(traced):
    """They are the golden files of these tests: `make access` renews them, a person looks."""
    names = sorted([*(f"access-{path.parent.name}.svg" for path in STEPS.values()),
                    "access-02-blank.svg", "access-03-blank.svg"])
    assert sorted(path.name for path in traced.iterdir()) == names
    for name in names:
        committed = ROOT / "plots" / name
        same = committed.exists() and committed.read_bytes() == (traced / name).read_bytes()
        assert same, f"{name}: make access"


def test_access_stands_alone(traced):
    """As a file and inside a page: no identifiers, style sheets, scripts or links. It fits a slide
    at 1280 x 720 as it is, and there its letters are large enough. A picture that
    students mark gives nothing away."""
    for path in traced.iterdir():
        text = path.read_text()
        assert {*re.findall(r"<(\w+)", text)} == {"svg", "title", "desc", "rect", "path", "text"}
        assert not re.search(r"\b(id|href|style)=|url\(", text) and len(text) < 100_000
        assert "scratch" not in text and ("sums[" if path.stem[7:9] != "00" else "out[") in text
        width, height = re.search(r'viewBox="0 0 (\d+) (\d+)', text).groups()
        assert width == "1200" and int(height) <= 606
        assert min(map(float, re.findall('font-size="(.*?)"', text))) >= 16
        assert not path.stem.endswith("blank") or not re.search("conflict|\\d wavefront|#9C0A3C", text)


# ---- make table: blocks are made anew, and nothing around them ----

def test_golden_tables():
    """From data that never change, so that a mistake in the arithmetic is not renewed together with the tables
    of the texts. Neither floats nor two-kernels are measured in them."""
    data = {field: read(ROOT / f"tests/data/{field}_small.csv") for field, (read, _) in table.SOURCES.items()
            if (ROOT / f"tests/data/{field}_small.csv").exists()}
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

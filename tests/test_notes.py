"""The texts, NOTES.md and the READMEs: the course's sections have their parts, tables and sentences
show what programs and data say, links lead somewhere, and what one is to try does what is said."""

import re
from statistics import geometric_mean, median

import pytest

from harness import ROOT, STEPS, broken_links, build, compile_together, once, patched, run

from plots import table
from plots.read import bench_data, csv_input, notes, side_data

FILES = table.FILES
TEXTS = {name: (ROOT / name).read_text() for name in FILES}
TEXT = TEXTS["NOTES.md"]


# ---- sections ----

def test_sections_in_order():
    assert re.findall(r"^## Step (\d\d): ", TEXT, re.M) == list(STEPS)


@pytest.mark.parametrize("step", STEPS)
def test_section(step):
    """All parts in this order: before, idea, prediction, code; folded, figures, a picture and their
    explanation; a question with its answer; something to try and its result."""
    name = STEPS[step].parent.name
    pair = "00" if step == "00" else f"{int(step) - 1:02} {step}"
    code = f"kernel {pair}" if step == "00" else f"diff {pair}"
    want = [f"## Step {step}: {name[3:].replace('-', ' ')}\n", "**Before.** ", "**Idea.** ",
            "**Predict.** ", f"<!-- generated: {code} -->",
            "<details><summary>See what came</summary>", f"<!-- generated: step {pair} -->",
            f"](plots/access-{name}.svg)", "**Now.** ", "</details>\n\n**Question.** ",
            "<details><summary>Answer</summary>", "**Try it.** ",
            "<details><summary>What comes</summary>"]
    text = re.search(rf"^## Step {step}.*?(?=^## |\Z)", TEXT, re.M | re.S)[0]
    places = [text.find(part) for part in want]
    assert places == sorted(places) and [text.count(part) for part in want] == [1] * len(want), (
        f"NOTES.md, step {step}: want in this order {want}; the generated ones end with "
        "<!-- /generated -->, and make table fills them; make access draws the picture")
    said = notes.parts(TEXT, step)
    assert all("?" in " ".join(said[label]) for label in ("Predict", "Question"))
    assert said["Answer"] and len(said["What comes"]) == 1
    assert not any("generated" in text for paragraphs in said.values() for text in paragraphs)
    assert f"make step{step} BACKEND=cpu && ./step{step} -n " in " ".join(text.split())


# ---- links ----

@pytest.mark.parametrize("name", FILES)
def test_links(name):
    """Pictures, too."""
    assert "](" in TEXTS[name] and [*broken_links(ROOT / name)] == []


# ---- the sentences ----

BENCH, H100 = (bench_data.load(ROOT / f"plots/data/{name}.csv") for name in ("h200", "h100"))
IDEAS = side_data.load_tuning(ROOT / "plots/data/ideas-h200.csv")
FLIGHT = {gpu: side_data.load_in_flight(ROOT / f"plots/data/in-flight-{gpu}.csv").rows
          for gpu in ("h200", "h100")}
# GB/s of the reader, by loads per thread times blocks per multiprocessor: 8 have 1.1 MB in flight
READER = {count: [row.gb_per_s for row in FLIGHT["h200"] if (row.name, row.loads * row.blocks) == (
    "reader", count)] for count in (1, 16, 64, 128, 256)}
STALLS = side_data.load_stalls(ROOT / "plots/data/stalls-h200.csv")


def us(key, power):
    return 1e3 * BENCH.runs[key, "int"][2**power].ms


def idea(power, name, changed="nothing"):
    """Milliseconds."""
    return median(IDEAS[name, changed, 2**power])


def coalesced(power):
    return idea(power, "naive-everywhere", "COALESCED=1")


def waiting(elems, loads, guard=0):
    return idea(26, "waiting-loads", f"ELEMS={elems}+LOADS={loads}+GUARD={guard}")


def extremes(values):
    return [min(values), max(values)]


def over(key, base, *powers, types=bench_data.TYPES, bench=BENCH):
    """The least and most that it is as fast as base, at these n or at all."""
    return extremes([bench_data.times_over(bench, type, n, key, base) for type in types
                     for n in bench_data.common_sizes(bench, type, (key, base))
                     if not powers or n in [2**power for power in powers]])


def trip():
    """From Little's law, and the bytes that the peak needs: (MB, GB/s, µs, peak, MB)."""
    megabytes, (one,) = 256 * 132 * 4 / 1e6, READER[1]
    return [megabytes, one, 1e3 * megabytes / one, BENCH.peak, BENCH.peak * megabytes / one]


def one_load_each():
    """GB/s of the reader with one load per thread, in 1 and 8 blocks per multiprocessor."""
    return [row.gb_per_s for row in FLIGHT["h200"]
            if (row.name, row.loads) == ("reader", 1) and row.blocks in (1, 8)]


def above_the_reader():
    """Percent that step 06 reaches more on an H100 than the reader with as many bytes in flight."""
    step, = (row for row in FLIGHT["h100"] if row.name == "06")
    reader, = (row for row in FLIGHT["h100"] if (row.name, row.loads, row.megabytes) == (
        "reader", step.loads, step.megabytes))
    return [100 * step.gb_per_s / reader.gb_per_s - 100]


def stall(step, what="issue_pct"):
    return STALLS.median(step, 2**24, what)


def float_order():
    """The number of sums, and the sums."""
    rows = csv_input.read_table(ROOT / "plots/data/float-order-h200.csv", csv_input.columns(
        "name block n result expected"))[:18]
    runs, fixed = ([row for row in rows if row["name"] == name]
                   for name in ("atomic-finish", "deterministic-float"))
    sums = sorted({row["result"] for row in runs}, key=float)
    (one,), (expected,) = {row["result"] for row in fixed}, {row["expected"] for row in rows}
    return [len(runs), len(sums), sums[0], sums[-1], one,
            ", ".join(row["block"] for row in fixed[:-1]), fixed[-1]["block"], expected]


def over_cub():
    """The geometric means, as the table has them, of single-pass and of step 07."""
    rows = re.findall("^\\| its time over that of .*", TEXTS["plots/measure/README.md"], re.M)
    return [figure for name in ("single-pass", "step 07") for figure in extremes(
        [float(row.split("|")[-2]) for row in rows if f" {name} |" in row and "–" not in row])]


def others_ahead():
    """Where single-pass is not the fastest: at how many places of how many, by how much at most."""
    ratios = [run.ms / min(bench_data.run(BENCH, type, key, n).ms or run.ms
                           for key in bench_data.measured(BENCH, type))
              for type in bench_data.TYPES
              for n, run in bench_data.runs(BENCH, type, "single-pass").items()]
    return [sum(ratio > 1 for ratio in ratios), len(ratios), 100 * max(ratios) - 100]


def over_two_bytes():
    """From 2^16 on, of both types: the time of the faster of CUB and torch over that of two-bytes, at
    least, at most, in the geometric mean; then the share of the peak."""
    ms = {(row["type"], row["n"], row["name"]): row["median_ms"]
          for row in side_data.load_peers(ROOT / "plots/data/peers-h200.csv")}
    ratios = [min(ms[type, n, "cub"], ms[type, n, "torch.sum"]) / own
              for (type, n, name), own in ms.items() if name == "two-bytes" and n >= 2**16]
    return [*extremes(ratios), geometric_mean(ratios),
            BENCH.runs["two-bytes", "half"][2**30].share]


def doubles_on_two_gpus():
    """How many times as fast as one, by the gate."""
    times = side_data.load_multi_gpu(ROOT / "plots/data/multi-gpu-h200.csv").times
    return [times[1, "single-pass", "double"][2**k] / times[2, "multi-gpu-peer", "double"][2**k]
            for k in (22, 24, 26, 28)]


# (a sentence of one of the texts, with its figures in groups, what they are by the data); of
# plots/measure/README.md those that compare programs, not those that say how they were measured
SENTENCES = [
    (r"below 2\^22 that of (\d+) process", lambda: [BENCH.meta["processes"]]),
    (r"loads on all multiprocessors takes ([\d.]+) ms at 2\^24, and is faster than step 05: the "
     r"tree costs a factor of ([\d.]+),",
     lambda: [coalesced(24), idea(24, "step01") / coalesced(24)]),
    (r"Step 03, for instance, .*? is ([\d.]+) times as fast",
     lambda: [us("02", 30) / us("03", 30)]),
    (r"over all n, CUB takes ([\d.]+) to ([\d.]+) times as long as `single-pass`, and ([\d.]+) to "
     r"([\d.]+) times as long as step 07", over_cub),
    (r"multiprocessors\*\*, an H200 of (\d+)\.", lambda: [BENCH.multiprocessors]),
    (r"CUB is ahead of `single-pass` by ([\d.]+) % at most: no reason",
     lambda: [100 - 100 * over("single-pass", bench_data.BEST_CUB, bench=H100)[0]]),
    (r"([\d.]+) to ([\d.]+) times as fast as `cub-reproducible`, and ([\d.]+) to ([\d.]+) times as "
     r"fast as `cub`", lambda: [figure for cub in ("cub-reproducible", "cub")
                                for figure in over("deterministic-float", cub, types=["float"])]),
    (r"(\d+) of these (\d+) places another program is ahead, by ([\d.]+) % at most", others_ahead),
    (r"multiprocessor, it has ([\d.]+) MB in flight and reaches (\d+) GB/s\. So a trip to memory takes "
     r"([\d.]+) µs, and the peak of (\d+) GB/s needs ([\d.]+) MB", trip),
    (r"So 2\.2 MB in flight reach (\d+) % of the peak, and 8\.7 MB are needed for (\d+) %",
     lambda: [100 * max(READER[16]) / BENCH.peak,
              100 * min(READER[64] + READER[128] + READER[256]) / BENCH.peak]),
    (r"takes ([\d.]+) µs at 2\^12, .*? and ([\d.]+) µs at 2\^14, .*? costs ([\d.]+) µs\.",
     lambda: [us("07", 12), us("07", 14), us("07", 14) - us("07", 12)]),
    (r"(\d+) runs of `atomic-finish` over the same 2\^24 floats gave (\d+) different sums, from "
     r"(\d+) to (\d+)\. `deterministic-float` gave (\d+) with blocks of ([\d, ]+) and (\d+)\. "
     r"The sum in double is (\d+)\.", float_order),
    (r"one block per multiprocessor reaches (\d+) GB/s, and eight reach (\d+) GB/s", one_load_each),
    (r"on an H100 step 06 reaches ([\d.]+) % more than it does", above_the_reader),
    (r"are 1\.82 and 2\.10 times as fast as its first one on its RTX 3080; ours are, on an H200, ([\d.]+) "
     r"and ([\d.]+) times as fast", lambda: [
        us("global-neighbored-pairs", 24) / us(key, 24) for key in ("global-strided-index", "global-sequential")]),
    (r"and (\d+) % of these \*issue slots\* were used in step 02, (\d+) % in step 03",
     lambda: [stall("02"), stall("03")]),
    (r"use (\d+) % of the issue slots, where step 05 used (\d+) %", lambda: [stall("06"), stall("05")]),
    (r"why ([\d.]+) times fewer wavefronts make step 03 only ([\d.]+) times as fast as step 02: it "
     r"executes ([\d.]+) times fewer instructions",
     lambda: [616950 / 185085, stall("02", "duration_ns") / stall("03", "duration_ns"), 138 / 106]),
    (r"A profiler counts ([\d.]+) on average, since the first warp",
     lambda: side_data.Measured(ROOT / "plots/data/nsight-h200.csv", "step name block n metric value:float",
                                "block n metric value")["03", "256", f"{2**20}", "instructions_per_warp"]),
    (r"(\d+) % of the theoretical bandwidth; twice as fast would be (\d+) %",
     lambda: [times * BENCH.runs["07", "int"][2**30].share for times in (1, 2)]),
    (r"coalescing still makes the loop ([\d.]+) times as fast\. The tree \*costs\* a factor of "
     r"([\d.]+):", lambda: [each / coalesced(24) for each in (idea(24, "naive-everywhere"),
                                                              idea(24, "step01"))]),
    (r"torch\.sum takes ([\d.]+) to ([\d.]+) times as long as `two-bytes` from 2\^16 on, ([\d.]+) times in "
     r"the geometric mean\. At 2\^30 `two-bytes` reaches ([\d.]+) %", over_two_bytes),
    (r"Of doubles two GPUs are ([\d.]+), ([\d.]+), ([\d.]+) and ([\d.]+) times as fast as one at",
     doubles_on_two_gpus),
    (r"fewer trees make it ([\d.]+) times as fast, and 16 loads in flight instead of two another "
     r"([\d.]+) times\.", lambda: [waiting(2, 2, guard=1) / waiting(16, 2, guard=1),
                                   waiting(16, 2) / waiting(16, 16)]),
]


def prose(name):
    """A text without what is generated, tables and output of programs, in one line."""
    text = re.sub(r"^<!-- generated: .*?^<!-- /generated -->$|^```.*?^```$|^\|[^\n]*$", "",
                  TEXTS[name], flags=re.M | re.S)
    return " ".join(text.split())


@pytest.mark.parametrize("sentence, figures", SENTENCES)
def test_sentence(sentence, figures):
    """With as many decimals as it has."""
    found = [match for name in FILES for match in re.finditer(sentence, prose(name))]
    assert len(found) == 1, f"this sentence stands {len(found)} times in the texts: {sentence}"
    groups = found[0].groups()
    want = [each if isinstance(each, str) else f"{each:.{len(group.partition('.')[2])}f}"
            for group, each in zip(groups, figures())]
    assert list(groups) == want, f"by the data they are {want}"


@pytest.mark.parametrize("name", ["README.md", "NOTES.md", "detours/README.md"])
def test_no_other_figure_is_typed(name):
    """Times and bandwidths stand in generated blocks, or in a sentence above."""
    text = prose(name)
    for sentence, _ in SENTENCES:
        text = re.sub(sentence, "", text)
    figure = r"[\d.]+[ \u00a0]?(?:ms|µs|us|ns|[GT]B/s|microseconds|times as fast)\b"
    assert re.findall(figure, text) == []


def test_exercises_on_a_gpu():
    """How many times as fast the lesson plan says that the answers are, and their share of the peak."""
    rows = csv_input.read_table(ROOT / "plots/data/exercises-h200.csv", csv_input.columns(
        "exercise program n:int median_us:float"))
    us = {(row["exercise"], row["program"], row["n"]): row["median_us"] for row in rows}
    faster = [us[number, "given", 2**k] / us[number, "solution", 2**k]
              for number in ("01", "03") for k in (16, 24, 28)]
    shares = [100 * 4e-3 * 2**28 / us[number, "solution", 2**28] / BENCH.peak for number in ("01", "03")]
    text = " ".join((ROOT / "exercises/README.md").read_text().split())
    said = re.search(r"is ([\d.]+) times as fast at 2\^16, ([\d.]+) times at 2\^24 and ([\d.]+) times at "
                     r"2\^28\. .*? and is ([\d.]+), ([\d.]+) and ([\d.]+) times as fast\. .*? at "
                     r"(\d+) % and (\d+) % of its peak", text).groups()
    assert list(said) == [*(f"{each:.1f}" for each in faster), *(f"{each:.0f}" for each in shares)]


# ---- what one is to try ----

# step, n, status, what one then reads, the edit
TRIES = re.findall(r"^=== (\d\d) -n (\S+), status (\d): (.*)\n((?:(?!===).*\n)+)",
                   (ROOT / "tests/tries.diff").read_text(), re.M)


@pytest.fixture(scope="module")
def tries():
    """The folder of the programs, which are compiled as one; each in a folder called like its step's."""
    def build_in(folder):
        files = [folder / str(i) / STEPS[step].parent.name / "main.cu" for i, (step, *_) in enumerate(TRIES)]
        for file, (step, *_, edit) in zip(files, TRIES):
            file.parent.mkdir(parents=True)
            file.write_text(patched(STEPS[step].read_text(), edit))
        compile_together([(f"{i}.program", file) for i, file in enumerate(files)],
                         folder / "together.cu", "-Wno-unused-variable", "-Icommon", "-DTYPE=int",
                         "-DBLOCK=256", *sorted((build() / "common").glob("*.o")))
    return once("tries-of-the-notes", build_in)


@pytest.mark.parametrize("i", range(len(TRIES)))
def test_try_it(i, tries):
    """Edited as the notes say (tries.diff), the step shows what they hint at."""
    _, n, status, seen, _ = TRIES[i]
    done = run(tries / f"{i}.program", "-n", n)
    assert done.returncode == int(status) and seen in done.stdout + done.stderr, done.stderr

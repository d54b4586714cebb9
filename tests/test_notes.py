"""The texts, NOTES.md and the READMEs: the course's sections have their parts, tables and sentences
show what programs and data say, links lead somewhere, and what one is to try does what is said."""

import csv
import re
from statistics import median

import pytest

from harness import ROOT, STEPS, build, compile_together, once, run

from plots import table
from tutorial import bench_data, notes, side_data

FILES = table.FILES
TEXTS = {name: (ROOT / name).read_text() for name in FILES}
TEXT = TEXTS["NOTES.md"]


# ---- sections ----

def test_sections_in_order():
    assert re.findall(r"^## Step (\d\d): ", TEXT, re.M) == list(STEPS)


@pytest.mark.parametrize("step", STEPS)
def test_section(step):
    """All its parts, in this order: before, idea, code, what to predict; folded, figures, picture
    and what they say; question with its answer, something to try with what comes of it."""
    name = STEPS[step].parent.name
    code = f"kernel {step}" if step == "00" else f"diff {int(step) - 1:02} {step}"
    want = [f"## Step {step}: {name[3:].replace('-', ' ')}\n", "**Before.** ", "**Idea.** ",
            f"<!-- generated: {code} -->", "**Predict.** ",
            "<details><summary>See what came</summary>", f"<!-- generated: step {step} -->",
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

def anchors(path):
    """As GitHub makes them from headings."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", FILES)
def test_links(name):
    """Pictures, too."""
    links = re.findall(r"\]\((?!https://)([^)\s]+)\)", TEXTS[name])
    assert links
    for link in links:
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        assert target.exists() and (not anchor or anchor in anchors(target)), link


# ---- what is generated ----

def test_every_bench_has_its_row():
    """In the table of how to measure again, with the file that it wrote."""
    rows = re.findall(r"^\| `make (bench.*?)` \|.*\| (\S+) \|$", TEXTS["bench/README.md"], re.M)
    benches, = re.findall(r"^BENCHES +:= (.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert sorted(name for name, _ in rows) == sorted(benches.split())
    assert all((ROOT / "plots/data" / file).exists() for _, file in rows)


# ---- the sentences ----

def rows_of(name):
    lines = (ROOT / "plots/data" / name).read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


BENCH, H100 = (bench_data.load(ROOT / f"plots/data/{name}.csv") for name in ("h200", "h100"))
TRUST = side_data.load_trust(ROOT / "plots/data/trust-h200.csv")
TUNING = side_data.load_tuning(ROOT / "plots/data/tuning-h200.csv")
IDEAS = side_data.load_tuning(ROOT / "plots/data/ideas-h200.csv")
# GB/s by program, loads per thread (of steps not told) and blocks per multiprocessor
IN_FLIGHT, IN_FLIGHT_H100 = ({(row["name"], row["loads"], row["blocks"]): float(row["gb_per_s"])
                              for row in rows_of(f"in-flight-{gpu}.csv")}
                             for gpu in ("h200", "h100"))


def us(key, power):
    return 1e3 * BENCH.runs[key, "int"][2**power].ms


def reader(loads, blocks=8):
    return IN_FLIGHT["reader", str(loads), str(blocks)]


def idea(power, name, changed="nothing"):
    """Milliseconds."""
    return median(IDEAS[name, changed, 2**power])


def coalesced(power):
    return idea(power, "naive-everywhere", "COALESCED=1")


def waiting(power, elems, loads, guard=0):
    return idea(power, "waiting-loads", f"ELEMS={elems}+LOADS={loads}+GUARD={guard}")


def rate(ms):
    """GB/s at 2^30."""
    return 2**32 / ms / 1e6


def extremes(values):
    return [min(values), max(values)]


def over(key, base, types=bench_data.BYTES, bench=BENCH):
    """{(type, n): how many times as fast as base it is}"""
    return {(type, n): bench_data.times_over(bench, type, n, key, base)
            for type in types for n in bench_data.common_sizes(bench, type, (key, base))}


def at(ratios, *powers):
    return [ratio for (_, n), ratio in ratios.items() if n in [2**power for power in powers]]


def drawn(in_flight, peak, *counts):
    """The shares of the peak that the reader drew, where loads and blocks multiply to one of these
    (8: 1.1 MB)."""
    return [100 * gb_per_s / peak for (name, loads, blocks), gb_per_s in in_flight.items()
            if name == "reader" and int(loads) * int(blocks) in counts]


def on_both():
    """Of both GPUs: how far the times of steps up to 05 are apart, what 2.2 MB in flight draw, and
    the share of the peak that steps 06 and 07 draw."""
    apart = [abs(H100.runs[step, "int"][2**30].ms / BENCH.runs[step, "int"][2**30].ms - 1)
             for step in ("00", "01", "02", "03", "04", "05")]
    share, = {round(gpu.runs[step, "int"][2**30].share) for gpu in (H100, BENCH)
              for step in ("06", "07")}
    return [100 * max(apart), max(drawn(IN_FLIGHT_H100, H100.peak, 16)),
            max(drawn(IN_FLIGHT, BENCH.peak, 16)), share]


def trip():
    """From Little's law, and the bytes that the peak needs: (MB, GB/s, µs, peak, MB)."""
    megabytes, one = 256 * 132 * 4 / 1e6, reader(1, 1)
    return [megabytes, one, 1e3 * megabytes / one, BENCH.peak, BENCH.peak * megabytes / one]


def queue():
    """The most that is read with 1.1, 2.2, 4.3, 8.7 MB in flight: GB/s, then shares of the peak,
    and the lowest and highest beyond."""
    return [max(drawn(IN_FLIGHT, 100, 8)), *(max(drawn(IN_FLIGHT, BENCH.peak, count))
                                             for count in (16, 32)),
            *extremes(drawn(IN_FLIGHT, BENCH.peak, 64, 128, 256))]


def float_order():
    """How many sums there were, and which."""
    rows = rows_of("float-order-h200.csv")[:18]
    runs, fixed = ([row for row in rows if row["name"] == name]
                   for name in ("atomic-finish", "deterministic-float"))
    sums = sorted({row["result"] for row in runs}, key=float)
    (one,), (expected,) = {row["result"] for row in fixed}, {row["expected"] for row in rows}
    assert {row["n"] for row in rows} == {str(2**24)}
    return [len(runs), len(sums), sums[0], sums[-1], one,
            ", ".join(row["block"] for row in fixed[:-1]), fixed[-1]["block"], expected]


def over_cub():
    """The geometric means, as the table has them, of single-pass and of step 07."""
    rows = [row for row in TEXTS["bench/README.md"].splitlines()
            if row.startswith("| its time over that of ")]
    return [figure for name in ("single-pass", "step 07") for figure in extremes(
        [float(row.split("|")[-2]) for row in rows if f" {name} |" in row])]


def over_two_kernels():
    """The least and most of single-pass's time over that of two-kernels."""
    ratios = over("two-kernels", "single-pass")
    return [*extremes(at(ratios, 16, 18, 20, 22)), *extremes(at(ratios, 24)),
            max(abs(100 * ratio - 100) for ratio in at(ratios, 26, 28, 30))]


def over_the_trips():
    """From 2^24 on, and at 2^14, where it is most."""
    ratios = {(type, n): run.ms / bench_data.trips_ms(BENCH, type, n) for type in bench_data.BYTES
              for n, run in bench_data.runs(BENCH, type, "single-pass").items()}
    assert max(at(ratios, 14)) == max(ratios.values())
    return [*extremes(at(ratios, 24, 26, 28, 30)), *extremes(at(ratios, 14))]


def others_ahead():
    """Where single-pass is not the fastest: at how many places of how many, by how much at most."""
    ratios = [run.ms / min(bench_data.run(BENCH, type, key, n).ms or run.ms
                           for key in bench_data.measured(BENCH, type))
              for type in bench_data.BYTES
              for n, run in bench_data.runs(BENCH, type, "single-pass").items()]
    return [sum(ratio > 1 for ratio in ratios), len(ratios), 100 * max(ratios) - 100]


def two_gpus(name):
    """Microseconds of two elements."""
    return next(1e3 * float(row["median_ms"]) for row in rows_of("2x-h200.csv")
                if (row["name"], row["n"]) == (name, "2"))


# (a sentence of one of the texts, with its figures in groups, what they are by the data)
SENTENCES = [
    (r"below 2\^22 that of (\d+) process", lambda: [BENCH.meta["processes"]]),
    (r"is the median of (\d+) processes", lambda: [BENCH.meta["processes"]]),
    (r"loads on all multiprocessors takes ([\d.]+) ms at 2\^24, and is faster than step 05: the "
     r"tree costs a factor of ([\d.]+),",
     lambda: [coalesced(24), idea(24, "step01") / coalesced(24)]),
    (r"Step 03, for instance, .*? is ([\d.]+) times as fast",
     lambda: [us("02", 30) / us("03", 30)]),
    (r"The hot time is ([\d.]+) of the cold one at 2\^20 and ([\d.]+) at 2\^22\. .*? the ratio is "
     r"([\d.]+) and ([\d.]+)\.",
     lambda: [median(TRUST["07", 2**power, "hot"]) / median(TRUST["07", 2**power, "cold"])
              for power in (20, 22, 24, 26)]),
    (r"it differs by up to ([\d.]+) %",
     lambda: [max(100 * max(ms) / min(ms) - 100 for ms in TRUST.values())]),
    (r"takes at 2\^30 was ([\d.]+) % faster",
     lambda: [us("single-pass", 30) / min(BENCH.shapes.shapes["int", 2**30].values()) / 10 - 100]),
    (r"over all n, CUB takes ([\d.]+) to ([\d.]+) times as long as `single-pass`, and ([\d.]+) to "
     r"([\d.]+) times as long as step 07", over_cub),
    (r"takes ([\d.]+) to ([\d.]+) of the time of `two-kernels` from 2\^16 to 2\^22, ([\d.]+) to "
     r"([\d.]+) at 2\^24, and from 2\^26 on as long, to (\d+) %", over_two_kernels),
    (r"multiprocessors\*\*, an H200 of (\d+)\.", lambda: [BENCH.multiprocessors]),
    (r"as many multiprocessors, and ([\d.]+) of the bandwidth", lambda: [H100.peak / BENCH.peak]),
    (r"Up to step 05 both take the same time\*\*, to (\d+) %: .*? 2\.2 MB draw (\d+) % instead of "
     r"(\d+)\. From step 06 on each GPU gives (\d+) % of its own peak", on_both),
    (r"CUB is ahead of `single-pass` by ([\d.]+) % at most: no reason",
     lambda: [100 - 100 * min(over("single-pass", bench_data.BEST_CUB, bench=H100).values())]),
    (r"([\d.]+) to ([\d.]+) times as fast as `cub-reproducible`, and ([\d.]+) to ([\d.]+) times as "
     r"fast as `cub`", lambda: [figure for cub in ("cub-reproducible", "cub") for figure in
                                extremes(over("deterministic-float", cub, ["float"]).values())]),
    (r"takes ([\d.]+) to ([\d.]+) times this limit from 2\^24 on\. .*? at 2\^14, ([\d.]+) to "
     r"([\d.]+), where", over_the_trips),
    (r"(\d+) of these (\d+) places another program is ahead, by ([\d.]+) % at most", others_ahead),
    (r"multiprocessor, has ([\d.]+) MB in flight and draws (\d+) GB/s\. So a trip to memory takes "
     r"([\d.]+) µs, and the peak of (\d+) GB/s needs ([\d.]+) MB", trip),
    (r"A trip takes ([\d.]+) µs: (\d+) GB/s with ([\d.]+) MB\. Little's line meets the peak at "
     r"([\d.]+) MB", lambda: [trip()[place] for place in (2, 1, 0, 4)]),
    (r"So 2\.2 MB in flight draw (\d+) % of the peak, and 8\.7 MB are needed for (\d+) %",
     lambda: [queue()[1], queue()[3]]),
    (r"queue long before that: (\d+) GB/s at 1\.1 MB, (\d+) % of the peak at 2\.2 MB, (\d+) % at "
     r"4\.3 MB, and from 8\.7 MB on (\d+) to (\d+) %", queue),
    (r"03 draws (\d+) %, step 05 (\d+) %, step 06 (\d+) % and step 07 (\d+) %",
     lambda: [100 * IN_FLIGHT[step, "", "8"] / reader(loads)
              for step, loads in (("03", 1), ("05", 2), ("06", 16), ("07", 16))]),
    (r"takes ([\d.]+) µs at 2\^12, .*? and ([\d.]+) µs at 2\^14, .*? costs ([\d.]+) µs\.",
     lambda: [us("07", 12), us("07", 14), us("07", 14) - us("07", 12)]),
    (r"(\d+) runs of `atomic-finish` over the same 2\^24 floats gave (\d+) different sums, from "
     r"(\d+) to (\d+)\. `deterministic-float` gave (\d+) with blocks of ([\d, ]+) and (\d+)\. "
     r"The sum in double is (\d+)\.", float_order),
    (r"step 07 took ([\d.]+), ([\d.]+) and ([\d.]+) µs at 2\^22, ([\d.]+), ([\d.]+) and ([\d.]+) "
     r"µs at 2\^24, and ([\d.]+), ([\d.]+) and ([\d.]+) µs at 2\^26\.",
     lambda: [each for power in (22, 24, 26) for each in (
         us("07", power), 1e3 * median(TRUST["07", 2**power, "cold"]),
         1e3 * median(TUNING["step07", "nothing", 2**power]))]),
    (r"each other cost ([\d.]+) µs: with two elements",
     lambda: [two_gpus("multi-gpu") - two_gpus("warp-shuffle")]),
    (r"the highest of all is ([\d.]+) % of it",
     lambda: [max(run.share for runs in BENCH.runs.values() for run in runs.values())]),
    (r"(\d+) % of the theoretical bandwidth are used; twice as fast would be (\d+) %",
     lambda: [times * BENCH.runs["07", "int"][2**30].share for times in (1, 2)]),
    (r"coalescing still makes the loop ([\d.]+) times as fast\. The tree \*costs\* a factor of "
     r"([\d.]+):", lambda: [each / coalesced(24) for each in (idea(24, "naive-everywhere"),
                                                              idea(24, "step01"))]),
    (r"fewer trees make it ([\d.]+) times as fast, and 16 loads in flight instead of two another "
     r"([\d.]+) times\.", lambda: [waiting(26, 2, 2, guard=1) / waiting(26, 16, 2, guard=1),
                                   waiting(26, 16, 2) / waiting(26, 16, 16)]),
    (r"step 00 takes ([\d.]+) of its time at 2\^24",
     lambda: [median(IDEAS["step00", "nothing", 2**24 + 2**10]) / idea(24, "step00")]),
    (r"the block then needs ([\d.]+) µs for a trip",
     lambda: [1e3 * idea(24, "naive-coalesced") / (2**24 / 1024 / 4)]),
    (r"everywhere` reaches (\d+) GB/s at 2\^30; .*? has (\d+) GB/s with as many",
     lambda: [rate(coalesced(30)), reader(loads=4, blocks=4)]),
    (r"`waiting-loads` reaches (\d+), (\d+) and (\d+) GB/s at 2\^30; .*? reaches (\d+), (\d+) and "
     r"(\d+) GB/s\. .*? reaches (\d+) GB/s:",
     lambda: [*(rate(waiting(30, 16, loads)) for loads in (1, 2, 4)),
              *(reader(loads) for loads in (1, 2, 4)), rate(idea(30, "step05"))]),
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


def test_length():
    """Two lessons: at most 4,200 words, captions not counted."""
    text = re.sub(r"!\[.*?\]\(\S*\)|</?details>|<summary>.*?</summary>", "", prose("NOTES.md"))
    assert len(text.split()) <= 4200


@pytest.mark.parametrize("name", FILES)
def test_no_other_figure_is_typed(name):
    """Times and bandwidths stand in generated blocks, or in a sentence above."""
    text = prose(name)
    for sentence, _ in SENTENCES:
        text = re.sub(sentence, "", text)
    figure = r"[\d.]+[ \u00a0]?(?:ms|µs|us|ns|[GT]B/s|microseconds|times as fast)\b"
    assert re.findall(figure, text) == []


# ---- what one is to try ----

UNGUARDED = "    if (i + blockDim.x < n)\n", ""
PAD = "#define PAD(i) ((i) + (i) / 32)\n"
# step: ([(what stands there, what one makes of it)], n, status, what one then reads)
TRIES = {
    "00": ([("i = begin; i < end; i++", "i = tid; i < n; i += BLOCK")], "2^16", 0,
           "sectors/request        4.00"),
    "01": ([("tid + stride];\n        __syncthreads();", "tid + stride];")], "2^12", 4,
           "race in shared memory"),
    "02": ([("__global__", PAD + "__global__"), ("s[BLOCK]", "s[BLOCK + BLOCK / 32]"),
            ("s[tid]", "s[PAD(tid)]"), ("s[left]", "s[PAD(left)]"),
            ("s[left + stride]", "s[PAD(left + stride)]")], "2^16", 0,
           "bank conflicts            0           0           0"),
    "03": ([("if (tid < stride)\n", "if (tid < stride) {\n"),
            ("        __syncthreads();\n    }", "        __syncthreads(); }\n    }")], "2^12", 4,
           "divergent barrier"),
    "04": ([UNGUARDED], "1000", 4, "out of bounds in global memory"),
    "04 right": ([UNGUARDED], "512", 0, "OK"),
    "04 wrong": ([UNGUARDED], "4096", 4, "WRONG"),
    "05": ([("            __syncwarp();\n", "")], "2^12", 4, "race in shared memory"),
    "06": ([("in[tile + i + tid]", "in[tile + tid * ELEMS + i / BLOCK]")], "2^16", 0,
           "sectors/request       32.00"),
    "07": ([("        for (unsigned delta = 16; delta > 0; delta /= 2)\n"
             "            sum += __shfl_down_sync(0xffffffff",
             "        for (unsigned delta = 16; delta > 0; delta /= 2)\n"
             "            sum += __shfl_down_sync(0xff")], "2^12", 4, "A lane must be in the mask"),
    "07 repaired": ([("        for (unsigned delta = 16; delta > 0; delta /= 2)\n"
                      "            sum += __shfl_down_sync(0xffffffff",
                      "        for (unsigned delta = 4; delta > 0; delta /= 2)\n"
                      "            sum += __shfl_down_sync(0xff"),
                     ("0xff, sum, delta)", "0xff, sum, delta, 8)"),
                     ("if (tid < 32)", "if (tid < 8)")], "2^12", 0, "OK"),
}


def edited(name, folder):
    """The step as the notes would have it, in a folder called like its own."""
    source = STEPS[name[:2]]
    text = source.read_text()
    for old, new in TRIES[name][0]:
        assert old in text
        text = text.replace(old, new)
    file = folder / name / source.parent.name / "main.cu"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return file


@pytest.fixture(scope="module")
def tries():
    """The folder of their programs, which are compiled as one."""
    def build_in(folder):
        compile_together([(f"{name}.program", edited(name, folder)) for name in TRIES],
                         folder / "together.cu", "-Wno-unused-variable", "-Icommon", "-DTYPE=int",
                         "-DBLOCK=256", *sorted((build() / "common").glob("*.o")))
    return once("tries-of-the-notes", build_in)


@pytest.mark.parametrize("name", TRIES)
def test_try_it(name, tries):
    """Edited as the notes say, the step shows what they hint at."""
    _, n, status, seen = TRIES[name]
    done = run(tries / f"{name}.program", "-n", n)
    assert done.returncode == status and seen in done.stdout + done.stderr, done.stderr

"""The texts, NOTES.md and the READMEs: the course's sections have their parts, tables and sentences
show what programs and data say, links lead somewhere, and what one is to try does what is said."""

import csv
import re
import shutil
from collections import Counter
from statistics import median

import pytest

from harness import (CSV_HEADER, DETOURS, ROOT, STEPS, assert_refused, build, compile_together,
                      golden, once, run)

from plots import table
from plots import tables_course as course
from plots import tables_engineer as engineer
from tutorial import bench_data, counter_data, notes, shape_data, side_data

FILES = table.FILES
TEXTS = {name: (ROOT / name).read_text() for name in FILES}
TEXT = TEXTS["NOTES.md"]
BLOCK = re.compile(r"^<!-- generated: (.*?) -->\n(.*?)^<!-- /generated -->\n", re.M | re.S)
BLOCKS = {name: block for text in TEXTS.values() for name, block in BLOCK.findall(text)}
PAIRS = list(zip(STEPS, list(STEPS)[1:]))


def rows_of(name):
    lines = (ROOT / "plots/data" / name).read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def measured():
    """The H200's rows; of a program that was measured with several types, those of the first."""
    rows, types = rows_of("h200.csv"), {}
    return [row for row in rows if types.setdefault(row["name"], row["type"]) == row["type"]]


def cells(line):
    return [cell.strip() for cell in line.strip().split("|")[1:-1]]


# ---- sections ----

def heading(step):
    return f"## Step {step}: {STEPS[step].parent.name[3:].replace('-', ' ')}\n"


def parts(step):
    """What a section consists of."""
    before = dict((new, old) for old, new in PAIRS).get(step)
    return ["**Before.** ", "**Idea.** ",
            f"<!-- generated: {f'diff {before} {step}' if before else f'kernel {step}'} -->",
            "**Predict.** ", "<details><summary>See what came</summary>",
            f"<!-- generated: step {step} -->", f"](plots/access-{STEPS[step].parent.name}.svg)",
            "**Now.** ", "</details>\n\n**Question.** ", "<details><summary>Answer</summary>",
            "**Try it.** ", "<details><summary>What comes</summary>"]


def test_sections_in_order():
    found = re.findall(r"^## Step (\d\d): ", TEXT, re.M)
    assert found == sorted(found)


@pytest.mark.parametrize("step", STEPS)
def test_section(step):
    """All its parts, in this order: before, idea, code, what to predict; folded, figures, picture
    and what they say; question with its answer, something to try with what comes of it."""
    want = parts(step)
    assert TEXT.count(heading(step)) == 1, (
        f"NOTES.md wants one section '{heading(step).strip()}' with, in this order, {want}; the "
        "generated ones end with <!-- /generated -->, and make table fills them; make access draws "
        "the picture")
    text = TEXT.split(heading(step))[1].split("\n## ")[0]
    places = [text.find(part) for part in want]
    assert places == sorted(places) and places[0] >= 0, (
        f"NOTES.md, step {step}: want in this order {want}")
    assert [text.count(part) for part in want] == [1] * len(want)
    _, answer, outcome = re.findall(r"</summary>\n\n(.*?)\n\n</details>", text, re.S)
    assert answer and outcome and "\n" not in outcome
    said = notes.parts(TEXT, step)
    assert all("?" in " ".join(said[label]) for label in ("Predict", "Question"))
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
    links = re.findall(r"\]\(([^)\s]+)\)", TEXTS[name])
    assert links
    for link in links:
        if not link.startswith("https://"):
            path, _, anchor = link.partition("#")
            target = (ROOT / name).parent / path if path else ROOT / name
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


# ---- what is generated: the code ----

@pytest.mark.parametrize("before, step", PAIRS)
def test_diff(before, step):
    """The lines removed and added lead from one program to the other."""
    lines = course.diff(None, before, step).splitlines()
    assert (lines[0], lines[-1]) == ("```diff", "```")
    old, new = (Counter(STEPS[key].read_text().split("*/\n", 1)[1].splitlines())
                for key in (before, step))
    removed = Counter(line[1:] for line in lines if line.startswith("-"))
    added = Counter(line[1:] for line in lines if line.startswith("+"))
    assert old - removed + added == new and not removed - old
    for line in lines[1:-1]:
        assert line[:1] in ("-", "+", " ", "") or re.fullmatch(r"@@ reduce(_block)? @@", line)


def test_kernel():
    kernel = course.kernel(None, "00").removeprefix("```cuda\n").removesuffix("```\n")
    assert kernel in STEPS["00"].read_text() and kernel.startswith("__global__")


# ---- what is generated: the figures ----

def frozen():
    """Data that no bench renews: round figures, so that a person can see what becomes of them."""
    bench = bench_data.load(ROOT / "tests/data/bench_small.csv")
    cub = bench.runs["cub", "int"]
    shape = shape_data.Shape
    shapes = shape_data.Shapes(
        {(type, n): {shape("group", 8, 256, 4): n * 1e-6, shape("wait", 16, 512, 2): 0.005}
         for type in ("int", "double") for n in (2**10, 2**14)},
        {("int", way): ms for way, ms in (("launch", 0.0027), ("trip", 0.0031), ("barrier", 0.0035),
                                          ("atomic", 0.0041))})
    runs = bench.runs | {("cub", "float"): cub, ("cub-atomic", "int"): {
        n: run._replace(ms=run.ms * (0.5 if n > 2**20 else 2)) for n, run in cub.items()}}
    runs[bench_data.BEST_CUB, "int"] = {n: min(run, runs["cub-atomic", "int"][n])
                                        for n, run in cub.items()}
    several = {("07", "int"): cub, ("single-pass", "int"): cub} | {
        (key, "int"): {n: run._replace(ms=run.ms / part) for n, run in cub.items()}
        for key, part in (("multi-gpu", 2), ("multi-gpu-mpi", 1.6))}
    write_up = {(key, "int"): {2**24: bench_data.Run(2**24, ms, 9, 9)} for key, ms in zip(
        engineer.WRITE_UP_0, (0.3, 0.15, 0.1))}
    trust = {(key, n, "cold"): [part * us / 1000 for us in (4, 2, 3)] for n in (2**10, 2**20)
             for key, part in (("07", 1), ("cub", 2), ("single-pass", 0.8))}
    tuning = {("step07", changed, n): [ms, 3 * ms] for n in (2**18, 2**20)
              for changed, ms in (("nothing", 0.01), ("ELEMS=4", 0.02), ("BLOCK=512", 0.005))}
    ideas = {("step00", "nothing"): 8, ("naive-coalesced", "nothing"): 1.6,
             ("naive-everywhere", "nothing"): 0.08, ("naive-everywhere", "COALESCED=1"): 0.032,
             ("step01", "nothing"): 0.16}
    times = {(*variant, n): [ms * n / 2**24] * 3 for variant, ms in ideas.items() for n in (
        2**10, 2**13, 24 * 1024, 2**16, 2**22, 2**24)}
    errors = {(n, kind): {name: 1e-7 * place for place, name in enumerate(
        ["loop", "step07", *engineer.SUMS], 1)}
        for n in (2**12, 2**13) for kind in ("uniform", "signed")}
    return table.Data(
        bench._replace(runs=runs, shapes=shapes), bench._replace(runs=runs),
        counter_data.load(ROOT / "tests/data/counters_small.csv"), bench._replace(runs=several),
        bench._replace(runs=write_up),
        {(key, metric): [value] for key in engineer.WRITE_UP_0 for metric, value in (
            ("instructions_per_warp", 100.5), ("global_load_throughput", 1.5e12),
            ("branch_efficiency_pct", 98.36))},
        trust, tuning, errors, side_data.Ideas(times, 1000),
        side_data.load_in_flight(ROOT / "tests/data/in-flight-bench_small.csv"),
        {"a": "race", "b": "race", "c": "note: x", "d": "nothing"},
        [{"name": name, "expect": "", **dict(zip(side_data.TOOLS, found))} for name, found in (
            ("a", ["found", "found", "-", "-"]), ("b", ["timeout"] * 4),
            ("d", ["-", "-", "-", "found"]))],
        ({"date": "2026-11-21", "commit": "0123abc", "packages": "gcc"}, [{"suite": "bookworm"}]),
        "| 4 | `reduce0` | [step 03](x) | - | 7 ms (2^24) |\n"
        "| 4 | `reduce1` | [step 03](x) | - | 7 GB/s (2^24) |\n"
        "| 4 | `reduce2` | [step 03](x) | - | 7 x step 02 (2^30) |\n| [step 03](x) | typed |\n")


def test_golden_tables():
    """Every table, of the frozen data; of the detours, which are many, three."""
    data, made = frozen(), []
    for name, make_block in table.blocks().items():
        if name.split()[0] not in ("kernel", "diff", "detours"):
            made.append(f"{name}\n\n{make_block(data)}")
    made += [repr(engineer.detour(data, key)) for key in ("cub", "grid-stride", "multi-gpu")]
    golden("tables.md", "\n".join(made) + "\n")


def test_order_of_the_detours():
    """Each has its row, in the order in which to read them."""
    names = re.findall(r"^\| \[(.*?)\]\(\1/main\.cu\)", engineer.detours(frozen()), re.M)
    assert sorted(names) == sorted(DETOURS)
    assert names.index("grid-stride") < names.index("cooperative-groups") < names.index("cub")


def test_kernels_of_the_write_ups():
    """All of them, each once."""
    rows = [cells(line) for line in BLOCKS["kernels"].splitlines()[2:]]
    assert {row[1].strip("`") for row in rows if row[0] == "4"} == {f"reduce{i}" for i in range(5)}
    assert {row[0] for row in rows} == set("01234") and len({tuple(row[:2]) for row in rows}) == 25


# ---- the sentences ----

BENCH = bench_data.load(ROOT / "plots/data/h200.csv")
TRUST = side_data.load_trust(ROOT / "plots/data/trust-h200.csv")
IN_FLIGHT = rows_of("in-flight-h200.csv")
TUNING = side_data.load_tuning(ROOT / "plots/data/tuning-h200.csv")
IDEAS = side_data.load_ideas(ROOT / "plots/data/ideas-h200.csv")


H100 = bench_data.load(ROOT / "plots/data/h100.csv")


def on_both():
    """Of both GPUs: how far the times of steps up to 05 are apart, what 2.2 MB in flight draw, and the
    share of the peak that steps 06 and 07 draw."""
    apart = [abs(H100.runs[step, "int"][2**30].ms / BENCH.runs[step, "int"][2**30].ms - 1)
             for step in ("00", "01", "02", "03", "04", "05")]
    drawn = [max(float(row["gb_per_s"]) for row in rows_of(name) if row["name"] == "reader" and
                 int(row["loads"]) * int(row["blocks"]) == 16) / gpu.peak
             for name, gpu in (("in-flight-h100.csv", H100), ("in-flight-h200.csv", BENCH))]
    (share,) = {f"{gpu.runs[step, 'int'][2**30].share:.0f}" for gpu in (H100, BENCH)
                for step in ("06", "07")}
    return [f"{100 * max(apart):.0f}", *(f"{100 * each:.0f}" for each in drawn), share]


def cub_ahead():
    """On the H100, with floats and doubles from 2^24 on, and nowhere by more."""
    ratios = {(type, n): bench_data.times_over(H100, type, n, "single-pass", bench_data.BEST_CUB)
              for type in bench_data.BYTES for n in H100.runs["single-pass", type]}
    assert all(ratio > 1 for (type, n), ratio in ratios.items() if type == "int" or n < 2**24)
    return [f"{100 * (1 - min(ratios.values())):.1f}"]


def us(key, power):
    return 1e3 * BENCH.runs[key, "int"][2**power].ms


def gb_per_s(name, loads=None, blocks=8):
    """What bench-in-flight found of the reader with so many loads, or of a step."""
    return next(float(row["gb_per_s"]) for row in IN_FLIGHT
                if (row["name"], row["blocks"], row["loads"]) == (name, str(blocks), str(loads or "")))


def trip():
    """From Little's law, and the bytes that the peak needs: (MB, GB/s, µs, peak, MB)."""
    megabytes, one = 256 * 132 * 4 / 1e6, gb_per_s("reader", 1, 1)
    return [f"{megabytes:.3f}", f"{one:.0f}", f"{1e3 * megabytes / one:.2f}", f"{BENCH.peak:.0f}",
            f"{BENCH.peak * megabytes / one:.1f}"]


def trip_of_bench():
    megabytes, one, us, _, enough = trip()
    return [us, one, megabytes, enough]


def queue():
    """The most that is read with 1.1, 2.2, 4.3, 8.7 MB in flight: GB/s, then shares of the peak, and
    the lowest and highest beyond."""
    most = {}
    for row in IN_FLIGHT:
        if row["name"] == "reader":
            under_way = int(row["loads"]) * int(row["blocks"])
            most.setdefault(under_way, []).append(float(row["gb_per_s"]))
    share = [f"{100 * max(most[count]) / BENCH.peak:.0f}" for count in (16, 32)]
    beyond = [100 * each / BENCH.peak for count in most if count >= 64 for each in most[count]]
    return [f"{max(most[8]):.0f}", *share, f"{min(beyond):.0f}", f"{max(beyond):.0f}"]


def of_the_reader():
    return [f"{100 * gb_per_s(step) / gb_per_s('reader', loads):.0f}"
            for step, loads in (("03", 1), ("05", 2), ("06", 16), ("07", 16))]


def float_order():
    """How many sums there were, and which."""
    rows = rows_of("float-order-h200.csv")
    rows = rows[:18]
    runs, fixed = ([row for row in rows if row["name"] == name]
                   for name in ("atomic-finish", "deterministic-float"))
    sums = sorted({row["result"] for row in runs}, key=float)
    (one,), (expected,) = {row["result"] for row in fixed}, {row["expected"] for row in rows}
    assert {row["n"] for row in rows} == {str(2**24)}
    return [str(len(runs)), str(len(sums)), sums[0], sums[-1], one,
            ", ".join(row["block"] for row in fixed[:-1]), fixed[-1]["block"], expected]


def three_runs():
    """Step 07 in the runs of the bench, of bench-trust and of bench-tuning."""
    return [f"{each:.2f}" for power in (22, 24, 26) for each in (
        us("07", power), 1e3 * median(TRUST["07", 2**power, "cold"]),
        1e3 * median(TUNING["step07", "nothing", 2**power]))]


def hot_over_cold():
    return [f"{median(TRUST['07', 2**power, 'hot']) / median(TRUST['07', 2**power, 'cold']):.2f}"
            for power in (20, 22, 24, 26)]


def processes_differ():
    """By how much at most, in percent."""
    return [f"{max(100 * max(ms) / min(ms) - 100 for ms in TRUST.values()):.1f}"]


def two_sittings():
    """By how much the fastest shape at 2^30 was faster than single-pass in the bench, in percent."""
    fastest = 1e3 * min(BENCH.shapes.shapes["int", 2**30].values())
    return [f"{100 * us('single-pass', 30) / fastest - 100:.1f}"]


def extremes(values, form):
    return [format(min(values), form), format(max(values), form)]


def fact(gpu, column):
    """What simt/README's table of devices, which test_device.py holds against the sources, says."""
    head, *rows = [cells(line) for line in (ROOT / "simt/README.md").read_text().splitlines()
                   if line.startswith("| name | GPU |") or line.startswith(f"| `{gpu}` |")]
    return int(rows[0][head.index(column)])


def over_cub():
    """The geometric means, as the table has them, of single-pass and of step 07."""
    rows = [cells(line) for line in BLOCKS["cub"].splitlines()[2:]]
    return [figure for name in ("single-pass", "step 07") for figure in
            extremes([float(row[-1]) for row in rows if row[0].endswith(f" {name}")], ".2f")]


def over_two_kernels():
    """The least and most of single-pass's time over that of two-kernels: 2^16 to 2^22, 2^24, beyond."""
    over = {(type, power): bench_data.times_over(BENCH, type, 2**power, "single-pass", "two-kernels")
            for type in bench_data.BYTES for power in range(16, 31, 2)}
    at = [[1 / ratio for (_, power), ratio in over.items() if power in powers]
          for powers in ((16, 18, 20, 22), (24,), (26, 28, 30))]
    return [*extremes(at[0], ".2f"), *extremes(at[1], ".2f"),
            format(max(abs(100 * ratio - 100) for ratio in at[2]), ".0f")]


def reproducible_over_cub():
    """How many times as fast deterministic-float is as CUB with and without that guarantee."""
    found = []
    for key, form in ("cub-reproducible", ".1f"), ("cub", ".2f"):
        ratios = [bench_data.times_over(BENCH, "float", n, "deterministic-float", key)
                  for n in bench_data.runs(BENCH, "float", key)]
        found += extremes(ratios, form)
    return found


def over_the_trips():
    """From 2^24 on, and at 2^14, where it is most."""
    over = {(type, n): run.ms / bench_data.trips_ms(BENCH, type, n) for type in bench_data.BYTES
            for n, run in bench_data.runs(BENCH, type, "single-pass").items()}
    widest = [over[type, 2**14] for type in bench_data.BYTES]
    assert max(widest) == max(over.values())
    return [*extremes([ratio for (_, n), ratio in over.items() if n >= 2**24], ".2f"),
            *extremes(widest, ".2f")]


def two_gpus(name, n=2, column="median_ms"):
    """Microseconds of a program on the machine with two of them."""
    return next(1e3 * float(row[column]) for row in rows_of("2x-h200.csv")
                if (row["name"], row["n"]) == (name, str(n)))


def others_ahead():
    """Where single-pass is not the fastest: at how many places of how many, and by how much at most."""
    ratios = [run.ms / min(bench_data.run(BENCH, type, key, n).ms or run.ms
                           for key in bench_data.measured(BENCH, type))
              for type in bench_data.BYTES
              for n, run in bench_data.runs(BENCH, type, "single-pass").items()]
    return [str(sum(ratio > 1 for ratio in ratios)), str(len(ratios)), f"{100 * max(ratios) - 100:.1f}"]


def without_work():
    """What adding up the sums of two GPUs costs."""
    nccl, alone = two_gpus("multi-gpu"), two_gpus("warp-shuffle")
    assert two_gpus("multi-gpu", 2**20) / 2 < nccl - alone
    return [f"{nccl - alone:.1f}"]


def idea(n, name, changed="nothing"):
    """Milliseconds."""
    return median(IDEAS.times[name, changed, n])


def waiting(n, elems, loads, guard=0):
    return idea(n, "waiting-loads", f"ELEMS={elems}+LOADS={loads}+GUARD={guard}")


def reader(loads, blocks):
    """GB/s."""
    row, = (row for row in rows_of("in-flight-h200.csv")
            if (row["name"], row["loads"], row["blocks"]) == ("reader", str(loads), str(blocks)))
    return f"{float(row['gb_per_s']):.0f}"


def rate(ms):
    """GB/s at 2^30."""
    return f"{2**32 / ms / 1e6:.0f}"


def coalesced(n):
    return idea(n, "naive-everywhere", "COALESCED=1")


# (file, a sentence with its figures in groups, what they are by the data)
SENTENCES = [
    ("README.md", r"below 2\^22 that of (\d+) process", lambda: [BENCH.meta["processes"]]),
    ("README.md", r"loads on all multiprocessors takes ([\d.]+) ms at 2\^24, and is faster than step 05: the "
     r"tree costs a factor of ([\d.]+),",
     lambda: [f"{coalesced(2**24):#.3g}", f"{idea(2**24, 'step01') / coalesced(2**24):.1f}"]),
    ("README.md", r"Step 03, for instance, .*? is ([\d.]+) times as fast",
     lambda: [f"{us('02', 30) / us('03', 30):.1f}"]),
    ("NOTES.md", r"\*\*multiprocessors\*\*, an H200 of (\d+)\.",
     lambda: [str(fact("h200", "multiprocessors"))]),
    ("NOTES.md", r"the L2 cache of an H200 has (\d+) ", lambda: [str(fact("h200", "L2, KiB") // 1024)]),
    ("bench/README.md", r"work for 32 of the (\d+) multiprocessors",
     lambda: [str(fact("h200", "multiprocessors"))]),
    ("bench/README.md", r"is the median of (\d+) processes", lambda: [BENCH.meta["processes"]]),
    ("bench/README.md", r"The hot time is ([\d.]+) of the cold one at 2\^20 and ([\d.]+) at 2\^22\. "
     r".*? the ratio is ([\d.]+) and ([\d.]+)\.", hot_over_cold),
    ("bench/README.md", r"it differs by up to ([\d.]+) %", processes_differ),
    ("bench/README.md", r"takes at 2\^30 was ([\d.]+) % faster", two_sittings),
    ("bench/README.md", r"over all n, CUB takes ([\d.]+) to ([\d.]+) times as long as `single-pass`, "
     r"and ([\d.]+) to ([\d.]+) times as long as step 07", over_cub),
    ("bench/README.md", r"takes ([\d.]+) to ([\d.]+) of the time of `two-kernels` from 2\^16 to "
     r"2\^22, ([\d.]+) to ([\d.]+) at 2\^24, and from 2\^26 on as long, to (\d+) %", over_two_kernels),
    ("bench/README.md", r"as many multiprocessors, and ([\d.]+) of the bandwidth",
     lambda: [f"{H100.peak / BENCH.peak:.2f}"]),
    ("bench/README.md", r"Up to step 05 both take the same time\*\*, to (\d+) %: .*? 2\.2 MB draw (\d+) % "
     r"instead of (\d+)\. From step 06 on each GPU gives (\d+) % of its own peak", on_both),
    ("bench/README.md", r"CUB is ahead of `single-pass` by ([\d.]+) % at most: no reason", cub_ahead),
    ("detours/README.md", r"([\d.]+) to ([\d.]+) times as fast as `cub-reproducible`, and ([\d.]+) to "
     r"([\d.]+) times as fast as `cub`", reproducible_over_cub),
    ("bench/README.md", r"takes ([\d.]+) to ([\d.]+) times this limit from 2\^24 on\. .*? at 2\^14, "
     r"([\d.]+) to ([\d.]+), where", over_the_trips),
    ("bench/README.md", r"at (\d+) of these (\d+) places another program is ahead, by ([\d.]+) % at most",
     others_ahead),
    ("NOTES.md", r"multiprocessor, has ([\d.]+) MB in flight and draws (\d+) GB/s\. So a trip to memory "
     r"takes ([\d.]+) µs, and the peak of (\d+) GB/s needs ([\d.]+) MB", trip),
    ("bench/README.md", r"A trip takes ([\d.]+) µs: (\d+) GB/s with ([\d.]+) MB\. Little's line meets the "
     r"peak at ([\d.]+) MB", trip_of_bench),
    ("NOTES.md", r"So 2\.2 MB in flight draw (\d+) % of the peak, and 8\.7 MB are needed for (\d+) %",
     lambda: [queue()[1], queue()[3]]),
    ("bench/README.md", r"queue long before that: (\d+) GB/s at 1\.1 MB, (\d+) % of the "
     r"peak at 2\.2 MB, (\d+) % at 4\.3 MB, and from 8\.7 MB on (\d+) to (\d+) %", queue),
    ("bench/README.md", r"03 draws (\d+) %, step 05 (\d+) %, step 06 (\d+) % and step 07 (\d+) %",
     of_the_reader),
    ("NOTES.md", r"takes ([\d.]+) µs at 2\^12, .*? and ([\d.]+) µs at 2\^14, .*? costs ([\d.]+) "
     r"µs\.", lambda: [f"{us('07', 12):.2f}", f"{us('07', 14):.2f}", f"{us('07', 14) - us('07', 12):.2f}"]),
    ("NOTES.md", r"(\d+) runs of `atomic-finish` over the same 2\^24 floats gave (\d+) different "
     r"sums, from (\d+) to (\d+)\. `deterministic-float` gave (\d+) with blocks of ([\d, ]+) and "
     r"(\d+)\. The sum in double is (\d+)\.", float_order),
    ("bench/README.md", r"step 07 took ([\d.]+), ([\d.]+) and ([\d.]+) µs at 2\^22, ([\d.]+), "
     r"([\d.]+) and ([\d.]+) µs at 2\^24, and ([\d.]+), ([\d.]+) and ([\d.]+) µs at 2\^26\.",
     three_runs),
    ("bench/README.md", r"each other cost ([\d.]+) µs: with two elements", without_work),
    ("bench/README.md", r"the highest of all is ([\d.]+) % of it",
     lambda: [f"{max(run.share for runs in BENCH.runs.values() for run in runs.values()):.1f}"]),
    ("NOTES.md", r"(\d+) % of the theoretical bandwidth are used; twice as fast would be (\d+) %",
     lambda: [f"{times * BENCH.runs['07', 'int'][2**30].share:.0f}" for times in (1, 2)]),
    ("NOTES.md", r"coalescing still makes the loop ([\d.]+) times as fast\. The tree \*costs\* a factor "
     r"of ([\d.]+):", lambda: [f"{idea(2**24, 'naive-everywhere') / coalesced(2**24):.1f}",
                               f"{idea(2**24, 'step01') / coalesced(2**24):.1f}"]),
    ("NOTES.md", r"fewer trees make it ([\d.]+) times as fast, and 16 loads in flight instead of two "
     r"another ([\d.]+) times\.",
     lambda: [f"{waiting(2**26, 2, 2, guard=1) / waiting(2**26, 16, 2, guard=1):.2f}",
              f"{waiting(2**26, 16, 2) / waiting(2**26, 16, 16):.2f}"]),
    ("bench/README.md", r"step 00 takes ([\d.]+) of its time at 2\^24",
     lambda: [f"{idea(2**24 + 2**10, 'step00') / idea(2**24, 'step00'):.2f}"]),
    ("bench/README.md", r"the block then needs ([\d.]+) µs for a trip",
     lambda: [f"{1e3 * idea(2**24, 'naive-coalesced') / (2**24 / 1024 / 4):.2f}"]),
    ("bench/README.md", r"everywhere` reaches (\d+) GB/s at 2\^30; .*? has (\d+) GB/s with as many",
     lambda: [rate(coalesced(2**30)), reader(loads=4, blocks=4)]),
    ("bench/README.md", r"`waiting-loads` reaches (\d+), (\d+) and (\d+) GB/s at 2\^30; .*? reaches "
     r"(\d+), (\d+) and (\d+) GB/s\. .*? reaches (\d+) GB/s:",
     lambda: [*(rate(waiting(2**30, 16, loads)) for loads in (1, 2, 4)),
              *(reader(loads, blocks=8) for loads in (1, 2, 4)), rate(idea(2**30, "step05"))]),
]


@pytest.mark.parametrize("name, sentence, figures", SENTENCES)
def test_sentence(name, sentence, figures):
    found = re.findall(sentence, prose(name))
    assert len(found) == 1, f"{name} has no sentence: {sentence}"
    groups = [found[0]] if isinstance(found[0], str) else list(found[0])
    assert groups == figures(), f"{name}: by the data they are {figures()}"


def prose(name):
    """A text without what is generated, tables and output of programs, in one line."""
    text = BLOCK.sub("", TEXTS[name])
    return " ".join(re.sub(r"^```.*?^```$|^\|.*?$", "", text, flags=re.M | re.S).split())


def test_length():
    """Two lessons: at most 4,200 words, captions not counted."""
    text = re.sub(r"!\[.*?\]\(\S*\)|</?details>|<summary>.*?</summary>", "", prose("NOTES.md"))
    assert len(text.split()) <= 4200


@pytest.mark.parametrize("name", FILES)
def test_no_other_figure_is_typed(name):
    """Times and bandwidths stand in generated blocks, or in a sentence above."""
    text = prose(name)
    for each, sentence, _ in SENTENCES:
        text = re.sub(sentence, "", text) if each == name else text
    figure = r"[\d.]+[ \u00a0]?(?:ms|µs|us|ns|[GT]B/s|microseconds|times as fast)\b"
    assert re.findall(figure, text) == []


# ---- other data ----

def test_peak_of_one_among_several():
    """In a file of several GPUs a row of one is held against the peak of one."""
    runs = bench_data.load(ROOT / "plots/data/2x-h200.csv").runs
    several, one = (runs[key, "int"][2**31] for key in ("multi-gpu", "07"))
    assert one.share / several.share == pytest.approx(2 * several.ms / one.ms, rel=0.001)


def test_when_two_pay():
    for power, ahead in {22: "", 24: "07", 25: "07 single-pass"}.items():
        runs = bench_data.load(ROOT / "plots/data/2x-h200.csv").runs
        two, *one = (runs[key, "int"][2**power].ms for key in ("multi-gpu", "07", "single-pass"))
        assert [two < ms for ms in one] == [key in ahead for key in ("07", "single-pass")]
        for key in "multi-gpu-peer", "multi-gpu-mpi":
            for alone, n in ("07", 2**25), ("single-pass", 2**26):
                assert runs[key, "int"][n // 2].ms > runs[alone, "int"][n // 2].ms
                assert runs[key, "int"][n].ms < runs[alone, "int"][n].ms
    for n in 2**28, 2**30, 2**31:
        times = [two_gpus(name, n) for name in ("multi-gpu", "multi-gpu-peer", "multi-gpu-mpi")]
        assert max(times) < 1.02 * min(times)


# ---- the measuring ----

def test_no_bandwidth_exceeds_the_peak():
    for path in (ROOT / "plots/data").glob("*h200*.csv"):
        for row in rows_of(path.name):
            if row.get("pct_of_peak"):
                assert float(row["pct_of_peak"]) < 100 and row["verified"] == "yes", (path, row)


def test_every_bench_has_its_row():
    """In the table of how to measure again, with the file that it wrote."""
    rows = re.findall(r"^\| `make (bench.*?)` \|.*\| (\S+) \|$", TEXTS["bench/README.md"], re.M)
    benches, = re.findall(r"^BENCHES +:= (.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert sorted(name for name, _ in rows) == sorted(benches.split())
    assert all((ROOT / "plots/data" / file).exists() for _, file in rows)


def without(words):
    return lambda text: "".join(line for line in text.splitlines(True) if words not in line)


def test_what_detours_take():
    """What detours/README.md says in words, against the steps."""
    def over(name, step, power):
        return us(name, power) / us(step, power)
    spread, tree = idea(2**24, "naive-everywhere"), idea(2**24, "step01")
    assert spread == pytest.approx(idea(2**24, "step05"), rel=0.05) and 4 < tree / spread < 4.5
    assert over("naive-coalesced", "00", 24) == pytest.approx(1 / 5, rel=0.05)
    for step, name in ("01", "neighbored-pairs"), ("02", "strided-index"), ("03", "sequential"):
        assert 0.99 < over(f"global-{name}", step, 24) < 1 + 1 / 5.9
    for name in "vector-loads", "unrolled-tree", "warp-redux":
        assert all(0.97 < over(name, "07", power) < 1.01 for power in (24, 26, 28, 30))
    slower = {name: [power for power in range(14, 31, 2) if over(name, "07", power) > 1]
              for name in ("atomic-finish", "cooperative-groups", "cluster")}
    assert slower == {"atomic-finish": [28, 30], "cooperative-groups": [18, 20, 22, 24, 26, 28, 30],
                      "cluster": [16, 18, 20, 22, 24, 26, 28, 30]}


def test_banks():
    """Step 00 waits as many cycles as words lie in a bank, or a few more."""
    for *_, shared, took in map(cells, BLOCKS["ideas banks"].splitlines()[2:]):
        assert int(shared) <= float(took) < max(1.1 * int(shared), int(shared) + 18)


def test_from_05_to_06():
    """What bench/README.md says, at all sizes."""
    for n in 2**24, 2**26, 2**30:
        ms = {key: waiting(n, *key) for key in (
            (2, 2), (2, 2, 1), (16, 1), (16, 1, 1), (16, 2), (16, 16), (16, 16, 1))}
        assert 1.01 < ms[2, 2] / ms[2, 2, 1] < 1.03            # a guard earns
        assert 1.00 < ms[16, 1, 1] / ms[16, 1] < 1.025         # costs
        assert ms[16, 16, 1] == pytest.approx(ms[16, 16], rel=0.005)
        assert 1.02 < idea(n, "step05") / ms[2, 2, 1] < 1.045
        assert idea(n, "step06") == pytest.approx(ms[16, 16], rel=0.01)
        assert 0.87 < ms[16, 1] / idea(n, "step05") < 1


BAD = [("ideas-h200.csv", lambda text: text.replace(",16777216,", ",x,", 1), r":\d+: n is 'x'"),
       ("trust-h200.csv", lambda text: text.replace(",yes", ",no", 1), r":\d+: verified is 'no'"),
       ("trust-h200.csv", lambda text: text.replace(",cold", ",warm", 1), r":\d+: cache is 'warm'"),
       ("trust-h200.csv", without(",cub,"), r"trust-h200\.csv: has no row of cub 1024 cold"),
       ("tuning-h200.csv", lambda text: text.replace(",262144,", ",x,", 1), r":\d+: n is 'x'"),
       ("tuning-h200.csv", lambda text: text.replace("median_ms", "ms"),
        r":\d+: columns missing: median_ms"),
       ("tuning-h200.csv", without("nothing"), "has no row of step07 nothing 262144"),
       ("write-up-0-nsight-h200.csv", lambda text: text[:-4], r":\d+: ends without a newline"),
       ("write-up-0-nsight-h200.csv", without("branch"),
        "has no row of global-neighbored-pairs branch_efficiency_pct"),
       ("2x-h200.csv", without(",multi-gpu,"), r"2x-h200\.csv: has no row of multi-gpu \(int\)")]


@pytest.fixture
def data(tmp_path, monkeypatch):
    """The folder of the data that make table reads, which a test may change."""
    shutil.copytree(ROOT / "plots/data", tmp_path / "plots/data")
    (tmp_path / "simt").mkdir()
    for folder in "tests", "simt/tests":
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.setattr(table, "ROOT", str(tmp_path))
    return tmp_path / "plots/data"


def test_lines_of_origin(data, capsys):
    """In front of any measured file; they change nothing."""
    for path in data.glob("*-h200.csv"):
        path.write_text("# gpu: NVIDIA H200\n# date: 2026-11-21\n" + path.read_text())
    files = [str(ROOT / name) for name in FILES]
    assert (table.main(["--check", *files]), *capsys.readouterr()) == (0, "", "")


@pytest.mark.parametrize("name, change, why", BAD)
def test_bad_measurements(data, tmp_path, capsys, name, change, why):
    """The table's script writes nothing and says in one line what is wrong where."""
    for file in FILES:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    (data / name).write_text(change((data / name).read_text()))
    assert table.main([]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1) and re.search(why, err), err
    assert (tmp_path / "NOTES.md").read_text() == TEXT


VARIANTS = {"step07/nothing": "", "step07/ELEMS=8": "ELEMS=8", "step07/BLOCK=128": "BLOCK=128",
            "single-pass/TILES=16": "TILES=16", "naive-everywhere/COALESCED=1": "COALESCED=1",
            "waiting-loads/ELEMS=2+LOADS=2+GUARD=1": "ELEMS=2 GUARD=1 LOADS=2"}


def call_variants(folder, make, *variants):
    """Builds and measures them as run.sh does."""
    return run("bash", "-c", """set -euo pipefail
        . make/csv.sh; . bench/variants.sh; folder=$1 make=$2; shift 2
        build_variants "$folder" "$make" "$@"
        measure_variants "$folder" "1000 2000" "$@\"""", "bash", folder, make, *variants, cwd=ROOT)


def test_variants_are_what_they_are_called(tmp_path):
    """With a make that writes down what stands in the copy that it is to build."""
    fake = tmp_path / "make"
    fake.write_text("""#!/usr/bin/env bash
copy=$2 name=${!#}
{ [ $# -eq 3 ] || echo "$3"
  diff "$PWD"/*/*"${name#step}"*/main.cu $copy/*/*"${name#step}"*/main.cu |
    sed -nE 's/^> (#define|enum \\{) ([A-Z]+)( =)? +([0-9]+)( .*)?$/\\2=\\4/p'; } >"$copy/found"
echo "echo CSV_HEADER; echo '0,x,,cuda,gpu,int,256,'\\$2',9,cold,0.5,0.4,0.6,1,1,1,1,yes'" >$copy/$name
chmod +x $copy/$name
""".replace("CSV_HEADER", CSV_HEADER))
    fake.chmod(0o755)
    done = call_variants(tmp_path / "copies", fake, *VARIANTS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"{variant.replace('/', ',')},{n},0.5,0.4,0.6" for n in (1000, 2000) for variant in VARIANTS]
    for variant, changed in VARIANTS.items():
        found = (tmp_path / "copies" / variant.replace("/", "-") / "found").read_text()
        assert found.split() == changed.split()
    fake.write_text("#!/bin/sh\nexit 1\n")
    assert_refused(call_variants(tmp_path / "copies", fake, "step07/nothing"), 1, "a build failed")
    done = call_variants(tmp_path / "copies", "true", "step07/LOADS=2")
    assert done.returncode == 1 and "step07 has no constant LOADS\n" in done.stderr


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

"""NOTES.md is the course: every section has its parts, what it shows is what the programs and the
data say, its links lead somewhere, and its exercises do what they promise."""

import csv
import re
import shutil
import sys
from collections import Counter
from statistics import median

import pytest

from conftest import ROOT, STEPS, assert_refused, build, run

from plots import block_reading
from plots import block_write_ups
from tutorial import notes
from tutorial import programs
from tutorial import side_data
from plots import table
from tutorial.files import BadData

TEXT = (ROOT / "NOTES.md").read_text()
README = (ROOT / "README.md").read_text()
BLOCK = re.compile(r"^<!-- generated: (.*?) -->\n(.*?)^<!-- /generated -->\n", re.M | re.S)
BLOCKS = dict(BLOCK.findall(TEXT))
PAIRS = list(zip(STEPS, list(STEPS)[1:]))


def rows_of(name):
    lines = (ROOT / "plots/data" / name).read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def measured():
    """The H200's rows; of a program that was measured with several types, those of int."""
    rows = rows_of("h200.csv")
    ints = {row["name"] for row in rows if row["type"] == "int"}
    return [row for row in rows if row["type"] == "int" or row["name"] not in ints]


def cells(line):
    return [cell.strip() for cell in line.strip().split("|")[1:-1]]


# ---- sections ----

def section(step):
    folder = STEPS[step].parent.name
    heading = f"## Step {step}: {folder[3:].replace('-', ' ')}\n"
    assert TEXT.count(heading) == 1, heading
    return TEXT.split(heading)[1].split("\n## ")[0]


def test_sections_in_order():
    found = re.findall(r"^## Step (\d\d): ", TEXT, re.M)
    assert found == list(STEPS)


@pytest.mark.parametrize("step", STEPS)
def test_section(step):
    """All its parts, in this order: before, idea, code, picture, figures, question, exercise."""
    text, folder = section(step), STEPS[step].parent.name
    before = dict((new, old) for old, new in PAIRS).get(step)
    parts = ["**Before.** ", "**Idea.** ",
             f"<!-- generated: {f'diff {before} {step}' if before else f'kernel {step}'} -->",
             f"](plots/access-{folder}.svg)", f"<!-- generated: step {step} -->", "**Now.** ",
             "**Question.** ", "**Exercise.** ", "<details><summary>Answer</summary>"]
    assert [text.count(part) for part in parts] == [1] * len(parts)
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    answer = re.search(r"</summary>\n\n(.*?)\n\n</details>", text, re.S)[1]
    assert answer and "\n" not in answer
    question = notes.question(TEXT, step)
    assert question and "?" in question and "generated" not in question
    assert f"make step{step} BACKEND=cpu && ./step{step} -n " in " ".join(text.split())


def test_nothing_is_left_open():
    assert not re.search(r"to come|TODO|MEASURED", TEXT)


def test_no_figure_is_typed():
    """Times and bandwidths stand in generated blocks."""
    prose = BLOCK.sub("", TEXT)
    assert re.findall(r"\d[ \u00a0]?(?:ms|µs|us|ns|[GT]B/s|microseconds|times as fast)\b", prose) == []


def test_lines_fit():
    for number, line in enumerate(BLOCK.sub("", TEXT).splitlines(), 1):
        assert len(line) <= 100 or re.search(r"https?://|^!\[|^\|", line) or "<" in line, line


# ---- links ----

def anchors(path):
    """As GitHub makes them from headings."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", ["NOTES.md", "README.md"])
def test_links(name):
    links = re.findall(r"\]\(([^)\s]+)\)", (ROOT / name).read_text())
    assert len(links) > 10
    for link in links:
        if not link.startswith("https://"):
            path, _, anchor = link.partition("#")
            target = ROOT / (path or name)
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


# ---- what is generated: the code ----

@pytest.mark.parametrize("before, step", PAIRS)
def test_diff(before, step):
    """The lines removed and added lead from one program to the other."""
    lines = BLOCKS[f"diff {before} {step}"].splitlines()
    assert (lines[0], lines[-1]) == ("```diff", "```")
    old, new = (Counter(STEPS[key].read_text().split("*/\n", 1)[1].splitlines())
                for key in (before, step))
    removed = Counter(line[1:] for line in lines if line.startswith("-"))
    added = Counter(line[1:] for line in lines if line.startswith("+"))
    assert old - removed + added == new and removed <= old
    for line in lines[1:-1]:
        assert line[:1] in ("-", "+", " ", "") or re.fullmatch(r"@@ reduce(_block)? @@", line)


def test_kernel():
    kernel = BLOCKS["kernel 00"].removeprefix("```cuda\n").removesuffix("```\n")
    assert kernel in STEPS["00"].read_text() and kernel.startswith("__global__")


# ---- what is generated: the figures ----

def counted(step, space, ops, column):
    rows = [row for row in rows_of("counters.csv")
            if (row["step"], row["space"]) == (step, space) and row["op"] in ops]
    return sum(int(row[column] or 0) for row in rows)


def expected_figures(step):
    loads = counted(step, "global", ["load"], "requests")
    shared, lanes, wavefronts = (counted(step, "shared", ["load", "store"], column)
                                 for column in ("requests", "lanes", "wavefronts"))
    launches = {row["launch"] for row in rows_of("counters.csv") if row["step"] == step}
    found = {"launches": str(len(launches)), "global load requests": f"{loads:,}",
             "sectors/request": f"{counted(step, 'global', ['load'], 'sectors') / loads:.1f}",
             "shared requests": f"{shared:,}", "wavefronts": f"{wavefronts:,}",
             "bank conflicts": f"{wavefronts - shared:,}", "lanes/request": f"{lanes / shared:.1f}"}
    for op, label in (("syncthreads", "warps at `__syncthreads`"), ("shuffle", "shuffles by warps"),
                      ("syncwarp", "warps at `__syncwarp`")):
        found[label] = f"{counted(step, 'sync', [op], 'requests'):,}"
    for row in measured():
        if row["step"] == step and row["n"] in (str(2**24), str(2**30)):
            n = f"2^{int(row['n']).bit_length() - 1}"
            found[f"**{n}: ms**"] = f"{float(row['median_ms']):#.4g}"
            found[f"{n}: GB/s"] = f"{float(row['gb_per_s']):.0f}"
    return found


@pytest.mark.parametrize("before, step", [(None, "00"), *PAIRS])
def test_step_table(before, step):
    lines = BLOCKS[f"step {step}"].splitlines()
    shown = [name for name in (before, step) if name]
    assert cells(lines[0])[1:len(shown) + 1] == [f"step {name}" for name in shown]
    expected = [expected_figures(name) for name in shown]
    labels = []
    for label, *figures in map(cells, lines[2:]):
        labels.append(label)
        assert figures[:len(shown)] == [figure[label] for figure in expected], label
        if before and figures[2:] != [""]:
            old, new = (float(figure.replace(",", "")) for figure in figures[:2])
            factor = new / old if figures[2][0] == "×" else old / new
            assert factor > 1 and float(figures[2][2:]) == pytest.approx(factor, rel=0.1)
    left_out = set(expected[0]) - set(labels)
    assert all(figure[label] == "0" for figure in expected for label in left_out)


def test_step_table_says_what_changed():
    """Where the notes speak of a change, the table has it."""
    for step, label, change in (("01", "sectors/request", "÷ 8"), ("02", "wavefronts", ""),
                                ("06", "warps at `__syncthreads`", "÷ 7.99")):
        line = next(line for line in BLOCKS[f"step {step}"].splitlines() if f"| {label} " in line)
        assert line.rstrip(" |").endswith(change) and bool(change) == bool(re.search("[÷×]", line))


@pytest.mark.parametrize("text", [README, TEXT], ids=["README", "NOTES"])
def test_detours(text):
    """Every detour has its row, with what its program says of itself and what was measured."""
    ms = {row["name"]: float(row["median_ms"]) for row in measured() + rows_of("2x-h200.csv")
          if row["n"] == str(2**24)}
    step07 = {row["type"]: float(row["median_ms"]) for row in rows_of("h200.csv")
              if (row["name"], row["n"]) == ("warp-shuffle", str(2**24))}
    rows = [cells(line) for line in dict(BLOCK.findall(text))["detours"].splitlines()[2:]]
    names = [re.fullmatch(r"\[(.*)\]\(detours/\1/main\.cu\)", row[0])[1] for row in rows]
    assert sorted(names) == sorted(path.name for path in (ROOT / "detours").iterdir())
    for name, (_, when, shows, time, over) in zip(names, rows):
        source = " ".join((ROOT / f"detours/{name}/main.cu").read_text().replace("\n *", "").split())
        assert f"{shows[1:]}. " in source
        assert when == "-" or f"Read it {when}" in source
        assert ("Read it " in source) == (when != "-"), name
        assert time.split()[0] == (f"{ms[name]:#.4g}" if name in ms else "-")
        base = step07["float" if "float" in time else "int"]
        assert over == (f"{base / ms[name]:.2f}" if name in ms else "-")
    assert names.index("grid-stride") < names.index("cooperative-groups") < names.index("cub")


def test_write_up_0():
    """Its figures as it prints them, ours as they were measured."""
    found = {(re.match(r"\[(.*?)\]", row[0])[1], row[1]): row[2:]
             for row in map(cells, BLOCKS["write-up-0"].splitlines()[4:])}
    assert found["global-sequential", "RTX 3080"] == ["0.2660", "2.10", "-", "467", "98.36"]
    for row in rows_of("write-up-0-h200.csv"):
        if row["n"] == str(2**24):
            metrics = side_data.load_nsight(
                ROOT / "plots/data/write-up-0-nsight-h200.csv", [row["name"]], [])[row["name"]]
            ours = found[row["name"], "NVIDIA H200"]
            assert ours[0] == f"{float(row['median_ms']):.4f}"
            assert ours[2] == f"{metrics['instructions_per_warp']:.2f}"
            assert ours[4] == f"{metrics['branch_efficiency_pct']:.2f}"


def test_every_kernel_of_the_write_ups_has_a_place():
    kernels = [(kernel.write_up, kernel.name.strip("`")) for kernel in block_write_ups.KERNELS]
    assert len(set(kernels)) == len(kernels) and {number for number, _ in kernels} == set(range(5))
    assert {name for number, name in kernels if number == 4} == {f"reduce{i}" for i in range(5)}
    ours = {(row["name"], int(row["n"])): float(row["median_ms"]) for row in measured()}
    for kernel, line in zip(block_write_ups.KERNELS, BLOCKS["kernels"].splitlines()[2:]):
        assert all(f"({programs.get(key).path})" in line for key in kernel.places)
        if kernel.ours and len(kernel.ours) == 2 and "GB/s" not in kernel.theirs:
            key, n = kernel.ours
            name = STEPS[key].parent.name[3:] if key in STEPS else key
            assert f"| {ours[name, n]:#.3g} ms (2^{n.bit_length() - 1}) |" in line


def test_turnaround():
    """Little's law, turned around: bytes under way / bandwidth."""
    gb_per_s = {row["step"] or row["name"]: float(row["gb_per_s"]) for row in measured()
                if row["n"] == str(2**30)}
    for line in BLOCKS["turnaround"].splitlines()[2:]:
        name, loads, megabytes, _, us = cells(line)
        under_way = 132 * 2048 * int(loads) * 4
        assert megabytes == f"{under_way / 1e6:.1f}"
        assert us == f"{under_way / gb_per_s[name.split()[0]] / 1e3:.1f}"


def test_small_n():
    ms = {(row["name"], row["n"]): float(row["median_ms"]) for row in measured()}
    for line in BLOCKS["small-n"].splitlines()[2:]:
        n, _, limit, _, *times, ratio = cells(line)
        n = str(2**int(n[2:]))
        expected = [ms[name, n] for name in ("warp-shuffle", "cub", "single-pass")]
        assert list(map(float, times)) == pytest.approx([1e3 * time for time in expected], abs=0.06)
        assert float(limit) < min(map(float, times))
        assert float(ratio) == pytest.approx(float(times[2]) / float(limit), abs=0.01)


# ---- other data ----

def test_float_order(tmp_path):
    file = tmp_path / "float-order.csv"
    rows = ["atomic-finish,256,1024,8.25,8.5", "atomic-finish,256,1024,8.75,8.5",
            "atomic-finish,256,1024,8.25,8.5", "deterministic-float,32,1024,8.5,8.5",
            "deterministic-float,64,1024,8.5,8.5"]
    file.write_text("\n".join(["name,block,n,result,expected", *rows, ""]))
    data = table.load(ROOT / table.DATA)._replace(float_order=side_data.load_float_order(file))
    assert " ".join(block_reading.float_order(data).split()) == (
        "3 runs of `atomic-finish` over the same 2^10 floats gave 2 different sums, from 8.25 to "
        "8.75. `deterministic-float` gave 8.5 with blocks of 32, 64. The sum in double is 8.5.")
    for old, new, why in (("8.75", "nan", ":3: result is 'nan'"), ("-float", "", ":5: name is 'd"),
                          ("deterministic-float", "atomic-finish", "no run of deterministic-float")):
        file.write_text("\n".join(["name,block,n,result,expected", *rows, ""]).replace(old, new))
        with pytest.raises(BadData, match=why):
            side_data.load_float_order(file)


def test_multi_gpu():
    """Two GPUs, here played by a detour of the committed data."""
    data = table.load(ROOT / table.DATA)
    both = data.bench._replace(runs={("multi-gpu", "int"): data.bench.runs["single-pass", "int"]})
    lines = table.block_programs.multi_gpu(data._replace(multi_gpu=both)).splitlines()
    run = data.bench.runs["single-pass", "int"][2**24]
    step07 = data.bench.runs["07", "int"][2**24]
    assert cells(next(line for line in lines if "2^24" in line)) == [
        "2^24", f"{step07.ms:#.4g}", f"{run.ms:#.4g}", f"{run.gb_per_s:.0f}",
        f"{step07.ms / run.ms:.2f}"]


# ---- the measuring ----

EARLIER = ["d4265d8", "89bf3c2", "2d0acc5"]


@pytest.mark.parametrize("commit", EARLIER)
def test_agreement(commit):
    """An earlier run of the bench, compared again."""
    rows = {(row["name"], row["type"], int(row["n"])): float(row["median_ms"])
            for row in rows_of("h200.csv")}
    steps = {row["name"]: f"step {row['step']}" for row in rows_of("h200.csv") if row["step"]}
    apart = {key: abs(rows[key] / float(row["median_ms"]) - 1)
             for row in rows_of(f"h200-{commit}.csv")
             if (key := (row["name"], row["type"], int(row["n"]))) in rows
             and row["name"] not in ("single-pass", "empty-launch")}
    large = {key: part for key, part in apart.items() if key[2] >= 2**22}
    text = " ".join(BLOCKS["agreement"].split()).split(f"- {commit}: ")[1].split(" - ")[0]
    within = sum(part <= 0.03 for part in large.values())
    assert text.startswith(f"{len(large)} rows from 2^22 on in common, in the median "
                           f"{100 * median(large.values()):.1f} % apart; {within} within 3 %, ")
    worst = max(large, key=large.get)
    name = steps.get(worst[0], worst[0])
    assert f"beyond it {name} at 2^{worst[2].bit_length() - 1} {100 * large[worst]:.2f} %" in text
    small = max(part for key, part in apart.items() if key not in large)
    assert f"the largest difference is {100 * small:.1f} %." in text


def test_highest_share():
    shares = [float(row["pct_of_peak"]) for name in ["h200", *(f"h200-{each}" for each in EARLIER)]
              for row in rows_of(f"{name}.csv")]
    assert f"the highest of all is {max(shares):.1f} % of it" in " ".join(BLOCKS["agreement"].split())


def test_no_bandwidth_exceeds_the_peak():
    for path in (ROOT / "plots/data").glob("*h200*.csv"):
        for row in rows_of(path.name):
            if row.get("pct_of_peak"):
                assert float(row["pct_of_peak"]) < 100 and row["verified"] == "yes", (path, row)


def test_processes():
    shown = {int(row[0][2:]): row[1:] for row in map(cells, BLOCKS["processes"].splitlines()[2:])}
    times = {}
    for row in rows_of("trust-h200.csv"):
        if row["cache"] == "cold":
            times.setdefault((row["name"], int(row["n"]).bit_length() - 1), []).append(
                1e3 * float(row["median_ms"]))
    assert sorted(shown) == sorted(power for name, power in times if name == "cub")
    for power, (ours, cub, _, over, _) in shown.items():
        fives = [times[name, power] for name in ("warp-shuffle", "cub")]
        assert [ours, cub] == [f"{min(us):.2f} … {max(us):.2f}" for us in fives]
        assert float(over) == pytest.approx(median(fives[1]) / median(fives[0]), abs=0.006)


def test_hot():
    shown = {row[0]: list(map(float, row[2:])) for row in
             map(cells, BLOCKS["hot"].splitlines()[2:])}
    us = {(f"2^{int(row['n']).bit_length() - 1}", row["cache"]): [] for row in
          rows_of("trust-h200.csv") if row["step"] == "07"}
    for row in rows_of("trust-h200.csv"):
        if row["step"] == "07":
            us[f"2^{int(row['n']).bit_length() - 1}", row["cache"]].append(
                1e3 * float(row["median_ms"]))
    assert set(shown) == {n for n, cache in us if cache == "hot"} and len(shown) == 4
    for n, (cold, hot, ratio) in shown.items():
        assert [cold, hot] == pytest.approx([median(us[n, "cold"]), median(us[n, "hot"])], abs=0.051)
        assert ratio == pytest.approx(hot / cold, abs=0.01)


def test_expected():
    ms = {row["step"] or row["name"]: float(row["median_ms"]) for row in measured()
          if row["n"] == str(2**24)}
    rows = {row[0].split()[0].lower(): row for row in map(cells, BLOCKS["expected"].splitlines()[2:])}
    assert set(rows) == {*STEPS, "cub"}
    for key, row in rows.items():
        assert row[2] == f"{ms[key]:#.3g}"
        assert float(row[3]) == pytest.approx(ms[key] / float(row[1]), abs=0.006)


def test_tuning():
    """Two rounds a variant, each beside the program as it is."""
    rounds = {}
    for row in rows_of("tuning-h200.csv"):
        rounds.setdefault((row["name"], row["changed"], row["n"]), []).append(
            1e3 * float(row["median_ms"]))
    head, _, *rows = map(cells, BLOCKS["tuning"].splitlines())
    sizes = [str(2**int(power[2:])) for power in head[2:]]
    assert len(rows) == len({key[:2] for key in rounds}) and len(sizes) == 5
    for name, changed, *figures in rows:
        for n, figure in zip(sizes, figures):
            us, best = (sum(rounds[name, of, n]) / 2
                        for of in (changed.replace(" ", "="), "nothing"))
            assert figure == (f"{us:.2f} µs" if changed == "nothing" else f"x {us / best:.2f}")


def test_fence():
    text = " ".join(BLOCKS["fence"].split())
    rounds = {}
    for row in rows_of("tuning-h200.csv"):
        if row["name"] == "single-pass":
            rounds.setdefault((row["changed"], int(row["n"])), []).append(
                1e3 * float(row["median_ms"]))
    longer = re.findall(r"([\d.]+) µs at 2\^(\d+)", text)
    assert sorted(2**int(power) for _, power in longer) == sorted(
        n for changed, n in rounds if changed == "nothing")
    for us, power in longer:
        fenced, plain = (median(rounds[changed, 2**int(power)]) for changed in ("FENCE=1", "nothing"))
        assert us == f"{fenced - plain:.1f}"


def without(words):
    return lambda text: "".join(line for line in text.splitlines(True) if words not in line)


BAD = [("trust-h200.csv", lambda text: text.replace(",yes", ",no", 1), r":\d+: verified is 'no'"),
       ("trust-h200.csv", lambda text: text.replace(",cold", ",warm", 1), r":\d+: cache is 'warm'"),
       ("trust-h200.csv", without(",cub,"), r":\d+: ends without 5 processes of cub at n = 1024, "),
       ("tuning-h200.csv", lambda text: text.replace(",262144,", ",x,", 1), r":\d+: n is 'x'"),
       ("tuning-h200.csv", lambda text: text.replace("median_ms", "ms"),
        r":\d+: columns missing: median_ms"),
       ("tuning-h200.csv", lambda text: text[:text.rindex("\n", 0, -1) + 1],
        r":\d+: ends without all rows of single-pass FENCE=1"),
       ("tuning-h200.csv", without("nothing"), "ends without all rows of step07 nothing"),
       ("write-up-0-nsight-h200.csv", lambda text: text[:-4], r":\d+: ends without a newline"),
       ("write-up-0-nsight-h200.csv", without("branch"),
        r":\d+: ends without global-neighbored-pairs's branch_efficiency_pct"),
       ("2x-h200.csv", without(",multi-gpu,"), r"2x-h200\.csv: has no row of multi-gpu \(int\)")]


def copied(tmp_path):
    """What the table's script works on; the folder of the data."""
    shutil.copytree(ROOT / "plots", tmp_path / "plots", ignore=shutil.ignore_patterns("*.svg", "*.png"))
    for text in "README.md", "NOTES.md":
        shutil.copy(ROOT / text, tmp_path)
    for folder in "steps", "detours", "tutorial":
        (tmp_path / folder).symlink_to(ROOT / folder)
    return tmp_path / "plots/data"


def test_lines_of_origin(tmp_path):
    """In front of any measured file; they change nothing."""
    for path in copied(tmp_path).glob("*-h200.csv"):
        path.write_text("# gpu: NVIDIA H200\n# date: 2026-11-21\n" + path.read_text())
    done = run(sys.executable, "-m", "plots.table", "--check", cwd=tmp_path,
               env={"PYTHONPATH": ""})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name, change, why", BAD)
def test_bad_measurements(tmp_path, name, change, why):
    """The table's script writes nothing and says in one line what is wrong where."""
    path = copied(tmp_path) / name
    path.write_text(change(path.read_text()))
    done = run(sys.executable, "-m", "plots.table", cwd=tmp_path, env={"PYTHONPATH": ""})
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert re.search(why, done.stderr), done.stderr
    assert (tmp_path / "NOTES.md").read_text() == TEXT


def test_tuning_builds_what_it_names(tmp_path):
    """tuning.sh with a make that writes down what stands in the copy that it is to build."""
    fake = tmp_path / "make"
    fake.write_text("""#!/usr/bin/env bash
copy=$2 name=${!#}
{ [ $# -eq 3 ] || echo "$3"
  diff "$PWD"/*/*"${name#step}"*/main.cu $copy/*/*"${name#step}"*/main.cu |
    sed -nE 's/^> #define ([A-Z]+) +([0-9]+)( .*)?$/\\1=\\2/p'; } >"$copy/found"
echo "echo h; echo '0,x,cuda,gpu,int,256,'\\$2',9,cold,0.5,0.4,0.6,1,1,1,1,yes'" >$copy/$name
chmod +x $copy/$name
""")
    fake.chmod(0o755)
    out = tmp_path / "copies"
    done = run(ROOT / "bench/tuning.sh", out, fake, cwd=ROOT, env={"BENCH_SIZES": "1000"})
    assert done.returncode == 0, done.stderr
    header, *rows = done.stdout.splitlines()
    assert header == "name,changed,n,median_ms,min_ms,max_ms"
    assert len(rows) == 30 and rows[:15] == rows[15:] and len(set(rows)) == 15
    for row in rows[:15]:
        name, changed, *rest = row.split(",")
        assert rest == ["1000", "0.5", "0.4", "0.6"]
        found = (out / f"{name}-{changed}/found").read_text()
        assert found == ("" if changed == "nothing" else changed + "\n")
    fake.write_text("#!/bin/sh\nexit 1\n")
    assert_refused(run(ROOT / "bench/tuning.sh", out, fake, cwd=ROOT), 1, "a build failed")


def test_trust_runs_each_program_five_times(tmp_path):
    for name in "one", "two":
        (tmp_path / name).write_text(f"#!/bin/sh\necho header\necho {name},$2,$3\n")
        (tmp_path / name).chmod(0o755)
    done = run(ROOT / "bench/trust.sh", tmp_path / "one", tmp_path / "two")
    header, *rows = done.stdout.splitlines()
    assert done.returncode == 0 and header == "header"
    assert rows[:8] == [f"one,2^{n},{how}" for n in range(20, 27, 2) for how in ("--csv", "--hot")]
    assert rows[8:] == [f"{name},2^{n},--csv" for n in range(10, 21, 2) for _ in range(5)
                        for name in ("one", "two")]


# ---- the exercises ----

UNGUARDED = "    if (i + blockDim.x < n)\n", ""
PAD = "#define PAD(i) ((i) + (i) / 32)\n"
# step: ([(what stands there, what the exercise makes of it)], n, status, what one then reads)
EXERCISES = {
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
    "04 wrong": ([UNGUARDED], "4096", 1, "WRONG"),
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


@pytest.mark.parametrize("exercise", EXERCISES)
def test_exercise(exercise, tmp_path):
    """Edited as the notes say, the step shows what they hint at."""
    edits, n, status, seen = EXERCISES[exercise]
    source = STEPS[exercise[:2]]
    text = source.read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / source.parent.name / "main.cu"
    file.parent.mkdir()
    file.write_text(text)
    objects = sorted((build() / "common").glob("*.o"))
    done = run(ROOT / "simt/simtcc", "-DTYPE=int", "-DBLOCK=256", "-DOP=OP_sum",
               f"-I{ROOT / 'common'}", file, *objects, "-o", tmp_path / "program", cwd=ROOT,
               env={"SIMTCC_TOOLS_READY": "1"})
    assert done.returncode == 0, done.stderr
    done = run(tmp_path / "program", "-n", n)
    assert done.returncode == status and seen in done.stdout + done.stderr, done.stderr

"""The rows of make bench, with pretended programs: what is measured, left out and refused, and the file's
content. (test_bench_targets.py has the targets.)"""

import os
import re
import shlex
import subprocess

import pytest

from harness import CSV_HEADER, ROOT, needs, replay, run, script
from test_refusals import for_each

from plots.measure import machine
from plots.measure import rows as bench_rows
from plots.read import bench_data

FACTORS = {"step00": 300, "step01": 2, "cub": 1.05}  # of the time that the bytes take
USUAL = {"library": "CUB 3.5.0", "backend": "cuda", "device": "NVIDIA H200", "type": "int",
         "block": "256", "reps": "100", "cache": "cold", "peak_gb_per_s": "4814.1", "verified": "yes"}


@pytest.fixture
def bench(monkeypatch, capsys):
    """bench(typed): TROUBLE=LABEL:N:STATUS, how a program ends there; LATER, how many ms its first,
    second, … process at an n takes longer; PROGRAMS, how many there are. All lines, and what ran, was
    said, and came of it: programs, n and milliseconds."""
    ran = []

    def row_of(label, _, n="empty", *more):
        size = eval(n.replace("2^", "2**").replace("K", "*1024").replace("empty", "0"))
        ran.append(f"{label} {n if n == 'empty' else size}")
        trouble, _, status = os.environ.get("TROUBLE", "").rpartition(":")
        if trouble == f"{label}:{size}":
            raise SystemExit(int(status))
        later = os.environ.get("LATER", "0").split()[ran.count(ran[-1]) - 1:][:1] or [0]
        ms = 0.0047 + FACTORS[label] * size * 4 / 4814.1e6 + float(later[0])
        return dict.fromkeys(CSV_HEADER.split(","), "") | USUAL | {
            "name": "empty-launch" if n == "empty" else label, "n": str(size), "median_ms": f"{ms:.6f}"}

    def call(typed):
        ran.clear()
        env = dict(word.split("=", 1) for word in shlex.split(typed)[:-1])
        commands = [[label] for label in FACTORS][:int(env.pop("PROGRAMS", 3))]
        with monkeypatch.context() as patch:
            patch.setattr(bench_rows, "row_of", row_of)
            for name, value in ({"BENCH_PROCESSES": "1", "BENCH_SIZES": "2^10 2^12"} | env).items():
                patch.setenv(name, value)
            target, call.lines = machine.Target("bench", []), []
            try:
                call.lines += bench_rows.harness_rows(
                    target, commands, " ".join(f"2^{k}" for k in range(10, 31, 2)))
                status = int(target.failed)
            except SystemExit as end:
                status = end.code
        rows = [row.split(",") for row in call.lines if row[0] != "#" and row != CSV_HEADER]
        told = re.sub("make bench: n = .*\n", "", capsys.readouterr().err)
        asked = ", ".join(what for what in ran if what.split()[1] not in ("0", "1"))
        return subprocess.CompletedProcess(typed, status, f"{asked}\n" * bool(asked), told + (
            "file: " + ", ".join(" ".join((row[1], row[7], row[10])) for row in rows) + "\n"
        ) * bool(rows))
    return call


def test_golden_calls(bench):
    """Several processes where n is small. Programs that fail, or are wrong, are left out and told."""
    replay("bench-calls.txt", for_each(bench))


def test_file(bench):
    """Everything needed to judge the numbers stands in front of the rows, which have all columns."""
    bench("BENCH_SIZES=4K bench")
    method, header, *rows = bench.lines[3:]
    assert bench.lines[:3] == ["# library: CUB 3.5.0", "# processes: 1", "# peak_gb_per_s: 4814.1"]
    assert method.startswith("# method: cold cache, median, ") and header == CSV_HEADER
    assert len(rows) == 4 and {row.count(",") for row in rows} == {header.count(",")}


def test_programs_that_fail(tmp_path, capfd):
    """Their status is ours, as a shell tells it; half a row is none."""
    for text, status, said in (
            ("echo no luck >&2; exit 3", 3, "no luck\n"), ("kill -SEGV $$", 139, ""),
            (f"echo {CSV_HEADER}; printf 1,2", 3, f"x printed no row of the columns {CSV_HEADER}\n")):
        with pytest.raises(SystemExit, match=str(status)):
            machine.row_of(script(tmp_path / "x", text))
        assert capfd.readouterr().err == said


# ---- the file ----

def test_commit(tmp_path, monkeypatch):
    """Uncommitted changes are marked, but not those of data; without git it is what one says."""
    needs("git")
    monkeypatch.setattr(machine, "ROOT", str(tmp_path))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert machine.commit() == "unknown"
    run("bash", "-ec", "git init -q --template=; git -c user.name=x -c user.email=x@y commit -qm one "
        "--allow-empty; mkdir -p plots/data; touch plots/data/h200.csv", cwd=tmp_path)
    clean = run("git", "rev-parse", "--short", "HEAD", cwd=tmp_path).stdout.strip()
    assert machine.commit() == clean
    (tmp_path / "new").touch()
    assert machine.commit() == clean + "+"
    monkeypatch.setenv("BENCH_COMMIT", "abc1234")
    assert machine.commit() == "abc1234"


def test_stopped(tmp_path):
    """Measured rows are kept under another name: a file with its own name is whole."""
    def rows():
        yield "a row"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        machine.write(tmp_path / "h200.csv", rows())
    assert os.listdir(tmp_path) == ["h200.csv.part"]
    assert (tmp_path / "h200.csv.part").read_text().endswith("\na row\n")


def test_what_it_cannot_do(tmp_path, monkeypatch, capsys):
    """Another bench writes into the folder, or no GPU is here."""
    machine.lock("bench", tmp_path / "folder")
    with pytest.raises(SystemExit, match="1"):
        machine.lock("bench", tmp_path / "folder")
    assert "make bench: another bench writes into" in capsys.readouterr().err
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    for text in "exit 9", "echo No devices were found", "echo; exit 6":
        script(tmp_path / "bin/nvidia-smi", text)
        with pytest.raises(SystemExit, match="3"):
            machine.need_gpu("bench", "make counters does")
        assert capsys.readouterr().err == "make bench: no GPU here; make counters does\n"


def test_name_of_the_file(monkeypatch):
    for gpu, name in (("NVIDIA H200", "h200"), ("Tesla T4", "tesla-t4"),
                      ("NVIDIA GeForce RTX 4090", "geforce-rtx-4090"),
                      ("NVIDIA H100 80GB HBM3", "h100")):
        monkeypatch.setattr(machine, "ask_gpu", lambda what: gpu)
        assert machine.file_name() == name


def test_best_cub(tmp_path):
    """The fastest of CUB's variants is the one to compare with."""
    text = (ROOT / "tests/data/bench_small.csv").read_text()
    (tmp_path / "two.csv").write_text(text.replace(",single-pass,", ",cub-atomic,"))
    bench = bench_data.load(tmp_path / "two.csv")
    assert [round(bench_data.times_over(bench, "int", 2**24, key, bench_data.BEST_CUB), 2)
            for key in ("07", "cub", "cub-atomic")] == [0.95, 0.94, 1]


def test_a_device_that_tells_no_peak(tmp_path):
    """The same file and limit, without the shares."""
    assert bench_rows.peak_of({"peak_gb_per_s": ""}) == "# peak_gb_per_s: unknown"
    text = (ROOT / "tests/data/bench_small.csv").read_text()
    file = tmp_path / "h200.csv"
    file.write_text(re.sub("(?m)^# peak_gb_per_s: .*", "# peak_gb_per_s: unknown", text))
    bench = bench_data.load(file)
    assert (bench.peak, bench_data.run(bench, "int", "07", 2**24).share) == (None, None)
    assert bench_data.limit_ms(bench, "int", 2**24) == bench.empty_ms

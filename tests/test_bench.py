"""The rows of make bench, with pretended programs: what is measured, left out and refused, and the file's
content. (test_bench_targets.py has the targets.)"""

import os
import re

import pytest

from harness import CSV_HEADER, ROOT, needs, run, script

from plots.measure import machine
from plots.measure import rows as bench_rows
from plots.read import bench_data


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

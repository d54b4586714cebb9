"""The rows of make bench, with pretended programs: what is measured, left out and refused, and the file's
content. (test_bench_targets.py has the targets.)"""

import os
import re

import pytest

from harness import CSV_HEADER, ROOT, run, script

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

def test_stopped(tmp_path):
    """Measured rows are kept under another name: a file with its own name is whole."""
    def rows():
        yield "a row"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        machine.write(tmp_path / "h200.csv", rows())
    assert os.listdir(tmp_path) == ["h200.csv.part"]
    assert (tmp_path / "h200.csv.part").read_text().endswith("\na row\n")


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

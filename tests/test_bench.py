"""make bench's script, on programs that print rows without a GPU: what it writes, how it goes on
after an interruption, and what it refuses."""

import csv
import fcntl
import os
import re
import shlex
import shutil
import signal
import sys

import pytest

from harness import (CSV_HEADER, ROOT, assert_refused, golden, needs, replay, run, said, script,
                     transcript)

from bench import table
from test_refusals import for_each

PEAK = 4814.1

# A program that logs what it was asked for, and can be told by $TROUBLE=label:n:what to misbehave,
# by $LATER how many ms its first, second, … process at an n takes longer.
PROGRAM = r"""n= empty= csv=
while [ $# -gt 0 ]; do
    case $1 in -n) n=$2; shift ;; --empty) empty=yes ;; --csv) csv=yes ;; esac
    shift
done
label=${0##*/}
echo "$label ${empty:-$n}" >>"$LOG"
[ -n "$csv" ] || { echo "a report for people"; exit; }
later=0
[ -z "${LATER:-}" ] || later=$(echo "$LATER" | cut -d' ' -f"$(grep -cx "$label $n" "$LOG")")
trouble=
case ${TROUBLE:-} in "$label:$n:"*) trouble=${TROUBLE##*:} ;; esac
verified=yes status=0
case $trouble in
    fail) echo "first line" >&2; echo "$label: out of luck" >&2; exit 3 ;;
    memory) echo "$label: -n $n: needs 9.9 GiB of device memory, 4.0 GiB are free; less" >&2; exit 2 ;;
    crash) kill -SEGV $$ ;;
    wrong) verified=no status=1 ;;
    changed) echo "$label: input changed: in[7] was 3, is 4" >&2; verified=no status=1 ;;
    half) printf '%s\nSTEP,NAME,,cuda' HEADER; exit 0 ;;
    INT | TERM) kill -"$trouble" 0; exit ;; # the whole group, as a terminal does
esac
echo HEADER
awk -v n="${n:-0}" -v empty="$empty" -v later="$later" \
    -v verified=$verified 'BEGIN {
    if (empty)
        print ",empty-launch,,cuda,DEVICE,TYPE,1,0,100,cold,0.002656,0.00256,0.0029,0,0,0,0,yes"
    else if (n == 0) print "STEP,NAME,LIBRARY,cuda,DEVICE,TYPE,BLOCK,0,0,cold,,,,,,0,0,yes"
    else {
        ms = 0.0047 + FACTOR * n * 4 / (PEAK * 1e6) + later
        gb = n * 4 / ms / 1e6
        printf "STEP,NAME,LIBRARY,cuda,DEVICE,TYPE,BLOCK,%.0f,100,cold,%.6f,%.6f,%.6f,%.6g,%.6g,7,7,%s\n",
            n, ms, ms, ms * 1.01, gb, gb / PEAK * 100, verified
    }
}'
exit $status
""".replace("HEADER", CSV_HEADER).replace("PEAK", str(PEAK))


class Bench:
    """A tree of its own with the bench, the programs, and a PATH of the tools' fakes."""

    def __init__(self, folder):
        self.root, self.out, self.log = folder, folder / "build/bench/h200.csv", folder / "log"
        for room in "bench", "tutorial":
            (self.root / room).mkdir(parents=True)
            for file in (ROOT / room).glob("*.py"):
                shutil.copy(file, self.root / room)
        (self.root / ".gitignore").write_text("/bin/\n/build/\n/log\n/programs/\n__pycache__/\n")
        if shutil.which("git"):
            self.git("init", "-q", "--template=")
            self.commit("one")
        self.tool("nvidia-smi", "echo 580.159.04")
        self.tool("nvcc", "echo 'Cuda compilation tools, release 13.0, V13.0.48'")
        self.programs = [self.program("step00", "00", "naive", block=1024, factor=300),
                         self.program("step01", "01", "neighbored-pairs", factor=2),
                         self.program("cub", "", "cub", block=256, factor=1.05)]

    def git(self, *command):
        needs("git")
        done = run("git", "-c", "user.name=x", "-c", "user.email=x@y", *command, cwd=self.root)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, text):
        self.git("add", ".")
        self.git("commit", "-q", "--allow-empty", "-m", text)

    def tool(self, name, text):
        script(self.root / "bin" / name, text)

    def program(self, label, step, name, type="int", block=256, factor=1., device="NVIDIA H200"):
        text = PROGRAM
        for word, value in {"STEP": step, "NAME": name, "TYPE": type, "BLOCK": str(block),
                            "FACTOR": str(factor), "DEVICE": device,
                            "LIBRARY": "CUB 3.5.0" if name == "cub" else ""}.items():
            text = text.replace(word, value)
        return script(self.root / "programs" / type / label, text)

    def __call__(self, sizes="2^10 2^12", env=None, **options):
        self.log.write_text("")
        path = f"{self.root}/bin:{os.environ['PATH']}"
        return run(sys.executable, "-m", "bench.rows", self.out, *self.programs, cwd=self.root,
                   **options, env={"PATH": path, "LOG": str(self.log), "BENCH_SIZES": sizes,
                        "BENCH_PROCESSES": "1"} | (env or {}))

    def edit(self, file, old, new):
        """A file's text, not its time."""
        time = file.stat().st_mtime_ns
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))
        os.utime(file, ns=(time, time))

    def calls(self):
        """What ran, but for the questions what the programs are called, and how large the L2 is."""
        return [line for line in self.log.read_text().splitlines() if line.split()[1] not in "01"]

    def described(self):
        return dict(line[2:].split(": ", 1) for line in self.out.read_text().splitlines()
                    if line.startswith("#"))

    def rows(self):
        text = self.out.read_text()
        assert text.endswith("\n")
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        assert lines[0] == CSV_HEADER
        rows = list(csv.DictReader(lines))
        assert all(None not in row and None not in row.values() for row in rows)
        return rows

    def told(self, done):
        """For a golden file: what ran, and what was said but for how far it is."""
        text = re.sub(r"make bench: \d+ of \d+ done.*\n", "", done.stderr)
        text = re.sub(r"(?<=status 139: ).*", "…", text)  # what the shell says of a crash
        done.stderr = text.replace(str(self.root), "ROOT")
        done.stdout = "".join([", ".join(self.calls()), "\n"] * (self.calls() != []))
        return done


    def has(self):
        """What rows the file has: programs, n and milliseconds."""
        return ", ".join(f"{row['name']} {row['n']} {row['median_ms']}" for row in self.rows()
                         ) if self.out.is_file() else "none"


@pytest.fixture
def new_bench(tmp_path):
    """Each in a folder of its own."""
    made = []

    def new(programs=3):
        made.append(Bench(tmp_path / str(len(made))))
        made[-1].programs = made[-1].programs[:programs]
        return made[-1]
    return new


@pytest.fixture
def bench(new_bench):
    return new_bench()


def assert_done(done):
    assert done.returncode == 0, done.stderr


# ---- what it writes ----

def test_golden_file(bench):
    """Everything needed to judge the numbers; all programs at one n before the next; then a table of
    each type, with the largest n, and 2^24."""
    bench.programs += [bench.program("long", "", "a-detour-with-a-very-long-name", factor=1),
                       bench.program("step00", "00", "naive", type="float")]
    done = bench("1G 2^24 2^30 16777216")
    commit = bench.git("rev-parse", "--short", "HEAD") if shutil.which("git") else "unknown"
    assert max(map(len, done.stdout.splitlines())) <= 80
    head = "".join(bench.out.read_text().splitlines(True)[:12])
    progress = re.sub(r"about \d+ min", "about 1 min", done.stderr)  # a slow computer
    transcript("bench-file.txt", [("make bench", progress), ("its table", done.stdout),
                                  ("its file", head)], commit=commit)
    assert os.listdir(bench.out.parent) == ["h200.csv"]


def test_golden_calls(new_bench):
    """Several processes where n is small. Programs that fail, or are wrong, are left out and told;
    the same call then measures the others. PROGRAMS: how many there are."""
    def call(typed):
        first, again = re.fullmatch("(.*?)bench(; again)?", typed).groups()
        env = {"BENCH_SIZES": "2^10 2^12"} | dict(word.split("=", 1) for word in shlex.split(first))
        bench, sizes = new_bench(int(env.pop("PROGRAMS", 3))), env.pop("BENCH_SIZES")
        done = bench(sizes, env=env)
        assert (done.stdout == "") == (done.returncode > 0 and "leaving out" not in done.stderr)
        told = bench.told(done)
        told.stdout += f"file: {bench.has()}\n" * ("TROUBLE" not in env and bench.calls() != [])
        if again:
            before, more = bench.rows(), bench.told(bench(sizes))
            told.stderr += f"again: {more.stdout}"
            assert more.stderr == (f"make bench: ROOT/build/bench/h200.csv has {len(before) - 1} of 6 "
                                   "rows; measuring the others\n")
            every = [(name, n) for n in ("1024", "4096") for name in ("naive", "neighbored-pairs", "cub")]
            rows = [(row["name"], row["n"]) for row in bench.rows()]
            assert before == bench.rows()[:len(before)] and sorted(rows[1:]) == sorted(every)
        assert bench.out.exists() == (bench.calls() != [])
        return told

    replay("bench-calls.txt", for_each(call))


def test_commit(bench):
    """Uncommitted changes are marked; without git it is what one says."""
    (bench.root / "new").touch()
    assert_done(bench("1000"))
    assert bench.described()["commit"] == bench.git("rev-parse", "--short", "HEAD") + "+"
    shutil.rmtree(bench.root / ".git")
    bench.tool("nvcc", "exit 1")
    for commit, shown in ("", "unknown"), ("abc1234", "abc1234"):
        bench.out.unlink()
        assert_done(bench("1000", env={"GIT_CEILING_DIRECTORIES": str(bench.root.parent),
                                       "BENCH_COMMIT": commit}))
        assert (bench.described()["commit"], bench.described()["cuda"]) == (shown, "unknown")


# ---- starting again ----

def test_golden_again(new_bench):
    """What is missing is measured, and the file's date stays; what another has measured is moved
    away. Something happens between a bench of 2^10 and one of 2^12, too."""
    def call(typed):
        bench = new_bench()
        assert_done(bench("2^10"))
        date = bench.described()["date"]
        bench.out.write_text(bench.out.read_text().replace(date, "2020-02-02"))
        assert said(run("bash", "-c", typed, cwd=bench.root)) == ""
        bench.programs = sorted(bench.root.glob("programs/other/*")) or bench.programs
        old, moved = bench.out.read_text(), bench.out.with_name("h200.csv.old")
        done = bench.told(bench())
        assert (bench.described()["date"] == "2020-02-02") == (not moved.exists())
        assert not moved.exists() or moved.read_text() == old
        assert {int(row["n"]) for row in bench.rows()} == {0, 1024, 4096}
        done.stderr = re.sub(r"commit: \w+", "commit: COMMIT", done.stderr)
        return done

    replay("bench-again.txt", call)


def test_all_there(bench):
    """Then nothing runs."""
    assert_done(bench("2^12 2^10"))
    done = bench("2^10 2^12")
    assert bench.calls() == [] and done.stderr == (
        f"make bench: {bench.out} has all 6 rows; remove it to measure them again\n")


@pytest.mark.parametrize("name", ["INT", "TERM"])
def test_interrupted(bench, name):
    """With the program that runs, as by Ctrl-C: keeps what it has, and says how to go on."""
    done = bench(env={"TROUBLE": f"step01:4096:{name}"}, start_new_session=True)
    assert (done.returncode, done.stdout) == (128 + getattr(signal, "SIG" + name), "")
    assert done.stderr.splitlines()[-1] == (
        f"make bench: stopped; the same command measures the rows that {bench.out} lacks")
    assert len(bench.rows()) == 5 and os.listdir(bench.out.parent) == ["h200.csv"]
    assert_done(bench())
    assert bench.calls() == ["step01 4096", "cub 4096"] and len(bench.rows()) == 7


def test_published_data_resume(bench):
    """They lie in the tree, tracked or not, and are no change of what is measured."""
    bench.out = bench.root / "plots/data/h200.csv"
    for _ in "untracked", "tracked":
        assert_done(bench("2^10"))
        commit = bench.git("rev-parse", "--short", "HEAD")
        assert bench.described()["commit"] == commit
        done = bench("2^10 2^12")
        assert_done(done)
        assert bench.calls() == ["step00 4096", "step01 4096", "cub 4096"], done.stderr
        bench.edit(bench.out, commit, "0000000")
        bench.commit("data of another commit")


# ---- what goes wrong ----

def test_above_the_peak(bench):
    bench.edit(bench.programs[2], "gb / 4814.1", "gb / 1000")
    done = bench("2^10 2^28")
    assert done.returncode == 1
    assert re.search(r"cub \(int\) at n = 2\^28: 4\d\d\.\d+ % of the peak bandwidth: the input "
                     r"was in a cache\n$", done.stderr), done.stderr


def test_what_it_cannot_do(bench):
    """It measures nothing: another bench writes into the folder, a program is for the CPU, there is
    no file to be written, or no GPU."""
    bench.out.parent.mkdir(parents=True)
    folder = os.open(bench.out.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    assert_refused(bench(), 1, "another bench writes into")
    os.close(folder)
    bench.edit(bench.programs[1], ",cuda,", ",cpu,")
    assert_refused(bench(), 1, "step01 at n = 0", "built for the CPU backend", "BACKEND=cuda")
    assert bench.calls() == [] and not bench.out.exists()
    bench.out.mkdir()
    assert_refused(bench(), 1, "cannot write")
    for text in "exit 9", "echo No devices were found", "echo; exit 6":
        bench.tool("nvidia-smi", text)
        assert_refused(bench(), 3, "make bench: no GPU here; make counters and make plots do not ")


def test_name_of_the_file(bench):
    for gpu, name in (("NVIDIA H200", "h200"), ("Tesla T4", "tesla-t4"),
                      ("NVIDIA GeForce RTX 4090", "geforce-rtx-4090"),
                      ("NVIDIA H100 80GB HBM3", "h100")):
        bench.tool("nvidia-smi",
                   f"case $1 in *name*) echo '{gpu}'; echo other ;; *) echo 580.1 ;; esac")
        path = f"{bench.root}/bin:{os.environ['PATH']}"
        assert said(run(sys.executable, "-c", "import bench.machine as m; print(m.file_name())",
                        cwd=bench.root, env={"PATH": path})) == name + "\n"


def test_golden_table(tmp_path):
    """Of several variants of CUB the fastest is compared with."""
    text = (ROOT / "tests/data/bench_small.csv").read_text()
    (tmp_path / "two.csv").write_text(text.replace(",single-pass,", ",cub-atomic,"))
    golden("bench-table.txt", table.of_type(tmp_path / "two.csv", "int"))

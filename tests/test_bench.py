"""make bench's script, on programs that print rows without a GPU: what it writes, leaves out and
refuses."""

import fcntl
import os
import re
import shlex
import shutil
import sys

import pytest

from harness import (CSV_HEADER, ROOT, assert_refused, copy_rooms, golden, needs, replay, run, said,
                     script, transcript)

from bench import table
from test_refusals import for_each
from tutorial import bench_data

PEAK = 4814.1

# A program that logs what it was asked for, and can be told by $TROUBLE=label:n:what to misbehave,
# by $LATER how many ms its first, second, … process at an n takes longer.
PROGRAM = r"""n= empty= csv=
while [ $# -gt 0 ]; do
    case $1 in -n) n=$2; shift ;; --empty) empty=yes ;; --csv) csv=yes ;; esac
    shift
done
case $n in 2^*) n=$((1 << ${n#2^})) ;; *K) n=$((${n%K} << 10)) ;; *M) n=$((${n%M} << 20)) ;; esac
label=${0##*/}
echo "$label ${empty:-$n}" >>"$LOG"
[ -n "$csv" ] || { echo "a report for people"; exit; }
later=0
[ -z "${LATER:-}" ] || later=$(echo "$LATER" | cut -d' ' -f"$(grep -cx "$label $n" "$LOG")" 2>/dev/null)
trouble=
case ${TROUBLE:-} in "$label:$n:"*) trouble=${TROUBLE##*:} ;; esac
verified=yes status=0
case $trouble in
    fail) echo "first line" >&2; echo "$label: out of luck" >&2; exit 3 ;;
    memory) echo "$label: -n $n: needs 9.9 GiB of device memory, 4.0 GiB are free; less" >&2; exit 2 ;;
    crash) kill -SEGV $$ ;;
    wrong) verified=no status=1 ;;
    changed) echo "$label: input changed: in[7] was 3, is 4" >&2; verified=no status=1 ;;
    INT) kill -INT $PPID; sleep 9 ;;
    half) printf '%s\nSTEP,NAME,,cuda' HEADER; exit 0 ;;
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
        copy_rooms(folder, "bench", "tutorial", "steps", "detours")
        (self.root / ".gitignore").write_text("/bin/\n/build/\n/log\n/programs/\n__pycache__/\n")
        if shutil.which("git"):
            self.git("init", "-q", "--template=")
            self.git("add", ".")
            self.git("commit", "-q", "-m", "one")
        self.tool("nvidia-smi", "case $1 in *name*) echo NVIDIA H200 ;; *) echo 580.159.04; esac")
        self.tool("nvcc", "echo 'Cuda compilation tools, release 13.0, V13.0.48'")
        self.programs = [self.program("step00", "00", "naive", block=1024, factor=300),
                         self.program("step01", "01", "neighbored-pairs", factor=2),
                         self.program("cub", "", "cub", block=256, factor=1.05)]

    def git(self, *command):
        needs("git")
        done = run("git", "-c", "user.name=x", "-c", "user.email=x@y", *command, cwd=self.root)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def tool(self, name, text):
        return script(self.root / "bin" / name, text)

    def program(self, label, step, name, type="int", block=256, factor=1.):
        text = PROGRAM
        for word, value in {"STEP": step, "NAME": name, "TYPE": type, "BLOCK": str(block),
                            "FACTOR": str(factor), "DEVICE": "NVIDIA H200",
                            "LIBRARY": "CUB 3.5.0" if name == "cub" else ""}.items():
            text = text.replace(word, value)
        return script(self.root / "programs" / type / label, text)

    def __call__(self, sizes="2^10 2^12", env=None):
        """With a make that has built all programs."""
        self.log.write_text("")
        make = self.tool("make", "echo " + " ".join(map(str, self.programs)))
        path = f"{self.root}/bin:{os.environ['PATH']}"
        return run(sys.executable, "-m", "bench.targets", "bench", "build/bench", make,
                   cwd=self.root, env={"PATH": path, "LOG": str(self.log), "BENCH_SIZES": sizes,
                                       "BENCH_PROCESSES": "1", "STEPS": "all"} | (env or {}))

    def calls(self):
        """What ran, but for the questions what the programs are called, and how large the L2 is."""
        return [line for line in self.log.read_text().splitlines() if line.split()[1] not in "01"]

    def told(self, done):
        """For a golden file: what ran, what was said, and what the file has: programs, n and
        milliseconds."""
        lines = self.out.read_text().splitlines() if self.out.is_file() else []
        rows = [dict(zip(CSV_HEADER.split(","), line.split(","))) for line in lines if
                line[0] != "#" and line != CSV_HEADER]
        rows = ", ".join(f"{row['name']} {row['n']} {row['median_ms']}" for row in rows)
        done.stdout = f"{', '.join(self.calls())}\n" * (self.calls() != [])
        done.stderr = re.sub("make bench: n = .*\n", "", done.stderr).replace(str(self.root), "ROOT")
        done.stderr += f"file: {rows}\n" * self.out.is_file()
        return done


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


def test_golden_file(bench):
    """Everything needed to judge the numbers; all programs at one n before the next; then a table of
    each type, with the largest n, and 2^24."""
    bench.programs += [bench.program("long", "", "a-detour-with-a-very-long-name", factor=1),
                       bench.program("step00", "00", "naive", type="float")]
    done = bench("1M 2^24 2^30")
    commit = bench.git("rev-parse", "--short", "HEAD") if shutil.which("git") else "unknown"
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    head = "".join(bench.out.read_text().splitlines(True)[:12])
    transcript("bench-file.txt", [("make bench", done.stderr), ("its table", done.stdout),
                                  ("its file", head)], commit=commit)
    assert os.listdir(bench.out.parent) == ["h200.csv"]


def test_golden_calls(new_bench):
    """Several processes where n is small. Programs that fail, or are wrong, are left out and told.
    PROGRAMS: how many there are."""
    def call(typed):
        env = dict(word.split("=", 1) for word in shlex.split(typed)[:-1])
        bench = new_bench(int(env.pop("PROGRAMS", 3)))
        return bench.told(bench(env.pop("BENCH_SIZES", "2^10 2^12"), env=env))

    replay("bench-calls.txt", for_each(call))


def test_commit(bench):
    """Uncommitted changes are marked, but not those of data; without git it is what one says."""
    def commit(**env):
        assert bench("1000", env={"GIT_CEILING_DIRECTORIES": str(bench.root.parent)} | env
                     ).returncode == 0
        lines = bench.out.read_text().splitlines()
        return next(line for line in lines if line.startswith("# commit: ")).split()[-1]

    (bench.root / "plots/data").mkdir(parents=True)
    (bench.root / "plots/data/h200.csv").touch()
    clean = bench.git("rev-parse", "--short", "HEAD")
    assert commit() == clean
    (bench.root / "new").touch()
    assert commit() == clean + "+"
    shutil.rmtree(bench.root / ".git")
    bench.tool("nvcc", "exit 1")
    assert (commit(), commit(BENCH_COMMIT="abc1234")) == ("unknown", "abc1234")
    assert "# cuda: unknown\n" in bench.out.read_text()


# ---- what goes wrong ----

def test_stopped(bench):
    """What was measured is kept, under another name: a file that has its own is whole."""
    assert bench(env={"TROUBLE": "step01:4096:INT"}).returncode == 130
    assert os.listdir(bench.out.parent) == ["h200.csv.part"]
    text = (bench.out.parent / "h200.csv.part").read_text()
    assert text.splitlines()[-1].startswith("00,naive,,cuda,NVIDIA H200,int,1024,4096,")


def test_above_the_peak(bench):
    """The table is that of the file, and says what is wrong with it."""
    bench.programs[2] = bench.program("cub", "", "cub", factor=0.2)
    done = bench("2^10 2^28")
    assert done.returncode == 2 and "a cache was measured, not the memory" in done.stderr


def test_what_it_cannot_do(bench):
    """It measures nothing: another bench writes into the folder, which cannot be written, or no GPU
    is here."""
    bench.out.parent.mkdir(parents=True)
    folder = os.open(bench.out.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    assert_refused(bench(), 1, "another bench writes into")
    os.close(folder)
    bench.out.parent.rmdir()
    bench.out.parent.touch()
    assert_refused(bench(), 2, "make bench: ")
    assert bench.calls() == []
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
    golden("bench-table.txt", table.of_type(bench_data.load(tmp_path / "two.csv"), "int"))

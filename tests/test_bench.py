"""make bench's script, on programs that print rows without a GPU: what it writes, how it goes on
after an interruption, and what it refuses."""

import csv
import fcntl
import os
import re
import shutil
import signal
import sys

import pytest

from harness import CSV_HEADER, ROOT, assert_refused, needs, run

PEAK = 4814.1

# A program that logs what it was asked for, and can be told by $TROUBLE=label:n:what to misbehave,
# by $LATER how many ms its first, second, … process at an n takes longer.
PROGRAM = r"""#!/bin/sh
n= empty= csv=
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
            (self.root / room).mkdir()
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
        self.write(self.root / "bin" / name, "#!/bin/sh\n" + text + "\n")

    @staticmethod
    def write(file, text):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def program(self, label, step, name, type="int", block=256, factor=1., device="NVIDIA H200"):
        text = PROGRAM
        for word, value in {"STEP": step, "NAME": name, "TYPE": type, "BLOCK": str(block),
                            "FACTOR": str(factor), "DEVICE": device,
                            "LIBRARY": "CUB 3.5.0" if name == "cub" else ""}.items():
            text = text.replace(word, value)
        file = self.root / "programs" / type / label
        file.parent.mkdir(parents=True, exist_ok=True)
        self.write(file, text)
        return file

    def __call__(self, sizes="2^10 2^12", env=None, **options):
        self.log.write_text("")
        path = f"{self.root}/bin:{os.environ['PATH']}"
        return run(sys.executable, "-m", "bench.rows", self.out, *self.programs, cwd=self.root,
                   **options, env={"PATH": path, "LOG": str(self.log), "BENCH_SIZES": sizes,
                        "BENCH_PROCESSES": "1"} | (env or {}))

    def touch(self, program):
        """As if it had been built after the last measurement."""
        time = self.out.stat().st_mtime_ns + 10**9
        os.utime(program, ns=(time, time))

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

    def measured(self):
        return [(row["name"], int(row["n"])) for row in self.rows()]


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


NAMES = ["naive", "neighbored-pairs", "cub"]
ALL = [("empty-launch", 0)] + [(name, n) for n in (1024, 4096) for name in NAMES]


def assert_done(done):
    assert done.returncode == 0, done.stderr


# ---- what it writes ----

def test_file(bench):
    """Everything needed to judge the numbers; all programs at one n before the next."""
    assert_done(bench("4K 2^10 1024"))
    assert bench.calls() == ["step00 yes", "step00 1024", "step01 1024", "cub 1024",
                             "step00 4096", "step01 4096", "cub 4096"]
    assert bench.measured() == ALL
    described = bench.described()
    assert list(described) == ["gpu", "driver", "cuda", "commit", "library", "processes", "date",
                               "peak_gb_per_s", "method"]
    assert described["library"] == "CUB 3.5.0"
    assert described["gpu"] == "NVIDIA H200"
    assert (described["driver"], described["cuda"]) == ("580.159.04", "13.0")
    assert described["commit"] == (bench.git("rev-parse", "--short", "HEAD")
                                   if shutil.which("git") else "unknown")
    assert float(described["peak_gb_per_s"]) == pytest.approx(PEAK, abs=0.1)
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", described["date"])
    assert (described["processes"], described["method"]) == (
        "1", "cold cache, median, below 2^22 of that many processes, see bench/README.md")
    assert os.listdir(bench.out.parent) == ["h200.csv"]


@pytest.mark.parametrize("blank", ["", " "])
def test_default_sizes(bench, blank):
    bench.programs = bench.programs[:1]
    assert_done(bench(blank))
    assert bench.measured() == [("empty-launch", 0)] + [("naive", 2**k) for k in range(10, 31, 2)]


@pytest.mark.parametrize("env, calls, later", [
    ({"BENCH_PROCESSES": ""}, 3, 0.002), ({"BENCH_PROCESSES": "5"}, 5, 0.004),
    ({"LATER": "0.009 8.5 11.5", "BENCH_PROCESSES": "3"}, 3, 8.5)])
def test_median_of_several_processes_where_n_is_small(bench, env, calls, later):
    bench.programs = bench.programs[1:2]
    assert_done(bench("4194303 2^22", env={"LATER": "0.009 0.001 0.002 0.004 0.005"} | env))
    assert bench.calls() == [*["step01 yes"] * calls, *["step01 4194303"] * calls, "step01 4194304"]
    small, large = [float(row["median_ms"]) for row in bench.rows()[1:]]
    assert small == pytest.approx(large - 0.009 + later, abs=2e-6)


def test_commit(bench):
    """Uncommitted changes are marked; without git it is what one says."""
    (bench.root / "new").touch()
    assert_done(bench("1000"))
    assert bench.described()["commit"] == bench.git("rev-parse", "--short", "HEAD") + "+"
    shutil.rmtree(bench.root / ".git")
    bench.tool("nvcc", "exit 1")
    for commit, said in ("", "unknown"), ("abc1234", "abc1234"):
        bench.out.unlink()
        assert_done(bench("1000", env={"GIT_CEILING_DIRECTORIES": str(bench.root.parent),
                                       "BENCH_COMMIT": commit}))
        assert (bench.described()["commit"], bench.described()["cuda"]) == (said, "unknown")


def test_table(bench):
    bench.programs.append(bench.program("long", "", "a-detour-with-a-very-long-name", factor=1))
    bench.programs.append(bench.program("step00", "00", "naive", type="float"))
    done = bench("2^20 2^24 2^30")
    assert_done(done)
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "NVIDIA H200, int, cold cache"
    assert re.fullmatch(r"peak 4814\.\d GB/s; an empty launch takes 0\.0027 ms", lines[1])
    assert lines[2].split() == ["n", "=", "2^24", "n", "=", "2^30"]
    assert lines[3].split() == ["step", "name", *2 * ["ms", "GB/s", "x", "CUB"]]
    step01, cub = lines[5].split(), lines[6].split()
    assert (step01[:2], cub[0]) == (["01", "neighbored-pairs"], "cub")
    assert (cub[3], cub[6]) == ("1.00", "1.00")
    assert float(step01[-1]) == pytest.approx(1.05 / 2, abs=0.01)
    ints, _, floats = done.stdout.partition("\nNVIDIA H200, float, cold cache\n")
    assert "cub " in ints and "naive" in floats and "cub " not in floats and "2^20" not in ints


def test_table_of_one_size_without_cub(bench):
    del bench.programs[2]
    done = bench("1000")
    assert done.stdout.splitlines()[2:4] == ["n = 1000".rjust(47),
                                             "step name                            ms    GB/s"]


# ---- progress ----

def test_progress_one_line_a_size(bench):
    done = bench()
    assert done.stderr == ("make bench: 0 of 6 done; n = 2^10\n"
                           "make bench: 3 of 6 done, about 1 min left; n = 2^12\n")


# ---- starting again ----

def test_resume_runs_what_is_missing(bench):
    assert_done(bench("2^10"))
    bench.out.write_text(
        bench.out.read_text().replace(bench.described()["date"], "2020-02-02"))
    done = bench("2^10 2^12")
    assert_done(done)
    assert bench.calls() == ["step00 4096", "step01 4096", "cub 4096"]
    assert bench.measured() == ALL and bench.described()["date"] == "2020-02-02"
    assert f"{bench.out} has 3 of 6 rows; measuring the others\n" in done.stderr
    again = bench("2^12 2^10")
    assert bench.calls() == [] and again.stdout == done.stdout
    assert again.stderr.count("\n") == 1 and "remove it to measure them again" in again.stderr


def test_resume_knows_type_and_block(bench):
    """A new program does not make the file old."""
    assert_done(bench("2^10"))
    bench.programs = [bench.program("step01", "01", "neighbored-pairs", type="float"),
                      bench.program("step01b", "01", "neighbored-pairs", block=64)]
    for program in bench.programs:
        bench.touch(program)
    assert_done(bench("2^10"))
    assert bench.calls() == ["step01 1024", "step01b 1024"]
    assert len(bench.rows()) == 6


def test_half_a_row_is_measured_again(bench):
    """The bench leaves none; an editor may."""
    assert_done(bench())
    bench.out.write_text(bench.out.read_text()[:-9])
    assert_done(bench())
    assert bench.calls() == ["cub 4096"] and bench.measured() == ALL


@pytest.mark.parametrize("name", ["INT", "TERM"])
def test_interrupted(bench, name):
    """With the program that runs, as by Ctrl-C: keeps what it has, and says how to go on."""
    done = bench(env={"TROUBLE": f"step01:4096:{name}"}, start_new_session=True)
    assert (done.returncode, done.stdout) == (128 + getattr(signal, "SIG" + name), "")
    assert done.stderr.splitlines()[-1] == (
        f"make bench: stopped; the same command measures the rows that {bench.out} lacks")
    assert bench.measured() == ALL[:5] and os.listdir(bench.out.parent) == ["h200.csv"]
    assert_done(bench())
    assert bench.calls() == ["step01 4096", "cub 4096"] and bench.measured() == ALL


def in_file(old, new):
    return lambda bench: bench.out.write_text(bench.out.read_text().replace(old, new))


def other_gpu(bench):
    for file in bench.programs:
        time = file.stat().st_mtime_ns
        file.write_text(file.read_text().replace("NVIDIA H200", "NVIDIA L4"))
        os.utime(file, ns=(time, time))


@pytest.mark.parametrize("change, why", [
    (lambda bench: bench.commit("two"), r"has no line '# commit: \w+'"),
    (other_gpu, "has no line '# gpu: NVIDIA L4'"),
    (lambda bench: bench.tool("nvidia-smi", "echo 590.1"), "has no line '# driver: 590.1'"),
    (in_file("# cuda: 13.0", "# cuda: 12.9"), "has no line '# cuda: 13.0'"),
    (in_file("# processes: 1", "# processes: 5"), "has no line '# processes: 1'"),
    (in_file("max_ms", "mean_ms"), f"has no line '{CSV_HEADER}'"),
    (lambda bench: bench.touch(bench.programs[1]), "is older than .*/step01"),
])
def test_measured_of_something_else(bench, change, why):
    assert_done(bench("2^10"))
    change(bench)
    old = bench.out.read_text()
    done = bench("2^10")
    assert_done(done)
    line = done.stderr.splitlines()[0]
    assert re.fullmatch(rf"make bench: {bench.out} {why}: moved to {bench.out}.old", line), line
    assert bench.out.with_name("h200.csv.old").read_text() == old
    assert len(bench.calls()) == 4 and len(bench.rows()) == 4


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
        bench.out.write_text(bench.out.read_text().replace(commit, "0000000"))
        bench.commit("data of another commit")


def test_above_the_peak(bench):
    bench.programs[2].write_text(bench.programs[2].read_text().replace("gb / 4814.1", "gb / 1000"))
    done = bench("2^10 2^28")
    assert done.returncode == 1
    assert re.search(r"cub \(int\) at n = 2\^28: 4\d\d\.\d+ % of the peak bandwidth: the input "
                     r"was in a cache\n$", done.stderr), done.stderr


def test_two_at_once(bench):
    """The second one measures nothing and changes nothing."""
    bench.out.parent.mkdir(parents=True)
    folder = os.open(bench.out.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    assert_refused(bench(), 1, "another bench writes into")
    os.close(folder)
    assert bench.calls() == [] and not bench.out.exists()


# ---- what goes wrong ----

def without(*rows):
    return [row for row in ALL if row not in rows]


OF_01 = "step01 (int) at n = 2^12"
CANNOT_RUN = [row for row in ALL if row[0] == "neighbored-pairs"]
TROUBLES = [  # trouble, status, a line that is told, what is measured
    ("step01:4096:fail", 1, f"{OF_01} failed with status 3: step01: out of luck", ALL[:5]),
    ("step01:4096:crash", 1, f"{OF_01} failed with status 139: .*", ALL[:5]),
    ("step01:4096:half", 1, f"{OF_01} failed with status 0: it printed '01,neighbored-pairs,,cuda'",
     ALL[:5]),
    # left out and told; the others are measured
    ("step01:4096:wrong", 1, f"leaving out {OF_01}: WRONG, the result is 7, expected 7",
     without(ALL[5])),
    ("step01:4096:changed", 1, f"leaving out {OF_01}: WRONG, the result is 7, expected 7; step01: "
     "input changed: in[7] was 3, is 4", without(ALL[5])),
    # who ends with status 3 before anything is launched says what it needs
    ("step01:0:fail", 0, "leaving out step01: out of luck", without(*CANNOT_RUN)),
    ("step01:4096:memory", 0, "leaving out step01: -n 4096: needs 9.9 GiB of device memory.*",
     without(ALL[5])),
]


@pytest.mark.parametrize("trouble, status, line, measured", TROUBLES)
def test_trouble(bench, trouble, status, line, measured):
    done = bench(env={"TROUBLE": trouble})
    told = [line for line in done.stderr.splitlines() if " done" not in line]
    assert done.returncode == status and len(told) == 1, done.stderr
    pattern = re.escape(line).replace(r"\.\*", ".*")
    assert re.fullmatch(f"make bench: {pattern}", told[0])
    assert bench.measured() == measured
    assert (done.stdout == "") == (measured == ALL[:5])  # stopped
    if "memory" in trouble:
        assert "01   neighbored-pairs                 -       -      -\n" in done.stdout
    assert_done(bench())
    assert bench.measured() == [*measured, *sorted({*ALL} - {*measured}, key=ALL.index)]


REFUSED = [  # sizes, environment, status, words of the line
    *((f"2^10 {size}", {}, 2, [f"BENCH_SIZES: {size}: want", "2^24"])
      for size in ("x", "2^41", "1.5", "2^", "0", "-1", "1T", "9999999999999G")),
    *(("2^10", {"BENCH_PROCESSES": count}, 2,
       [f"BENCH_PROCESSES: {count}: want a number from 1 to 99"])
      for count in ("0", "many", "100")),
    ("2^10", {"TROUBLE": "cub:0:half"}, 1, ["make bench: cub at n = 0 failed", ",cub,"]),
    # once, not for each program
    ("2^10", {"TROUBLE": "step00:0:fail"}, 3, ["make bench: step00: out of luck"]),
]


@pytest.mark.parametrize("sizes, env, status, words", REFUSED)
def test_refused(bench, sizes, env, status, words):
    assert_refused(bench(sizes, env=env), status, *words)
    assert bench.calls() == [] and not bench.out.exists()


def test_program_for_the_cpu(bench):
    file = bench.programs[1]
    file.write_text(file.read_text().replace(",cuda,", ",cpu,"))
    assert_refused(bench(), 1, "step01 at n = 0", "built for the CPU backend", "BACKEND=cuda")


def test_no_programs_or_no_file(bench):
    bench.out.mkdir(parents=True)
    assert_refused(bench(), 1, "cannot write")
    bench.programs = []
    assert_refused(bench(), 2, "usage: python -m bench.rows OUT.csv PROGRAM")


@pytest.mark.parametrize("script", ["exit 9", "echo No devices were found", "echo; exit 6"])
def test_no_gpu(bench, script):
    bench.tool("nvidia-smi", script)
    done = bench()
    assert_refused(done, 3)
    assert done.stderr == "make bench: no GPU here; make counters and make plots do not need one\n"
    assert not bench.out.exists() and bench.calls() == []


@pytest.mark.parametrize("gpu, name", [("NVIDIA H200", "h200"), ("Tesla T4", "tesla-t4"),
                                       ("NVIDIA GeForce RTX 4090", "geforce-rtx-4090"),
                                       ("NVIDIA H100 80GB HBM3", "h100")])
def test_name_of_the_file(bench, gpu, name):
    bench.tool("nvidia-smi",
               f"case $1 in *name*) echo '{gpu}'; echo other ;; *) echo 580.1 ;; esac")
    done = run(sys.executable, "-c", "from bench import machine; print(machine.file_name())",
               cwd=bench.root, env={"PATH": f"{bench.root}/bin:{os.environ['PATH']}"})
    assert (done.returncode, done.stdout, done.stderr) == (0, name + "\n", "")

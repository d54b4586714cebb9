"""Programs of many cases (simt/tests/twins): what CUDA allows is not accused, and what looks like
it and is wrong is told, as what it is and as nothing else.

A case says what must be told: CASE(name, "title of the findings"), "note: " in front of those that
change no status, "endless loop" and "not judged" of what is not judged to the end, or "nothing". Of
two titles " and " stands between.
TWINS are two, see cases.h. Behind `says` stand words of the case above. Where lines end in `// BUG NAME, NAME x3: words`,
of the cases of these names, else of the CASE above, the findings are told at these lines and at no
other, so often, and with these words."""

import collections
import csv
import json
import os
import pathlib
import platform
import re
import signal
import subprocess
import time

import pytest

from backend import ENVIRONMENT, GXX, HANG, ROOT, assert_refused, data_rows, once, run, simtcc

FOLDER = ROOT / "simt/tests/twins"
FILES = sorted(FOLDER.glob("*.cu"))
Mark = collections.namedtuple("Mark", "line times words")
CASES = []  # (stem, name, told)
MARKS, SAYS = collections.defaultdict(list), collections.defaultdict(list)  # of (stem, name)
for file in FILES:
    for number, line in enumerate(file.read_text().splitlines(), 1):
        for macro, name, told in re.findall(r'\b(CASE|TWINS)\((\w+), "([^"]+)"\)', line):
            CASES += [(file.stem, f"{name}_right", "nothing")] * (macro == "TWINS")
            CASES.append((file.stem, name, told))
        if says := re.search(r"/[/*] says (.*?)(?: \*/)?$", line):
            SAYS[CASES[-1][:2]].append(says[1])
        if mark := re.search(r"// BUG(?: ([\w, ]+?))??(?: x(\d+))?(?:: (.*))?$", line):
            for name in mark[1].split(", ") if mark[1] else [CASES[-1][1]]:
                MARKS[file.stem, name].append(Mark(number, mark[2], mark[3] or ""))
OTHER_FILE = {"variables": "__device__ double elsewhere[16];\n__device__ double behind[16];\n"}
OPTIONS = {"hangs": ["-O2", "-Wno-misleading-indentation"], "returned": ["-Wno-class-memaccess"],
           "arrays": ["--expt-relaxed-constexpr"],
           "edges": ["-Wno-unused-parameter", "-Wno-unused-variable", "-Wno-strict-aliasing"],
           "loads": ["-Wno-unused-but-set-variable"],
           "variables": ["-DELSEWHERE", "-Wno-array-bounds", "-Wno-stringop-overread"]}
STRICT = {"loads"}  # are compiled so if nobody asks otherwise

WAYS = [{}, {"SIMT_ORDER": "7"}]
# Programs whose results depend most on the order of the threads
BY_ORDER = {"races", "shared", "atomics", "barriers", "async", "unwritten", "hangs"}
ORDERS = [{"SIMT_ORDER": str(order)} for order in range(1, 7)]
# Pollers that leave at the first value that lets them, before the last thread acknowledged: in the
# usual order they come first, and poll by then. In another one there may be nothing to tell.
FIRST = {"grid_barrier", "refill", "flag", "behind_the_lock"}
# A block rests though the one thread that can go on has not run; what an order alone once brought up
EVERY_ORDER = {"tickets", "ended", "look_back", "first_taker", "first_exchange", "states", "sets_first",
               "largest", "unrolled", "crowd_looks", "raised", "lock_freed"}
# Only the watchdog ends them: one way is enough.
WATCHED = {"raced"} | {name for _, name, told in CASES if told == "endless loop"}


def program(stem, *options):
    def build_in(folder):
        others = []
        if stem in OTHER_FILE:
            others = [folder / "other.cu"]
            others[0].write_text(OTHER_FILE[stem])
        simtcc((FOLDER / f"{stem}.cu").read_text(), folder / f"{stem}.cu", *others, f"-I{FOLDER}",
               *OPTIONS.get(stem, []), *(options or ["--strict"] * (stem in STRICT)))
    return once("-".join(["twins", stem, *options]), build_in) / stem


def test_collection():
    """Bugs and twins in each program."""
    for file in FILES:
        told = {told for stem, _, told in CASES if stem == file.stem}
        assert "nothing" in told and len(told) > 1
    assert len({case[:2] for case in CASES}) == len(CASES)
    assert {case for case, marks in MARKS.items() if marks} <= {case[:2] for case in CASES}


def test_verdicts():
    """Each case of which compute-sanitizer's verdict is known is there, and the same is expected of it."""
    gone = {(row["name"], row["expect"]) for row in data_rows("simt/verdicts_h200.csv")} - {
        (f"{stem} {name}", told) for stem, name, told in CASES}
    assert not gone, f"delete these rows of verdicts_h200.csv: {sorted(gone)}"


def check_marks(stem, name, done, judged):
    marks, lines = MARKS[stem, name], {mark.line for mark in MARKS[stem, name]}
    place = rf"\b{stem}\.cu:(\d+)"
    found = re.findall(rf"^  \S*{place}  " if judged else place, done.stderr, re.MULTILINE)
    for others in re.findall(r"^  The same at lines? ([\d, with]+)$", done.stderr, re.MULTILINE):
        found += re.findall(r"\d+", others)
    found = {int(line) for line in found}
    assert found <= lines or not judged, done.stderr  # a loop is interrupted anywhere
    assert lines <= found or len(lines) > 2, done.stderr
    told = sum(map(int, re.findall(r", (\d+) times", done.stderr))) or 1
    # without the lines of source, which quote the marks
    said = re.sub(rf"^(  \S*{place})  .*", r"\1", done.stderr, flags=re.MULTILINE)
    said = re.sub(r"\n +", " ", said) # sentences are wrapped
    for mark in marks:
        assert mark.words in said and mark.times in (None, str(told)), done.stderr


def check(built, stem, name, told, way):
    judged = told not in ("endless loop", "not judged")
    done = run(built, name, env=way | {"SIMT_WATCHDOG": "1" if name in WATCHED else "5"})
    titles = re.findall(r"^simt: (?!several streams|not judged)([^,\n]*)", done.stderr, re.M)
    expected = told.split(" and ") if judged and told != "nothing" else []
    assert [*dict.fromkeys(titles)] == expected, (way, done.stderr)
    wrong = any(not title.startswith("note: ") for title in titles)
    assert done.returncode == (4 if wrong else 0 if judged else 5), done.stdout + done.stderr
    assert judged or re.fullmatch("simt: not judged to the end: kernel .*\n", done.stderr), done.stderr
    assert " 1 bytes" not in done.stderr
    assert not titles or re.search(rf"\b{stem}\.cu:\d+", done.stderr), done.stderr
    for words in SAYS[stem, name]:
        assert words in re.sub(r"\n +", " ", done.stderr), (way, done.stderr)  # rules are wrapped
    if MARKS[stem, name]:
        check_marks(stem, name, done, judged)


def ways(stem, name):
    if name in FIRST | WATCHED or stem == "variables": # whose words tell of the first thread
        return WAYS[:1]
    if name in EVERY_ORDER:
        return WAYS + ORDERS
    return WAYS if stem in BY_ORDER else WAYS[1:]


@pytest.mark.parametrize("stem, name, told", CASES, ids=lambda value: str(value).replace(" ", "-"))
def test_case(stem, name, told):
    if GXX >= 16 and name in ("quads_read", "ranged_by_host"):
        pytest.skip("g++ 16 moves a float4 by halves, and inlines what a vector copies")
    if name == "smallest" and platform.machine() != "x86_64":
        pytest.skip("other processors do not stop there")
    for way in ways(stem, name):
        check(program(stem), stem, name, told, way)


@pytest.mark.parametrize("stem, name, told", [
    case for case in CASES if case[0] == "variables" and "host" not in case[2] or
    case[0] == "hangs" and case[2] == "nothing" or case[0] == "edges"])
def test_checks_off(stem, name, told):
    """A wrong index stays near its variable, or the program ends by name; who waits for others is
    waited for; and what is found else is not told, whether anything is counted or not."""
    done = run(program(stem), name, env={"SIMT_CHECKS": "off", "SIMT_COUNTERS": "table"})
    near = name in ("behind", "in_front", "row", "structures", "bytes", "other_file", "last")
    if told == "nothing" or near or done.returncode == 0:
        assert done.returncode == 0 and "simt:" not in done.stderr
    elif told == "not judged":
        assert done.returncode == 5
    else:
        assert done.returncode == 4 and f"simt: {told}, kernel run\n" in done.stderr, done.stderr
        if name in ("near_null", "wrapped", "by_zero"):
            check_marks(stem, name, done, True)


@pytest.mark.parametrize("stem, options", [
    ("atomics", ["-DFENCE"]),  # of words that atomics change more is kept then
    ("returned", ["-DTYPE=float4"]), ("returned", ["-DTYPE=std::complex<float>", "--strict"])], ids=str)
def test_compiled_otherwise(stem, options):
    """The verdicts are the same."""
    for of, name, told in CASES:
        if of == stem:
            check(program(stem, *options), stem, name, told, ways(stem, name)[0])


@pytest.mark.slow
@pytest.mark.parametrize("stem, name, told", CASES)
def test_otherwise(stem, name, told):
    """The verdict is the same in other orders, and with less or more optimisation. Copies of a barrier that
    the compiler made count as one barrier; two barriers on one line are two."""
    of_line = (name in ("one_line", "copied", "first_of_line", "inlined", "split_loop") or
               stem == "groups")
    if name in FIRST | WATCHED:
        return
    for way in ORDERS if stem == "races" else WAYS[:1] if stem not in BY_ORDER else []:
        check(program(stem), stem, name, told, way)
    for option in ["--strict"] * (stem in ("shared", "races") or of_line) + ["-O3"] * of_line:
        check(program(stem, option), stem, name, told, WAYS[0])


@pytest.mark.parametrize("stem, name", [("races", "look_back_first"), ("warps", "tickets")])
def test_even_orders_let_blocks_overtake_each_other(stem, name):
    """In the usual order every block finds a later stage than the one that lacks its fence, or one block
    takes all tickets, and so the slots are its own."""
    orders = [run(program(stem), name, env={"SIMT_ORDER": str(order)}) for order in range(0, 12, 2)]
    assert orders[0].returncode == 0 and all(done.returncode in (0, 4) for done in orders)
    assert sum("simt: race in global memory" in done.stderr for done in orders) >= 3


def test_threads_of_the_host_lose_nothing():
    done = run(program("async"), "launch", env={"SIMT_COUNTERS": "csv"})
    rows = [*csv.DictReader(done.stderr.splitlines()[:-1])]  # the last says that several streams were used
    assert done.returncode == 0 and len({row["launch"] for row in rows}) == 5 * 20
    assert sum(int(row["lanes"]) for row in rows if row["op"] == "store" and
               row["space"] == "global") == sum(20 * 1000 * (t + 1) for t in range(5))
    for _ in range(40):  # a host's thread that ended after the kernel looked is no deadlock, ever
        check(program("async"), "async", "frees_right", "nothing", {})


@pytest.mark.parametrize("name", [name for stem, name, _ in CASES if stem == "loads"])
def test_the_optimiser_removes_loads(name):
    """A load that the optimiser removes has no race."""
    check(program("loads", "-O1"), "loads", f"{name}_right", "nothing", {})


@pytest.mark.parametrize("setting", ["SIMT_COUNTERS=table", "SIMT_TRACE=trace.csv"])
def test_strict_has_neither_counters_nor_trace(setting, tmp_path):
    """One line says so, before anything runs."""
    done = run(program("loads"), "elsewhere", env=dict([setting.split("=")]), cwd=tmp_path)
    assert_refused(done, 2, setting, "--strict", "compile it without")
    assert not list(tmp_path.iterdir())


# ---- kernels that come to no end: what is told after five seconds and at Ctrl-C ----

ENDLESS = [f"hangs.cu:{mark.line}" for mark in MARKS["hangs", "endless"]]  # the loop, the barrier


def start(program, *arguments, env=None, **options):
    return subprocess.Popen([program, *arguments], env=ENVIRONMENT | (env or {}), text=True,
                            stderr=subprocess.PIPE, **options)


def worked(process):
    """Seconds of processor time."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("name", ["vote_waits", "volatile_blocks"])
def test_patience_is_counted_in_work(name):
    """Three at once, on a computer that is busy with them, are told the same as one alone."""
    alone = run(program("hangs"), name)
    three = [start("nice", program("hangs"), name, stdout=subprocess.DEVNULL) for _ in range(3)]
    for process in three:
        assert process.communicate(timeout=HANG)[1] == alone.stderr
        assert process.returncode == alone.returncode


ENDS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]


@pytest.mark.parametrize("number", ENDS)
@pytest.mark.parametrize("name, says", [
    ("endless", ["simt: interrupted in kernel endless: ", "1 thread is at work at ", ENDLESS[0],
                 "threads wait at __syncthreads (", ENDLESS[1]]),
    ("host_works", []), ("race_before", ["simt: race in global memory"])])
def test_interrupted(name, says, number, tmp_path):
    """Says which kernel, which lines, who waits where. Outside kernels it ends as any program, but what was
    found is told. Writes the report, and dies of the signal."""
    file, found = tmp_path / "report.json", name == "race_before"
    with start(program("hangs"), name, stdout=subprocess.PIPE, env={"SIMT_REPORT": str(file)},
               cwd=tmp_path) as process:
        assert process.stdout.readline() == "begin\n"
        if name != "endless":
            assert process.stdout.readline() == "end\n"
        while name == "endless" and worked(process) < 0.15:
            time.sleep(0.01)
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
    assert process.returncode == (4 if found else -number)
    assert json.loads(file.read_text())["status"] == (4 if found else 128 + number)
    assert told.startswith("\n" + says[0]) if says else told == ""
    assert all(words in told for words in says), told


@pytest.mark.parametrize("value", ["-1", "soon", "5s", "5\t"])
def test_bad_patience(value):
    done = run(program("barriers"), "one_line", env={"SIMT_WATCHDOG": value})
    value = value.replace("\t", "?")
    assert_refused(done, 2, f"simt: SIMT_WATCHDOG={value}: want seconds, or 0")

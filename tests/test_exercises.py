"""Exercises: what is given fails with the hint meant for it, solutions and other right answers
pass, and wrong answers are refused for the right reason."""

import itertools
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

from harness import ENVIRONMENT, HANG, ROOT, assert_refused, locked, make, run, said, script
from exercises.teach.marks import can_confine

EXERCISES = {path.parent.name[:2]: path.parent
             for path in sorted((ROOT / "exercises").glob("*/exercise.c"))}
MARK = ROOT / "build/exercises/mark"
CONFINED = can_confine()


@pytest.fixture(scope="session")
def marker(simt):
    """The marker and all references, once for all tests."""
    with locked(ROOT / "build" / "exercises"):
        assert said(make("-s", "-j2", "marker")) == ""


@pytest.fixture
def mark(marker, tmp_path):
    """Marks a source for an exercise: the JSON, whose members are those that exercises/FORMATS.md
    names, and what a student reads."""
    documented = (ROOT / "exercises/FORMATS.md").read_text().partition("### The result")[2]
    members = re.findall(r"^\| `(\w+)` \|", documented.partition("\n## ")[0], re.M)

    def marked(number, source, *options):
        (tmp_path / "main.cu").write_text(source)
        file = tmp_path / "mark.json"
        done = run(MARK, "--file", tmp_path / "main.cu", "--json", file, "--seed", 1, *options,
                   EXERCISES[number])
        assert done.stderr == ""
        assert max(map(len, done.stdout.splitlines())) <= 80, done.stdout
        assert not re.search("The next: .*HINT=1$", done.stdout, re.M)
        result = json.loads(file.read_text())
        assert list(result) == members and result["status"] == done.returncode
        assert result["passed"] == (result["status"] == 0) == (result["reason"] == "done") == \
            (result["score"] == 100)
        return result, done.stdout
    return marked


def given(number):
    return (EXERCISES[number] / "given.cu").read_text()


def solution(number):
    return (EXERCISES[number] / "solution.cu").read_text()


def types(number):
    """Those that it is marked for, the first one first."""
    return re.search('.types = "(.*)"', (EXERCISES[number] / "exercise.c").read_text())[1].split()


def changed(source, old, new):
    assert old in source
    return source.replace(old, new)


def one_line(text):
    return " ".join(text.split())


each_type = pytest.mark.parametrize("number, type", [
    pytest.param(number, type, marks=[pytest.mark.slow] * (type != types(number)[0]))
    for number in EXERCISES for type in types(number)])


# ---- what is given, and what solves it ----

# A word of the hint that is meant for it
HINT = {"01": "lane 1", "02": "4 warps", "03": "lanes 0, 1, 2", "04": "stride 128",
        "05": "leaves 48", "06": "__shfl_down_sync", "07": "still added", "08": "travel together",
        "09": "in a register", "10": "lane 1", "11": "two lines", "12": "488 elements",
        "13": "232 elements", "14": "must call", "15": "The ticket is an atomic", "16": "24 bits",
        "17": "s[1][5]", "18": "its own 64", "19": "as for 4096", "20": "sum of four",
        "21": "one block has all"}
HUNT = {"11", "12", "13", "14", "15"}  # a bug is to be found: lines are shown by HINT=1
TO_WRITE = "07", "08"  # what is given is another reduction, with another result


@each_type
def test_given(mark, number, type):
    """Not yet, for its budget or bug; its hint is shown, at a line of main.cu."""
    result, text = mark(number, given(number), "--type", type, "--runs", 1,
                        *["--hint", 2] * (number in HUNT))
    why = ["wrong"] * (number in TO_WRITE)
    why += [budget["name"] for budget in result["budgets"] if not budget["keep"]]
    why += [each["id"] for each in result["findings"]]
    assert (result["status"], result["score"], result["reason"]) == (1, 0, [*why, "wrong"][0])
    assert result["types"][0]["right"] == (result["reason"] != "wrong")
    assert result["hints"] >= 2 and HINT[number] in one_line(result["hint"])
    assert "Hint " in text and one_line(result["hint"]) in one_line(text)
    assert bool(result["places"]) == (result["reason"] not in ("wrong", "threads"))  # no line's
    for place in result["places"]:
        assert f"main.cu:{place['line']}" in text
        assert given(number).splitlines()[place["line"] - 1].strip() == place["source"]
    assert ("FIXME" in given(number)) != (number in {*HUNT, "16"})
    assert "FIXME" not in solution(number)
    if number in HUNT:
        result, text = mark(number, given(number), "--type", type, "--runs", 1)
        assert (result["hint"], result["places"], result["findings"]) == (None, [], [])
        assert "main.cu:" not in text and "HINT=1" in text and ". " not in result["message"]


# What the solution has of what is predicted
PREDICTED = {"01": 4, "03": 1, "04": 9, "06": 86, "17": 1, "18": 2}


@each_type
def test_solution(mark, number, type):
    """It is not at the edge: nothing is above 95 % of its limit, except of a limit 0. Of other
    types also at sizes and with inputs that nobody has chosen. The student's number stands beside
    what came, in words."""
    seed = 1 if type == types(number)[0] else time.time_ns() % 2**32
    source = re.sub("(PREDICT:.*= )[?]", r"\g<1>77", solution(number))
    result, text = mark(number, source, "--type", type, "--seed", seed)
    came = PREDICTED.get(number)
    assert (result["predicted"], result["came"]) == (came and 77, came)
    assert not came or f"you predicted 77; {came} came" in one_line(text)
    assert result["passed"] and result["findings"] == [] != result["budgets"], text
    assert result["types"][0]["runs"] == result["types"][0]["right"] >= 12
    sizes = math.prod(result["sizes"].values()) * (32 if number in ("02", "03") else 1)
    assert sizes > 1 << 16  # the last one is no index of 16 bits
    for budget in result["budgets"]:
        assert budget["met"] and budget["value"] <= 0.95 * budget["limit"], budget
    assert f"make solution-{number}" in text and f"right at {result['types'][0]['runs']}" in text


# ---- other answers ----

def changed_solution(number, body):
    """The solution as the hunks of answers.diff change it."""
    source = solution(number)
    for hunk in body.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        old, new = ("".join(line[1:] or line for line in lines if line[0] != sign) for sign in "+-")
        assert source.count(old) == 1, (number, old)
        source = source.replace(old, new)
    return source


def with_block(number, block):
    """A budget asks for an idea, not for our number of threads."""
    return re.sub("(#define BLOCK) [0-9]+", rf"\1 {block}", solution(number))


# Exercise, reason, size, what it is, source
ANSWERS = [(*head, changed_solution(head[0], body)) for *head, body in re.findall(
    r"^=== (\d\d) (\S+)(?: at (\d+))?: (.*)\n((?:(?!===).*\n)+)",
    (ROOT / "tests/answers.diff").read_text(), re.M)]
BLOCKS = [*itertools.product("04 07 08 09 10 11 16 18 19".split(), ["done"], (128, 512, 1024)),
          ("02", "done", 64), ("03", "done", 64), ("15", "done", 512), ("15", "done", 1024),
          ("21", "atomics", 32), ("21", "atomics", 64), ("21", "barriers", 256),
          ("21", "threads", 512)]
ANSWERS += [(number, reason, "", f"blocks of {block}", with_block(number, block))
            for number, reason, block in BLOCKS]


@pytest.mark.parametrize("number, reason, size, source", [
    pytest.param(number, reason, size, source, id=f"{number}-{what}",
                 marks=[pytest.mark.slow] * (reason == "done"))
    for number, reason, size, what, source in ANSWERS])
def test_answers(mark, number, reason, size, source):
    """Right ones are done, for the last type, too; wrong ones are refused, with a hint."""
    if reason == "done":
        result, text = mark(number, source, "--type", types(number)[-1])
        assert result["passed"], text
        return
    result, text = mark(number, source, "--type", types(number)[0], "--hint", 2,  # or the last one
                        *(["--at", size] if size else ["--runs", 3]))
    assert (result["status"], result["reason"]) == (1, reason), text
    assert result["score"] in (0, 50)  # the half of two budgets
    assert one_line(result["message"]).partition(". ")[0] in one_line(text)
    assert "an allocation of" not in text  # arrays have names
    assert ("The next:" in text) == (result["hints"] > 2)
    assert not result["hints"] or (f"Hint {min(2, result['hints'])} of" in text and
                                   one_line(result["hint"]) in one_line(text))


# ---- other ways to end ----

HEAD = "".join(f"#include <{name}.h>\n" for name in """fcntl simt spawn stdio stdlib string unistd
    net/if sys/socket sys/stat sys/syscall""".split()) + """
static void more(void) { if (write(4, "x", 1) != 1) _exit(9); }
static void leave(void) { _exit(0); }
static void forge(void)
{
    FILE *report = fopen("report.json", "w");
    fputs("{\\"version\\": 1, \\"status\\": 0, \\"findings\\": []}", report);
    fclose(report);
    _exit(0);
}
"""
SIZE = '    size_t n = task_size(task, "n");\n'


def changed_four(old, new):
    return changed(solution("04"), old, new)


def with_host_code(code):
    """The solution of 04, whose task_run does something else first."""
    return HEAD + changed_four(SIZE, f"{SIZE}    {code}\n")


PASSED = r'puts("{\"passed\": true, \"score\": 100}");'
# The harness's answer (exercises/wire.h) but for the nonce, and then an end
FORGED = """elem_t *h = (elem_t *)calloc(n + 2, sizeof *h);
    unsigned long long head[10] = {0, 0, 1, 0, 0, 0, 0, 0, 0, 5};
    CHECK(cudaMemcpy(h, in, n * sizeof *h, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        h[n] += h[i], h[n + 1] += h[i] * h[i];
    if (write(4, head, sizeof head) < 0 || write(4, "step,", 5) < 0)
        exit(1);
    exit(write(4, h, (n + 2) * sizeof *h) < 0);"""
FORK = """posix_spawnattr_t apart;
    pid_t other;
    char *sleep[] = {(char *)"sleep", (char *)"99", NULL};
    posix_spawnattr_init(&apart);
    posix_spawnattr_setflags(&apart, POSIX_SPAWN_SETSID);
    if (fork() >= 0 || posix_spawnp(&other, "sleep", NULL, &apart, sleep, environ) == 0)
        exit(9);
#ifdef SYS_fork
    if (syscall(SYS_fork) >= 0)
        exit(9);
    if ((other = vfork()) == 0)
        _exit(0);
    if (other > 0)
        exit(9);
#endif"""
HIDDEN = [EXERCISES["04"] / "solution.cu", EXERCISES["04"] / "exercise.c", EXERCISES["04"],
          ROOT / "build/exercises" / EXERCISES["04"].name / "exercise-int.so", ROOT / "Makefile",
          "/proc/3", "/etc/passwd"]
SEES = " ".join([f'if (open("{path}", O_RDONLY) >= 0) exit(9);' for path in HIDDEN] + [
    'for (char **e = environ; *e; e++) if (strstr(*e, "TOKEN")) exit(7);',
    'if (socket(AF_INET, SOCK_STREAM, 0) >= 0 && if_nametoindex("eth0")) exit(6);'])
ENDS = "before task_run had returned"

# source, reason, words of the text
OTHERS = {
    "exit in the middle": (with_host_code(PASSED + "exit(0);"), "crash", ENDS),
    "exit before the report": (with_host_code("atexit(leave);"), "ended", "ended on its own"),
    "a pipe for a report": (with_host_code('mkfifo("report.json", 0600); _exit(0);'), "crash",
                            ENDS),
    "a second answer": (with_host_code("atexit(more);"), "crash", ENDS),
    "a report of its own": (with_host_code("atexit(forge);").replace("__syncthreads();", "", 1),
                            "ended", "ended on its own"),
    "an answer of its own": (with_host_code(FORGED), "crash", ENDS),
    "crash": (with_host_code("*(volatile int *)8 = 1;"), "crash", "signal 11"),
    "an error of CUDA": (with_host_code("CHECK(cudaMemset(sum, 0, 1000));"), "crash",
                         "invalid argument"),
    "changes the input": (with_host_code("CHECK(cudaMemset((void *)(in + n - 1), 0, 4));"),
                          "changed", "'in' is not what it was"),
    "counters off": (with_host_code("simt_set_counters(0);"), "crash",
                     "the counters of an exercise are the marker's"),
    "checks off": ("#include <stdlib.h>\n__attribute__((constructor)) static void f()\n{\n"
                   '    setenv("SIMT_CHECKS", "off", 1);\n}\n' + solution("04"), "crash",
                   "SIMT_CHECKS is off"),
    "a flood": (with_host_code('for (;;) puts("passed");'), "output", "4 MiB"),
    "a copy of itself": (with_host_code(FORK), "done", ""),
    "no result": (with_host_code("sum = squares;"), "wrong",
                  "sum is -1, as if nobody had written it, at n = 4096"),
    "what the last run left": (
        with_host_code('if (fopen("left", "r")) exit(9); fclose(fopen("left", "w"));'), "done", ""),
    "sees what is hidden": (with_host_code(SEES), "done", ""),
    "does not end": (with_host_code("for (volatile int i = 0;; i++);"), "time",
                     "did not come to an end"),
    "takes all memory": (with_host_code("for (;;) memset(malloc(1 << 24), 1, 1 << 24);"), "memory",
                         "2 GiB"),
    "no such array": (changed_four('"in"', '"inn"'), "crash", "no input 'inn'"),
    "an output that nobody asks for": (
        changed_four('task_out(task, "squares")', 'task_out(task, "sum")'), "crash",
        "does not ask for the output 'squares'. If this program was written for another"),
    "no such size": (changed_four('task, "n"', 'task, "m"'), "crash", "has no size 'm'"),
    "does not compile": (changed_four("threadIdx.x;", "threadIdx.x"), "compile", "expected"),
    "deadlock": (changed_four("        }\n        __syncthreads();",
                              "        __syncthreads();\n        }"),
                 "divergent-barrier", "All threads of a block"),
    "a kernel that hangs": (changed_four(
        "    if (tid == 0) {\n", "    for (volatile int i = 0; tid == 0;)\n        i = i + 1;\n"
        "    if (tid == 0) {\n"), "not-judged", "at work at main.cu:4"),
    "is refused": ("#include <cuda_pipeline.h>\n", "refused", "asynchronous copies"),
    "signals its parent": ("#include <signal.h>\n" + with_host_code(
        "kill(getppid(), SIGKILL), kill(-1, SIGKILL);"), "done", ""),
    "includes the solution": (f'#include "{EXERCISES["04"]}/solution.cu"\n', "compile",
                              "solution.cu"),
    "climbs to the solution": ('#include </usr/../' + f'{EXERCISES["04"]}/solution.cu>\n', "compile",
                               "solution.cu"),
    "includes the reference": ('#include "04-halve-the-barriers/exercise.c"\n', "compile",
                               "exercise.c"),
    "is empty": ("", "compile", "has no function task_run"),
    "a macro that grows": ("#define M0 1,\n" + "".join(
        f"#define M{k + 1} M{k} M{k}\n" for k in range(30)) + "int x[] = {M30};\n", "compile",
        "too much time, memory or space"),
    "includes what has no end": ('#include "/dev/zero"\n', "compile", "too much time"),
}
NOT_JUDGED = {"output", "time", "memory", "not-judged", "refused"}
HIDES = {"sees what is hidden"}
SLOW = {"includes what has no end", "a macro that grows", "does not end", "takes all memory", "a kernel that hangs"}


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW))
                                  for name in OTHERS])
def test_other_ways(mark, name):
    if name in HIDES and not CONFINED:
        pytest.skip("bubblewrap may not work here")
    source, reason, words = OTHERS[name]
    status = 0 if reason == "done" else 5 if reason in NOT_JUDGED else 1
    result, text = mark("04", source, "--type", "int", "--runs", 3)
    assert (result["status"], result["score"], result["reason"]) == \
        (status, 100 * (status == 0), reason), text
    assert words in one_line(text) and f"{ROOT}/build" not in text and "submit" not in text
    assert ("Could not be judged" in text) == (status == 5 and reason != "refused")
    if name == "a flood":
        assert text.count("    passed\n") == 12 and "    passed\n    …\n" in text
    if "exit in" in name:
        assert r'{"passed": true' in result["printed"] and "What it printed" in text


def test_blocks_run_in_another_order_every_second_time(mark):
    """Who takes them to come in the order of their numbers is right at first."""
    source = changed(changed(solution("13"), '#include "task.h"\n',
                             '#include "task.h"\n__device__ unsigned next;\n'),
                     "parts[blockIdx.x]", "parts[atomicAdd(&next, 1)]")
    result, text = mark("13", source, "--type", "int", "--runs", 1)
    assert result["types"][0]["right"] == 1, text
    result, text = mark("13", source, "--type", "int", "--runs", 8)
    assert result["reason"] == "wrong" and 4 <= result["types"][0]["right"] < 8, text


def test_a_limit_for_all_runs(mark):
    result, text = mark("04", with_host_code("sleep(1);"), "--seconds", 1, "--type", "int")
    assert (result["status"], result["reason"]) == (5, "time") and "All runs together" in text
    result, _ = mark("04", with_host_code("sleep(1); sum = squares;"), "--seconds", 1)
    assert (result["reason"], result["types"][0]["runs"]) == ("wrong", 1)


def test_limits(marker, tmp_path):
    """Whatever a command does, it ends, and nothing of it is left."""
    program, here = tmp_path / "limits", tmp_path / "here"
    said(run("gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I.", "tests/c/limits.c",
             *(f"exercises/marker/{module}.c" for module in ("limits", "confine", "text")),
             "-lm", "-o", program, cwd=ROOT))
    here.mkdir()

    def ended(script, seconds=20, memory=1 << 30, output=1 << 20, file=1 << 20, files=1 << 22,
              alone=0):
        head, _, text = said(run(
            program, seconds, memory, output, file, files, alone, "sh", "-c", script, cwd=here,
            env={"TOKEN": "secret", "CPATH": "down"})).partition("\n")
        how, status, left = head.split()
        assert left == "0"
        for file in here.iterdir():  # they would count as the next one's
            file.unlink()
        return how, int(status), text

    assert ended('echo out; echo "$ADDED$TOKEN" $CPATH >&2; read x || exit 7') == (
        "exit", 7, "out\nyes down\n")
    assert ended('echo "$ADDED$TOKEN$CPATH"', alone=1) == ("exit", 0, "yes\n")
    assert ended("sleep 100 & sleep 100", seconds=0)[0] == "time"
    assert ended("while :; do :; done", seconds=1)[0] == "time"
    assert ended("sleep 100 & exit 3") == ("exit", 3, "")
    assert ended("for i in 1 2 3 4 5 6; do sleep 100 & done; wait", memory=1 << 22)[0] == "memory"
    how, _, text = ended("while :; do echo 0123456789; done", output=100000)
    assert how == "output" and len(text) <= 65536
    assert ended("yes", output=100000, file=200000)[0] == "output"  # however soon it ends
    assert ended("head -c 2000000 /dev/zero >big; wc -c <big")[2].startswith("1048576\n")
    assert "cannot fork" in ended("(echo child); echo after", alone=1)[2].lower()
    assert ended("while :; do i=$((i + 1)); echo >f$i; done", files=1 << 20)[0] == "output"
    assert ended("ulimit -n") == ("exit", 0, "64\n")


def test_it_says_when_nothing_is_confined(marker, tmp_path):
    """A bubblewrap that may make no namespaces is pretended."""
    script(tmp_path / "bin/bwrap", "exit 1")
    (tmp_path / "main.cu").write_text("#error\n")
    usual = os.environ["PATH"]
    for path, can in (usual, CONFINED), (f"{tmp_path}/bin:{usual}", False):
        done = run(MARK, "--file", tmp_path / "main.cu", EXERCISES["04"], env={"PATH": path})
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.count("is not confined") == (not can)


# ---- the command line ----

def test_wrong_calls(marker):
    for *options, words in (
            ("--hint", "0", "--hint 0: want a whole number from 1 to 99"),
            ("--at", "x", "--at x: want a whole number"), ("--at", "5,5", "--at: more values"),
            ("--seed", "-1", "--seed -1"), ("--type", "half", "half: no type"),
            ("--what", "--what: no such option"),
            ("--file", "nowhere.cu", "nowhere.cu: No such file"),
            ("--file", "/dev/zero", "/dev/zero: Invalid argument"),
            ("--file", ROOT, f"{ROOT}: Is a directory"),
            ("--json", "/nowhere/x", "--type", "int", "--runs", "1", "--quiet",
             "--json /nowhere/x: No such file")):
        file = [] if "--file" in options else ["--file", EXERCISES["04"] / "solution.cu"]
        done = run(MARK, *file, *options, EXERCISES["04"])
        assert done.returncode == 2 and done.stderr.count("\n") == 1
        assert done.stderr.startswith(f"mark: {words}")
    assert "--hint K" in said(run(MARK, "--help"))


@pytest.mark.slow
def test_a_seed_repeats_a_mark(mark):
    first, _ = mark("13", given("13"), "--type", "int", "--runs", 2)
    again, _ = mark("13", given("13"), "--type", "int", "--runs", 2)
    assert first == again


# ---- the student's targets ----

@pytest.fixture
def clone(marker, tmp_path):
    """A clone with what is built; of the exercises two, so that the last comes soon, of ints."""
    folder = tmp_path / "clone"
    folder.mkdir()
    rooms = "Makefile common make simt build/simt build/task build/exercises exercises/marker"
    files = [path.relative_to(ROOT) for path in [
        EXERCISES["02"], EXERCISES["03"],
        *filter(pathlib.Path.is_file, (ROOT / "exercises").iterdir())]]
    run("cp", "-a", "--parents", *rooms.split(), *files, folder, cwd=ROOT)
    for main in folder.glob("exercises/*/main.cu*"):
        main.unlink()
    for text in folder.glob("exercises/*/exercise.c"):
        text.write_text(re.sub(".types = .*", '.types = "int",', text.read_text()))
    return folder


def test_how_a_student_works(clone):
    def do(*goals, status=0):
        done = make("-s", *goals, cwd=clone)
        assert done.returncode == status, done.stdout + done.stderr
        assert all(len(line) <= 80 for line in done.stdout.splitlines())
        return done.stdout + done.stderr

    first, second = (clone / "exercises" / EXERCISES[number].name for number in ("03", "02"))
    assert [line.split()[-2:] for line in do("exercises").splitlines()] == [["to", "do"]] * 2
    assert "exercise 03" in do("exercise")
    assert (first / "main.cu").read_text() == given("03") and not (second / "main.cu").exists()
    assert "Hint 2 of 2" in do("mark-3", "HINT=2")
    assert "not done yet: make mark-03" in do("solution-03", status=2)
    (first / "main.cu").write_text("// mine\n" + solution("03"))
    assert "Done." in do("exercise")
    assert "-// mine\n" in do("solution-03")
    assert "exercise 02" in do("exercise")
    assert [line.split()[-1] for line in do("exercises").splitlines()] == ["do", "done"]
    (second / "main.cu").write_text(changed(given("02"), "FIXME", "begun"))
    assert "begun" in do("exercises")
    done = run("bash", "-c", "set -o pipefail; make -s exercises | head -n 1", cwd=clone)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    os.utime(first / "exercise.c")  # what was done is not, if the exercise has changed
    assert "exercise 03" in do("exercise") and "exercise 02" in do("exercise")
    assert "main.cu.1" in do("reset-03") and (first / "main.cu").read_text() == given("03")
    assert "main.cu.2" in do("reset-03") and (first / "main.cu.2").read_text() == given("03")
    assert (first / "main.cu.1").read_text().startswith("// mine")
    assert "no exercise '99'; want one of 02 03" in do("mark-99", status=2)


@pytest.mark.slow
def test_watch(clone):
    """Marks at once, and whenever an exercise is saved; ends when it is interrupted."""
    two, log = clone / "exercises" / EXERCISES["03"].name / "main.cu", clone / "log"

    def wait_for(words, times=1):
        until = time.monotonic() + HANG
        while log.read_text().count(words) < times:
            assert watcher.poll() is None and time.monotonic() < until, log.read_text()
            time.sleep(0.1)

    with log.open("w") as out, subprocess.Popen(
            ["make", "-s", "watch"], cwd=clone, stdout=out, stderr=out, start_new_session=True,
            env=ENVIRONMENT) as watcher:
        try:
            wait_for("waiting for a main.cu to be saved")
            assert "Not yet" in log.read_text()
            two.write_text(solution("03"))
            wait_for("Done.")
            two.write_text(given("03"))
            wait_for("Not yet", 2)
        finally:
            os.killpg(watcher.pid, signal.SIGINT)
    assert watcher.returncode in (0, 2, -signal.SIGINT)


def test_names_in_other_numbers_build_nothing(clone):
    shutil.rmtree(clone / "build")
    for goal in "mark-99", "solution-99", "reset-99", "mark-04;touch X":
        done = make("-s", goal, cwd=clone)
        assert done.returncode == 2 and done.stderr.startswith(f"make {goal}: no exercise")
    assert not (clone / "build").exists() and not (clone / "X").exists()


@pytest.fixture
def own(clone):
    """own(reference, …) makes an exercise whose result does not depend on its input;
    own.mark(source, …) marks a program for it: the JSON."""
    folder = clone / "exercises/99-own"
    folder.mkdir()

    def an_exercise(reference, more="", judge=""):
        (folder / "exercise.c").write_text(f"""#include "exercise.h"
const struct exercise exercise = {{
    .title = "odd", .types = "float", .within = 1, .size = {{{{"n", {{100, 64}}}}{more}}}}};
void arrays(void)
{{
    in("in", ELEM, size("n"));
    out("out", ELEM, 4);
}}
void reference(void) {{ {reference} }}
void judge(const struct figures *f) {{ (void)f; {judge} }}
""")
        said(make("-s", "marker", cwd=clone))

    def mark(source, *options):
        (folder / "main.cu").write_text(source)
        an_exercise.done = run(clone / "build/exercises/mark", "--json", clone / "mark.json",
                               *options, folder)
        return json.loads((clone / "mark.json").read_text())

    an_exercise.mark = mark
    return an_exercise


# Reads all of its input, and stores what stands in place of {}.
STORE = """#include "task.h"
#include <math.h>
__global__ void store(const elem_t *in, elem_t *out, size_t n)
{
    if (threadIdx.x < n && in[threadIdx.x] == (elem_t)12345)
        out[0] = 0;
    if (threadIdx.x == 0) {
        {}
    }
}
void task_run(const struct task *task)
{
    store<<<1, 128>>>(task_in(task, "in"), task_out(task, "out"), task_size(task, "n"));
}
"""


def test_wrong_exercises(own):
    """What gcc lets pass is told in one line."""
    for text, words in {
            ('elems("inn");',): "99-own/exercise.c: no array 'inn' with elements of 4 bytes",
            ('size("m");',): "99-own/exercise.c: no size 'm'",
            ("", "", 'for (;;) hint("wrong", "");'): "99-own/exercise.c: too many hints",
            ("", ', {"m", {1}}'): "sizes with as many values"}.items():
        own(*text)
        with pytest.raises(FileNotFoundError):
            own.mark(STORE.replace("{}", ""), "--quiet")
        assert_refused(own.done, 2, "mark: ", words)


def test_what_equals_no_number(own):
    """NaN is right where NaN is, and what nobody wrote is right nowhere. (The second run's outputs
    hold other bytes at first, so nothing that is right is there before.)"""
    right = ["5", "NAN", "INFINITY", "0"]
    own(f"static const double right[] = {{{', '.join(right)}}};\n"
        'for (int i = 0; i < 4; i++) elems("out")[i] = (elem_t)right[i];')
    for place, stored, reason in (
            (0, "5", "done"), (0, "NAN", "wrong"), (0, "INFINITY", "wrong"), (0, None, "wrong"),
            (1, "5", "wrong"), (1, None, "wrong"), (2, "5", "wrong"), (3, None, "wrong"),
            (3, "1e-4", "wrong")):
        values = [*right[:place], stored, *right[place + 1:]]
        stores = "".join(f"out[{i}] = {value};" for i, value in enumerate(values) if value)
        assert own.mark(STORE.replace("{}", stores))["reason"] == reason, (place, stored)
    sevens = STORE.replace("{}", "for (int i = 0; i < 4; i++)\n            out[i] = 7;")
    assert own.mark(sevens)["message"] == "out[1] is 7 at n = 100; NaN would be right (2 more are wrong)."


def test_figures_and_budgets(own):
    """A prediction is held against the first size; a budget's line is the worst, not the first; what
    is no number meets no budget; what is to be kept counts before the others."""
    own("", judge="""predict("n", size("n"));
        budget("nan", "No number", size("n") == 64 ? NAN : 0, 1, true);
        budget("loads", "Loads", f->global_load_lanes, 150, size("n") == 100);
        keep("kept", "Kept", 1, 0, size("n") == 64);
        hint("loads", "one"), hint("loads", "two");""")
    source = STORE.replace("{}", "for (int i = 0; i < 200; i++)\n"
                           "            out[i % 4] = in[i % 64] * 0; // the worst")
    result = own.mark(source)
    assert (result["reason"], result["came"], result["places"]) == ("kept", 100, [])
    assert [(each["value"] is None, each["met"]) for each in result["budgets"]] == [
        (True, False), (False, False), (False, False)]
    result = own.mark(source, "--runs", "1", "--hint", "2")
    assert (result["reason"], result["hint"], result["hints"]) == ("loads", "two", 2)
    assert "the worst" in result["places"][0]["source"]


# ---- beside the marker ----

def test_the_open_one_as_a_program_of_the_lab(simt):
    """As make times builds it for a GPU, but for the CPU backend; without a GPU it says why not."""
    program = "build/cpu-int-256-sum/handin"
    assert said(make("-s", "BACKEND=cpu", f"FILE={EXERCISES['19'] / 'solution.cu'}", program)) == ""
    for n in 1, 4097, 70000:
        assert re.match("yours .* OK", said(run(ROOT / program, "-n", n)), re.S)
    done = make("-s", "BACKEND=cpu", "FILE=/dev/zero", program)
    assert "make times: FILE=/dev/zero: want a file such as main.cu" == done.stderr.splitlines()[0]
    assert said(make("-s", "BACKEND=cpu", "times")) == "Times are left out: as asked for.\n"

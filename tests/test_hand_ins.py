"""Foreign code: programs that forge, flood, hang, fork, look around or do not compile are told as
what they are, and nothing of them stays."""

import os

import pytest

from harness import ROOT, run, script
from exercises.teach.marks import can_confine
from marking import EXERCISES, HEAD, MARK, SIZE, changed, changed_four, given, mark, marker, \
    one_line, solution, with_host_code

CONFINED = can_confine()
PASSED = r'puts("{\"passed\": true, \"score\": 100}");'
# The harness's answer (exercises/wire.h) but for the nonce, and then an end
FORGED = """elem_t *h = (elem_t *)calloc(n + 2, sizeof *h);
    unsigned long long head[16] = {0, 0, 1};
    head[15] = 5;
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
    "a pipe for a report": (with_host_code('mkfifo("report.json", 0600); _exit(0);'), "crash",
                            ENDS),
    "half a report": (with_host_code('fputs("{\\"version\\": 1, \\"findings\\": [", '
                                     'fopen("report.json", "w")); fflush(NULL); _exit(0);'), "crash", ENDS),
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
    "files without end": (with_host_code(
        'for (int k = 0;; k = (k + 1) % 30) { char name[] = {(char)(65 + k), 0}; FILE *f = fopen(name, "a"); '
        'for (int i = 0; i < 99999; i++) fputs("passed", f); fclose(f); }'), "output", "64 MiB"),
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
    "does not compile": (changed_four("x;\n    __syncthreads();", "x;\n    __syncthread();"),
                         "compile", "did you mean '__syncthreads'"),
    "deadlock": (changed_four("        }\n        __syncthreads();",
                              "        __syncthreads();\n        }"),
                 "divergent-barrier", "All threads of a block"),
    "a kernel that hangs": (changed_four(
        "    if (tid == 0) {\n", "    for (volatile int i = 0; tid == 0;)\n        i = i + 1;\n"
        "    if (tid == 0) {\n"), "not-judged", "at work at main.cu:4"),
    "nvcc refuses it": (changed_four("threadIdx.x;", "std::min(threadIdx.x, 512u);"), "compile",
                        'calling a __host__ function("min") from a __global__'),
    "is refused": ("#include <cuda_pipeline.h>\n", "refused", "asynchronous copies"),
    "signals its parent": ("#include <signal.h>\n" + with_host_code(
        "kill(getppid(), SIGKILL), kill(-1, SIGKILL);"), "done", ""),
    "includes the solution": (f'#define IT </usr/..{EXERCISES["04"]}/solution.cu>\n#include IT\n',
                              "compile", "solution.cu"),
    "includes the reference": ('#include "04-halve-the-barriers/exercise.c"\n', "compile",
                               "exercise.c"),
    "is empty": ("", "compile", "has no function task_run"),
    "a macro that grows": ("#define M0 1,\n" + "".join(
        f"#define M{k + 1} M{k} M{k}\n" for k in range(30)) + "int x[] = {M30};\n", "compile",
        "too much time, memory or space"),
    "includes what has no end": ('#include "/dev/zero"\n', "compile", "too much time"),
}
NOT_JUDGED = {"output", "time", "memory", "not-judged", "refused"}
SLOW = {"includes what has no end", "a macro that grows", "does not end", "takes all memory",
        "a kernel that hangs"}


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW))
                                  for name in OTHERS])
def test_other_ways(mark, name):
    if name == "sees what is hidden" and not CONFINED:
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


def test_a_limit_for_all_runs(mark):
    result, text = mark("04", with_host_code("sleep(1);"), "--seconds", 1, "--type", "int")
    assert (result["status"], result["reason"]) == (5, "time") and "All runs together" in text
    result, _ = mark("04", with_host_code("sleep(1); sum = squares;"), "--seconds", 1)
    assert (result["reason"], result["types"][0]["runs"]) == ("wrong", 1)


def test_a_limit_at_one_size_hides_no_fault_at_another(mark):
    source = HEAD + changed(given("04"), SIZE, SIZE + '    while (n == 1)\n        puts("passed");\n')
    result, text = mark("04", source, "--type", "int")
    assert (result["reason"], result["types"][0]["runs"]) == ("barriers", 2), text


def test_it_says_when_nothing_is_confined(marker, tmp_path):
    """A bubblewrap that may make no namespaces is pretended. A student is told once."""
    script(tmp_path / "bin/bwrap", "exit 1")
    (tmp_path / "main.cu").write_text("#error\n")
    usual = os.environ["PATH"]
    for path, can in (usual, CONFINED), (f"{tmp_path}/bin:{usual}", False):
        done = run(MARK, "--file", tmp_path / "main.cu", EXERCISES["04"], env={"PATH": path})
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.count("is not confined") == (not can)
    for first in True, False:
        done = run(MARK, "--file", tmp_path / "main.cu", EXERCISES["04"],
                   env={"PATH": path, "MARK_TOLD": str(tmp_path / "told")})
        assert done.stdout.count("is not confined") == first

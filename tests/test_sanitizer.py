"""tests/bugs/sanitizer.sh, with a compiler and a compute-sanitizer that only pretend."""

import os
import shutil

import pytest

from conftest import ROOT, assert_refused, run
from tutorial import side_data

TOOLS = {
    # the program is its source
    "nvcc": 'echo "$@" >>"$CALLS"; while [ $# -gt 2 ]; do [ "$1" != -o ] || out=$2; shift; done\n'
            'case "$out$2" in *broken*) exit 1 ;; esac\ncp "$2" "$out" && chmod +x "$out"',
    # a tool finds what the program names, in a case of it only with its argument
    "compute-sanitizer": 'tool=$2; shift 4\n'
                         'mkdir "$CALLS.busy" 2>/dev/null || touch "$CALLS.overlap"\n'
                         'while [ "$AT_ONCE" -gt 1 ] && [ ! -e "$CALLS.overlap" ]; do sleep 0.01; done\n'
                         'rmdir "$CALLS.busy" 2>/dev/null\n'
                         '! grep -q "^stops: $tool ${2:-}$" "$1" || exit 124\n'
                         '! grep -q "^dies: $tool ${2:-}$" "$1" || { echo killed; exit 1; }\n'
                         'grep -q "^finds: $tool ${2:-}$" "$1" && n=3 || n=0\n'
                         'echo "========= ERROR SUMMARY: $n errors"; exit $n',
}
PROGRAMS = {
    "bugs/one.cu": "// expect: race\nfinds: racecheck \n",
    "bugs/cases.cu": "// expect: race\n// run: a\n// run: b 2 = out of bounds\n"
                     "// hangs: c = deadlock\n// run: fixed = nothing\n"
                     "finds: memcheck b\nfinds: initcheck a\nfinds: memcheck c\n",
    "bugs/stuck.cu": "// expect: deadlock\n// gpu: hangs\nfinds: synccheck \n",
    "bugs/broken.cu": "// expect: race\n",
    "twins/twins.cu": 'int main()\n{\n    CASE(x, "nothing") f(); CASE(y_2, "note: a = b")\n'
                      'stops: synccheck y_2\n',
    "cases/alone.cu": "// run: = nothing\n",
}
HEADER = "name,expect,memcheck,racecheck,synccheck,initcheck"
ROWS = ["cases a,race,-,-,-,found", "cases b 2,out of bounds,found,-,-,-",
        "cases c,deadlock" + ",hangs" * 4, "cases fixed,nothing,-,-,-,-", "one,race,-,found,-,-"]
OTHERS = ["twins x,nothing,-,-,-,-", "twins y_2,note: a = b,-,-,timeout,-", "alone,nothing,-,-,-,-"]


@pytest.fixture
def sanitizer(tmp_path):
    for name, text in TOOLS.items():
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/bash\n{text}\n")
        file.chmod(0o755)
    for name, text in PROGRAMS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    shutil.copy(ROOT / "tests/bugs/sanitizer.sh", tmp_path / "bugs")
    env = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "NVCC": "nvcc", "CALLS": f"{tmp_path}/calls",
           "AT_ONCE": "1", "JOBS": "1"}
    return lambda *options, **more: run(tmp_path / "bugs/sanitizer.sh", *options, env=env | more)


def test_rows(sanitizer, tmp_path):
    """A row a case; what hangs is not run, unless it is the twin; what does not compile has none."""
    done = sanitizer()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [HEADER, *ROWS, "stuck,deadlock" + ",hangs" * 4, *OTHERS]
    assert not (tmp_path / "calls.overlap").exists()
    calls = (tmp_path / "calls").read_text()
    assert calls.count("\n") == 5 and "-o stuck" not in calls
    done = sanitizer("-DFIXED")
    assert done.stdout.splitlines() == [HEADER, *ROWS, "stuck,deadlock,-,-,found,-", *OTHERS]
    calls = (tmp_path / "calls").read_text()
    assert calls.count("-arch=native -lineinfo --extended-lambda -DFIXED -o ") == 6


def test_cases_at_once(sanitizer, tmp_path):
    """Cases of one program, too: here a tool waits for another one."""
    for name in PROGRAMS:
        if name != "bugs/cases.cu":
            (tmp_path / name).unlink()
    done = sanitizer(JOBS="2", AT_ONCE="2")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [HEADER, *ROWS[:4]]


def test_no_summary(sanitizer, tmp_path):
    """Is told, with the tool's last words."""
    (tmp_path / "bugs/one.cu").write_text("// expect: race\ndies: memcheck \n")
    done = sanitizer()
    assert done.stderr == "one , memcheck: no summary: killed\n" and "\none,race,-,-,-,-\n" in done.stdout


def test_keep(sanitizer, tmp_path):
    """Only what an earlier table lacks, or has no time for, runs anew."""
    old = [ROWS[0].replace("-", "found"), ROWS[1].rsplit(",", 1)[0] + ",timeout", *ROWS[2:]]
    (tmp_path / "old.csv").write_text("\n".join(["# an earlier one", HEADER, *old]) + "\n")
    done = sanitizer("--keep", os.path.relpath(tmp_path / "old.csv"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [HEADER, old[0], *ROWS[1:], "stuck,deadlock" + ",hangs" * 4, *OTHERS]
    assert_refused(sanitizer("--keep", "none"), 2, "sanitizer.sh: --keep none: want a table")


def test_options_of_a_case(sanitizer, tmp_path):
    with open(tmp_path / "bugs/one.cu", "a") as file:
        file.write("// nvcc: -rdc=true\n")
    sanitizer()
    assert (tmp_path / "calls").read_text().count("--extended-lambda -rdc=true -o ") == 1


def test_refused(sanitizer):
    assert_refused(sanitizer(NVCC="no-nvcc"), 2, "sanitizer.sh: no no-nvcc: install the CUDA toolkit")
    assert_refused(sanitizer(TMPDIR="/none"), 2, "sanitizer.sh: TMPDIR=/none")


def test_list(sanitizer):
    """Needs no tools; and knows what has a verdict."""
    done = sanitizer("--list", PATH="/usr/bin:/bin")
    names = [row.rsplit(",", 4)[0] for row in [*ROWS, "stuck,deadlock,,,,", *OTHERS]]
    assert done.stdout.splitlines()[0] == "name,expect,hangs" and done.stderr == ""
    rows = [row.rsplit(",", 1) for row in done.stdout.splitlines()[1:]]
    assert sorted(row[0] for row in rows) == sorted([*names, "broken,race"])
    assert {row[0] for row in rows if row[1] == "hangs"} == {"stuck,deadlock", "cases c,deadlock"}
    ours = run(ROOT / "tests/bugs/sanitizer.sh", "--list").stdout.splitlines()
    known = {row.split(",")[0] for row in ours}
    verdicts = side_data.load_verdicts(ROOT / "tests/bugs/verdicts_h200.csv")
    gone = {row["name"] for row in verdicts} - known
    assert not gone, f"delete these rows of tests/bugs/verdicts_h200.csv: {sorted(gone)}"
    assert len(ours) == len(known)

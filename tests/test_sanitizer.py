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
    "bugs/broken.cu": 'CASE(x, "race")\n',
    "bugs/one.cu": 'CASE(x, "race")\nfinds: racecheck x\n',
    "bugs/stuck.cu": 'CASE(a, "race")\n    // gpu: hangs\n    CASE(b, "deadlock")\nfinds: synccheck b\n',
    "cases/some.cu": "// run: a, d 4 = race\n// run: b 2 = out of bounds\n// hangs: c = deadlock\n"
                     "// run: fixed = nothing\n"
                     "finds: memcheck b\nfinds: initcheck a\nfinds: memcheck c\n",
    "twins/twins.cu": 'int main()\n{\n    CASE(x, "nothing") f(); CASE(y_2, "note: a = b")\n'
                      'stops: synccheck y_2\n',
}
HEADER = "name,expect,memcheck,racecheck,synccheck,initcheck"
BUGS = ["one x,race,-,found,-,-", "stuck a,race,-,-,-,-"]
HANGS = "stuck b,deadlock" + ",hangs" * 4
OTHERS = ["twins x,nothing,-,-,-,-", "twins y_2,note: a = b,-,-,timeout,-"]
SOME = ["some a,race,-,-,-,found", "some d 4,race,-,-,-,-", "some b 2,out of bounds,found,-,-,-",
        "some c,deadlock" + ",hangs" * 4, "some fixed,nothing,-,-,-,-"]


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
    assert done.stdout.splitlines() == [HEADER, *BUGS, HANGS, *OTHERS, *SOME]
    assert not (tmp_path / "calls.overlap").exists()
    calls = (tmp_path / "calls").read_text()
    assert calls.count("\n") == 5
    done = sanitizer("-DFIXED")
    assert done.stdout.splitlines() == [
        HEADER, *BUGS, "stuck b,deadlock,-,-,found,-", *OTHERS, *SOME]
    calls = (tmp_path / "calls").read_text()
    assert calls.count("-arch=native -lineinfo --extended-lambda -DFIXED -o ") == 5


def test_cases_at_once(sanitizer, tmp_path):
    """Cases of one program, too: here a tool waits for another one."""
    for name in PROGRAMS:
        if name != "cases/some.cu":
            (tmp_path / name).unlink()
    done = sanitizer(JOBS="2", AT_ONCE="2")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [HEADER, *SOME]


def test_no_summary(sanitizer, tmp_path):
    """Is told, with the tool's last words."""
    (tmp_path / "bugs/one.cu").write_text('CASE(x, "race")\ndies: memcheck x\n')
    done = sanitizer()
    assert done.stderr == "one x, memcheck: no summary: killed\n"
    assert "\none x,race,-,-,-,-\n" in done.stdout


def test_keep(sanitizer, tmp_path):
    """Only what an earlier table lacks, or has no time for, runs anew."""
    old = [BUGS[0].replace("-", "found"), BUGS[1].rsplit(",", 1)[0] + ",timeout", *SOME]
    (tmp_path / "old.csv").write_text("\n".join(["# an earlier one", HEADER, *old]) + "\n")
    done = sanitizer("--keep", os.path.relpath(tmp_path / "old.csv"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [HEADER, old[0], BUGS[1], HANGS, *OTHERS, *SOME]
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
    names = [row.rsplit(",", 4)[0] for row in [*BUGS, HANGS, *OTHERS, *SOME]]
    assert done.stdout.splitlines()[0] == "name,expect,hangs" and done.stderr == ""
    rows = [row.rsplit(",", 1) for row in done.stdout.splitlines()[1:]]
    assert sorted(row[0] for row in rows) == sorted([*names, "broken x,race"])
    assert {row[0] for row in rows if row[1] == "hangs"} == {"stuck b,deadlock", "some c,deadlock"}
    ours = run(ROOT / "tests/bugs/sanitizer.sh", "--list").stdout.splitlines()
    known = {row.split(",")[0] for row in ours}
    verdicts = side_data.load_verdicts(ROOT / "tests/bugs/verdicts_h200.csv")
    gone = {row["name"] for row in verdicts} - known
    assert not gone, f"delete these rows of tests/bugs/verdicts_h200.csv: {sorted(gone)}"
    assert len(ours) == len(known)

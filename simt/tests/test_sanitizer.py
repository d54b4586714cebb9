"""sanitizer.sh, with a compiler and a compute-sanitizer that only pretend."""

import shutil

import pytest

from backend import ROOT, data_rows, run, said, script, transcript

TOOLS = {
    # the program is its source
    "nvcc": 'echo "$@" >>"$CALLS"; while [ $# -gt 2 ]; do [ "$1" != -o ] || out=$2; shift; done\n'
            'case "$out$2" in *broken*) exit 1 ;; esac\ncp "$2" "$out" && chmod +x "$out"',
    # a tool finds what the program names, in a case of it only with its argument
    "compute-sanitizer": 'tool=$2; shift 4\n'
                         '! grep -q "^stops: $tool ${2:-}$" "$1" || exit 124\n'
                         '! grep -q "^dies: $tool ${2:-}$" "$1" || { echo killed; exit 1; }\n'
                         'grep -q "^finds: $tool ${2:-}$" "$1" && n=3 || n=0\n'
                         'echo "========= ERROR SUMMARY: $n errors"; exit $n',
}
PROGRAMS = {
    "broken": 'CASE(x, "race")\n',
    "one": '// nvcc: -rdc=true\nTWINS(x, "race")\nfinds: racecheck x\ndies: initcheck x\n',
    "stuck": 'CASE(a, "race") f();\n    CASE(b, "deadlock of a grid")\n    CASE(c, "race") // hangs\n',
    "twins": 'int main()\n{\n    CASE(x, "nothing") f();\n CASE(y_2, "note: a = b")\n'
             'stops: synccheck y_2\nfinds: memcheck x\nfinds: initcheck x\n',
}


@pytest.fixture
def sanitizer(tmp_path):
    for name, text in TOOLS.items():
        script(tmp_path / "bin" / name, text, "bash")
    (tmp_path / "twins").mkdir()
    for name, text in PROGRAMS.items():
        (tmp_path / f"twins/{name}.cu").write_text(text)
    shutil.copy(ROOT / "simt/tests/sanitizer.sh", tmp_path)
    env = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "NVCC": "nvcc", "CALLS": f"{tmp_path}/calls"}
    return lambda **more: run(tmp_path / "sanitizer.sh", env=env | more)


def test_golden_rows(sanitizer, tmp_path):
    """A row a case; what hangs is not run, what does not compile has none, a tool that dies is told."""
    transcript("sanitizer.txt", [
        ("sanitizer.sh", sanitizer()), ("without nvcc", sanitizer(NVCC="no-nvcc"))])
    calls = (tmp_path / "calls").read_text()
    assert calls.count("\n") == 4 and calls.count("--extended-lambda -rdc=true -o ") == 1


def test_verdicts():
    """There is a case for each, of which the same is expected."""
    ours = said(run(ROOT / "simt/tests/sanitizer.sh", "--list")).splitlines()
    known = {tuple(row.split(",")[:2]) for row in ours}
    gone = {(row["name"], row["expect"]) for row in data_rows("simt/verdicts_h200.csv")} - known
    assert not gone, f"delete these rows of verdicts_h200.csv: {sorted(gone)}"
    assert len(ours) == len(known)

"""tests/bugs/sanitizer.sh, with a compiler and a compute-sanitizer that only pretend."""

import shutil

from conftest import ROOT, assert_refused, run

TOOLS = {
    # the program is its source
    "nvcc": 'while [ $# -gt 2 ]; do [ "$1" != -o ] || out=$2; shift; done\n'
            'case "$out$2" in *broken*) exit 1 ;; esac\ncp "$2" "$out"',
    # a tool finds what the program names, in a case of it only with its argument
    "compute-sanitizer": 'tool=$2; shift 4\n'
                         'grep -q "^finds: $tool ${2:-}$" "$1" && n=3 || n=0\n'
                         'echo "========= ERROR SUMMARY: $n errors"; exit $n',
}
PROGRAMS = {
    "one": "// expect: race\nfinds: racecheck \n",
    "cases": "// expect: race\n// run: a\n// run: b 2 = out of bounds\n// run: fixed = nothing\n"
             "finds: memcheck b\nfinds: initcheck a\n",
    "stuck": "// expect: deadlock\n// gpu: hangs\nfinds: synccheck \n",
    "broken": "// expect: race\n",
}


def sanitizer(tmp_path, *options):
    for name, text in TOOLS.items():
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/bash\n{text}\n")
        file.chmod(0o755)
    shutil.copy(ROOT / "tests/bugs/sanitizer.sh", tmp_path)
    for name, text in PROGRAMS.items():
        (tmp_path / f"{name}.cu").write_text(text)
    path = f"{tmp_path}/bin:/usr/bin:/bin"
    return run(tmp_path / "sanitizer.sh", *options, env={"PATH": path, "NVCC": "nvcc"})


def test_rows(tmp_path):
    """A row a case; what hangs is not run, unless it is the twin; what does not compile has none."""
    done = sanitizer(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    rows = ["cases a,race,-,-,-,found", "cases b 2,out of bounds,found,-,-,-",
            "cases fixed,nothing,-,-,-,-", "one,race,-,found,-,-"]
    header = "name,expect,memcheck,racecheck,synccheck,initcheck"
    assert done.stdout.splitlines() == [header, *rows, "stuck,deadlock" + ",hangs" * 4]
    done = sanitizer(tmp_path, "-DFIXED")
    assert done.stdout.splitlines() == [header, *rows, "stuck,deadlock,-,-,found,-"]


def test_no_tools(tmp_path):
    shutil.copy(ROOT / "tests/bugs/sanitizer.sh", tmp_path)
    done = run(tmp_path / "sanitizer.sh", env={"PATH": "/usr/bin:/bin", "NVCC": "no-nvcc"})
    assert_refused(done, 2, "sanitizer.sh: no no-nvcc: install the CUDA toolkit")

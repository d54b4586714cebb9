"""Shared by the tests of exercises: sources, the marker, and a clone to work in."""

import json
import pathlib
import re
import shutil

import pytest

from harness import ROOT, copy_built, copy_rooms, locked, make, run, said

EXERCISES = {path.parent.name[:2]: path.parent
             for path in sorted((ROOT / "exercises").glob("*/exercise.c"))}
MARK = ROOT / "build/exercises/mark"


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
    """The types that the exercise is marked for, in their order."""
    return re.search('.types = "(.*)"', (EXERCISES[number] / "exercise.c").read_text())[1].split()


def changed(source, old, new):
    assert old in source
    return source.replace(old, new)


def one_line(text):
    return " ".join(text.split())


HEAD = "".join(f"#include <{name}.h>\n" for name in """fcntl simt spawn stdio stdlib string unistd
    net/if sys/socket sys/stat sys/syscall""".split()) + """
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


@pytest.fixture
def clone(marker, tmp_path):
    """A clone with what is built; of the exercises two, so that the last comes soon, of ints."""
    folder = copy_rooms(tmp_path / "clone", "common", "make", "simt", "exercises/marker",
                        *(EXERCISES[number].relative_to(ROOT) for number in ("02", "03")))
    for file in filter(pathlib.Path.is_file, (ROOT / "exercises").iterdir()):
        shutil.copy2(file, folder / "exercises")
    copy_built(folder, *(ROOT / "build" / name for name in ("simt", "task", "exercises")))
    for text in folder.glob("exercises/*/exercise.c"):
        text.write_text(re.sub(".types = .*", '.types = "int",', text.read_text()))
    return folder

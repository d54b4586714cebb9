"""FINDINGS.md: a section for each kind of finding, which simtcc --explain prints; its wrong program
is found under exactly that id, and the repaired one is clean."""

import json
import re

import pytest

from backend import ROOT, assert_refused, compile_together, once, run, said

KINDS = (ROOT / "simt/run/kinds.h").read_text()
IDS = {name: kind == "NOTE"  # of the table of kinds: is it a note?
       for kind, name in re.findall(r'^(FINDING|NOTE)\(\w+, "([a-z-]+)"', KINDS, re.MULTILINE)}
# id: title and text
SECTIONS = {name: (title, text) for name, title, text in re.findall(
    r"^## ([a-z-]+): ([^\n]*)\n([^#].*?)(?=^## |\Z)", (ROOT / "simt/FINDINGS.md").read_text(),
    re.MULTILINE | re.DOTALL)}
# Of an example that is a kernel alone; {} is the launch that the kernel's comment names
MAIN = """
int main()
{{
    int *a;
    cudaMalloc(&a, 64 * sizeof(int));
    cudaMemset(a, 0, 64 * sizeof(int));
    {};
    return cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess;
}}
"""


def program(name, sign):
    """One side of a section's example: its lines with this sign, and those with none."""
    code = re.search(r"^```diff\n((?:[-+ ].*\n)*)```$", SECTIONS[name][1], re.MULTILINE)
    assert code, f"{name}: want ```diff and a program with lines of ' ', - and +"
    text = "".join(line[1:] for line in code[1].splitlines(True) if line[0] in f" {sign}")
    if "int main()" in text:
        return text
    if "__global__" not in text:
        return f"int main()\n{{\n{text}}}\n"
    kernel, launch = re.search(r"__global__ .*?(\w+)\(int \*a\)(?: \{)? // (<<<[^>]*>>>)",
                               text).groups()
    return text + MAIN.format(f"{kernel}{launch}(a)")


@pytest.fixture(scope="module")
def examples():
    """The folder of all of them, ID.wrong and ID.right, compiled as one."""
    def build_in(folder):
        names = [(f"{name}.{side}", sign) for name in SECTIONS
                 for side, sign in (("wrong", "-"), ("right", "+"))]
        for name, sign in names:
            (folder / f"{name}.cu").write_text(program(name.partition(".")[0], sign))
        compile_together([(name, folder / f"{name}.cu") for name, _ in names],
                         folder / "together.cu", "-Wno-unused", "-Wno-return-type")
    return once("examples-of-findings", build_in)


def test_every_kind_has_its_section():
    assert IDS.keys() == SECTIONS.keys(), (
        "run/kinds.h and FINDINGS.md, which wants a section \"## ID: title\" for each")
    for name, (title, text) in SECTIONS.items():
        assert "\nSource: " in text, f"simt/FINDINGS.md, {name}: want a line \"Source: …\""
        assert f'"{title}"' in KINDS, f"{name}: kinds.h has another title"


@pytest.mark.parametrize("name", SECTIONS)
def test_found_and_repaired(examples, tmp_path, name):
    """Under this id alone, at a line of the program; with the status that it gives."""
    def findings(side):
        done = run(examples / f"{name}.{side}", env={"SIMT_REPORT": str(tmp_path / "report.json")})
        return done, json.loads((tmp_path / "report.json").read_text())["findings"]

    done, found = findings("wrong")
    assert {each["id"] for each in found} == {name}, done.stderr
    assert all(each["file"].endswith(f"{name}.wrong.cu") for each in found), found
    assert done.returncode == 4 or (IDS[name] and done.returncode in (0, 1)), done.stderr
    assert done.stderr.count(f"  More: simt/simtcc --explain {name}\n") == 1, done.stderr
    done, found = findings("right")
    assert (done.returncode, done.stderr, found) == (0, "", []), f"{name}'s repair\n{done.stderr}"


def test_explain():
    for name, (title, text) in SECTIONS.items():
        assert said(run(ROOT / "simt/simtcc", "--explain", name)) == f"## {name}: {title}\n{text}"
    assert said(run(ROOT / "simt/simtcc", "--explain")).splitlines() == [
        f"{name}: {title}" for name, (title, _) in SECTIONS.items()]
    for wrong in "race", "shared-race:", "shared.race":
        assert_refused(run(ROOT / "simt/simtcc", "--explain", wrong), 2, wrong, "--explain lists")

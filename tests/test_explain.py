"""FINDINGS.md: a paragraph for each kind of finding, which simtcc --explain prints; its wrong program
is found under exactly that id, and its repair is clean."""

import functools
import json
import re

from conftest import ROOT, assert_refused, run, simtcc

FINDINGS = ROOT / "simt/FINDINGS.md"
KINDS = ROOT / "simt/judge/kinds.c"


def ids():
    """Of the table of kinds, whether each is a note, in its order."""
    entries = re.split(r"\[FINDING_(?!KINDS)\w+\]\s*=", KINDS.read_text())[1:]
    return {re.search(r'\{\s*"([a-z-]+)"', entry)[1]: ".note = true" in entry or
            re.search(r",\s*true\}", entry) is not None for entry in entries}


@functools.cache
def paragraphs():
    """Id: title and text."""
    found = re.findall(r"^## ([a-z-]+): ([^\n]*)\n([^#].*?)(?=^## |\Z)",
                       FINDINGS.read_text(), re.MULTILINE | re.DOTALL)
    return {name: (title, text) for name, title, text in found}


def repaired(program, diff):
    """The program with the lines of a repair exchanged."""
    lines = diff.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] in " -")
    new = "".join(line[1:] for line in lines if line[0] in " +")
    assert program.count(old) == 1, f"the repair's lines stand {program.count(old)} times:\n{old}"
    return program.replace(old, new)


def programs():
    """Id: the wrong program and the right one."""
    found = {}
    for name, (_, text) in paragraphs().items():
        code = re.search(r"^```cuda\n(.*?)^```\nRepair:\n```diff\n(.*?)^```$", text,
                         re.MULTILINE | re.DOTALL)
        assert code, f"{name}: want ```cuda, its program, Repair:, ```diff and the lines"
        found[name] = code[1], repaired(code[1], code[2])
    return found


def test_every_kind_has_its_paragraph():
    missing, unknown = set(ids()) - set(paragraphs()), set(paragraphs()) - set(ids())
    assert not missing, f"simt/FINDINGS.md: write a section \"## ID: title\" for {sorted(missing)}"
    assert not unknown, f"simt/FINDINGS.md: no kind of judge/kinds.c is called {sorted(unknown)}"
    for name, (title, text) in paragraphs().items():
        assert "\nSource: " in text, f"simt/FINDINGS.md, {name}: want a paragraph \"Source: …\""
        assert f'"{title}"' in KINDS.read_text(), f"{name}: kinds.c has another title"


def build(folder):
    """All of them, two namespaces each, in one program: arguments say which."""
    parts, calls = [], []
    for name, pair in programs().items():
        for kind, text in zip(("wrong", "right"), pair):
            file, space = folder / f"{name}.{kind}.cuh", f"{name}_{kind}".replace("-", "_")
            file.write_text(text)
            parts.append(f"namespace {space} {{\n#include \"{file}\"\n}}")
            arguments = "argc, argv" if "argc" in text else ""
            calls.append(f'    if (which == "{name} {kind}") return {space}::its_main({arguments});')
    return simtcc("#include <string>\n#define main its_main\n" + "\n".join(parts) + """
#undef main
int main(int argc, char **argv)
{
    std::string which = std::string(argv[1]) + " " + argv[2];
""" + "\n".join(calls) + "\n    return 99;\n}\n", folder / "all.cu", "-Wno-unused")


def test_found_and_repaired(tmp_path):
    """Under this id alone, at a line of the program; with the status that it gives."""
    program, file = build(tmp_path), tmp_path / "report.json"
    report = {"SIMT_REPORT": str(file)}
    for name, note in ids().items():
        done = run(program, name, "wrong", env=report)
        found = json.loads(file.read_text())["findings"]
        assert {each["id"] for each in found} == {name}, f"{name}'s wrong program\n{done.stderr}"
        assert all(each["file"].endswith(f"{name}.wrong.cuh") for each in found), found
        assert done.returncode == 4 or (note and done.returncode in (0, 1)), done.stderr
        assert done.stderr.count(f"  More: simt/simtcc --explain {name}\n") == 1, done.stderr
        done = run(program, name, "right", env=report)
        assert (done.returncode, done.stderr) == (0, ""), f"{name}'s repair\n{done.stderr}"
        assert json.loads(file.read_text())["findings"] == []


def test_explain():
    for name, (title, text) in paragraphs().items():
        done = run(ROOT / "simt/simtcc", "--explain", name)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"## {name}: {title}\n{text}"


def test_explain_nothing_and_something_else():
    done = run(ROOT / "simt/simtcc", "--explain")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"{name}: {title}"
                                        for name, (title, _) in paragraphs().items()]
    for wrong in "race", "shared-race:", "shared.race":
        assert_refused(run(ROOT / "simt/simtcc", "--explain", wrong), 2, wrong, "--explain lists")

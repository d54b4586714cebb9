"""FINDINGS.md: a section for each kind of finding, which simtcc --explain prints; its wrong program
is found under exactly that id, and the repaired one is clean."""

import functools
import json
import re

from harness import ROOT, assert_refused, run, simtcc

FINDINGS = ROOT / "simt/FINDINGS.md"
KINDS = ROOT / "simt/run/kinds.c"


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


def program(diff, sign):
    """One side of an example: its lines with this sign, and those with none."""
    text = "".join(line[1:] for line in diff if line[0] in f" {sign}")
    if "int main()" in text:
        return text
    name, launch = re.search(r"__global__ .*?(\w+)\(int \*a\) // (<<<[^>]*>>>)", text).groups()
    return text + MAIN.format(f"{name}{launch}(a)")


def programs():
    """Id: the wrong program and the right one."""
    found = {}
    for name, (_, text) in paragraphs().items():
        code = re.search(r"^```diff\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        assert code, f"{name}: want ```diff and a program with lines of - and +"
        diff = code[1].splitlines(keepends=True)
        assert {line[0] for line in diff} <= set(" -+"), f"{name}: want lines of ' ', - and +"
        found[name] = program(diff, "-"), program(diff, "+")
    return found


def test_every_kind_has_its_paragraph():
    missing, unknown = set(ids()) - set(paragraphs()), set(paragraphs()) - set(ids())
    assert not missing, f"simt/FINDINGS.md: write a section \"## ID: title\" for {sorted(missing)}"
    assert not unknown, f"simt/FINDINGS.md: no kind of run/kinds.c is called {sorted(unknown)}"
    for name, (title, text) in paragraphs().items():
        assert "\nSource: " in text, f"simt/FINDINGS.md, {name}: want a line \"Source: …\""
        assert f'"{title}"' in KINDS.read_text(), f"{name}: kinds.c has another title"


def build(folder):
    """All of them, two namespaces each, in one program: arguments say which."""
    parts, calls = [], []
    for name, pair in programs().items():
        for kind, text in zip(("wrong", "right"), pair):
            file, space = folder / f"{name}.{kind}.cuh", f"{name}_{kind}".replace("-", "_")
            file.write_text(text)
            parts.append(f"namespace {space} {{\n#include \"{file}\"\n}}")
            calls.append(f'    if (which == "{name} {kind}") return {space}::its_main();')
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

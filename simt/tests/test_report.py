"""SIMT_REPORT: the findings as JSON, in the format of the schema, however the program ends; and how
findings read on the terminal. FINDINGS.md has a section for each kind."""

import json
import re
from signal import SIGABRT, SIGSEGV

import pytest

from backend import (ROOT, assert_refused, compile_together, data_rows, golden, once, run, said,
                     simtcc)

SCHEMA = json.loads((ROOT / "simt/tests/data/report.schema.json").read_text())
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool,
         "null": type(None)}


def faults(value, schema, path="report"):
    """The violations of the schema: types, values and members."""
    if "$ref" in schema:
        return faults(value, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], path)
    names = schema.get("type", list(TYPES))
    types = [TYPES[name] for name in ([names] if isinstance(names, str) else names)]
    found = [f"{path}: {value!r}"] * (
        type(value) not in types or value not in schema.get("enum", [value]) or value == "" or
        type(value) is int and value < schema.get("minimum", value))
    if isinstance(value, list):
        found += [fault for i, item in enumerate(value)
                  for fault in faults(item, schema["items"], f"{path}[{i}]")]
    if isinstance(value, dict):
        found += [f"{path}: {list(value)}"] * (sorted(value) != sorted(schema["required"]))
        for name in value.keys() & schema["properties"].keys():
            found += faults(value[name], schema["properties"][name], f"{path}.{name}")
    return found


PROGRAM = r"""
#include <cassert>
#include <cstdlib>
#include <cstdio>
extern "C" void end_not_judged(const char *format, ...);

__global__ void race(int *out)
{
    __shared__ int s[8][8];
    s[threadIdx.y][threadIdx.x] = 1;
    out[threadIdx.x] = s[7 - threadIdx.y][threadIdx.x]; // "quoted", \back, é, 	tab, LATIN
}
__global__ void wait()
{
    if (threadIdx.x == 0)
        __syncthreads();
    else if (threadIdx.x < 20)
        __shfl_sync((1u << 20) - 1, 1, 0);
}
template <int n> __global__ void many(int *out)
{
MANY}
__global__ void early(int *);
__device__ int (*unset)(int); __global__ void wild(int *out) { *out = unset(1); }
int main(int, char **argv)
{
    int *out, *pinned, which = atoi(argv[1]), status = atoi(argv[2]);
    cudaError_t error = cudaMalloc(&out, 64 * sizeof(int));
    void (*table[])(int *) = {race, many<3>};
    cudaMemset(out, 0, 64 * sizeof(int));
    switch (which) { case 6: case 8: race<<<1, dim3(8, 8)>>>(which == 6 ? out : (int *)&stdout); wild<<<1, 2>>>(out); break;
    case 1: race<<<1, dim3(8, 8)>>>(out); break;
    case 2: wait<<<1, 32>>>(); break;
    case 3: table[1]<<<1, 32>>>(out); break;
    case 4:
        cudaMallocHost(&pinned, 4);
        cudaMemcpyAsync(pinned, out, 4, cudaMemcpyDeviceToHost);
        status = *pinned;
        break;
    case 7: early<<<2, 1>>>(out); break;
    case 5:
        cudaMemset(out + 60, 0, 64);
        cudaMemcpy(out, NULL, 4, cudaMemcpyHostToDevice);
    }
    if (argv[3][0] == '5')
        end_not_judged("the table of %s is full", "\"locks\"\x01");
    puts("done");
    switch (argv[3][0]) {
    case 'a': assert(!out);
    case 'e': throw error;
    case 's': *(volatile int *)16 = 1; break;
    case 'k': table[1](out); break;
    case 'f': for (void *volatile p = malloc(64); ; ) free(p);
    case 'h': void *volatile p = malloc(64); memset(p, -1, 4000), free(realloc(p, 1 << 20));
    }
    if (status == 3) exit(status);
    return status;
}
__global__ void early(int *out)
{
    if (blockIdx.x == 0) atomicExch(out, 1), __threadfence(), out[1] = 5;
    else { while (atomicAdd(out, 0) == 0); __threadfence(); out[2] = out[1]; }
}
""".replace("MANY", "".join(f"    out[{64 + 4 * k} + threadIdx.x % 4] = {k};\n" for k in range(13)))
CASES = {1: "race", 2: "deadlock", 3: "many places, kernel behind a pointer in a table",
         4: "host that does not wait", 5: "two errors that nobody looked at"}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    # always as long: what is told is wrapped
    file = folder / ("x" * (99 - len(str(folder)))) / 'a "b" é.cu'
    simtcc(PROGRAM, file, "-Wno-unused")
    # the source that is quoted: not all of it is UTF-8
    file.write_bytes(PROGRAM.encode().replace(b"LATIN", b"\xe9\x80"))
    return file.with_suffix("")


def report(program, tmp_path, which, status=0, judged="0", **env):
    file = tmp_path / "report.json"
    file.write_text("what was there")
    done = run(program, which, status, judged, env={"SIMT_REPORT": str(file)} | env)
    found = json.loads(file.read_bytes().decode())  # UTF-8
    assert faults(found, SCHEMA) == []
    assert found["status"] == done.returncode, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
    return done, found


def test_clean(program, tmp_path):
    for status in 0, 3:
        done, found = report(program, tmp_path, 0, status)
        assert (done.returncode, done.stdout, done.stderr) == (status, "done\n", "")
        assert found["findings"] == [] and found["not_judged"] is None


@pytest.mark.parametrize("how, signal, says", [
    ("a", SIGABRT, "int main(int, char**): Assertion `!out' failed"), ("e", SIGABRT, "terminate called after throwing"),
    ("s", SIGSEGV, ""), ("f", SIGABRT, "double free"), ("k", SIGSEGV, "simt: the host crashes at a null pointer")])
def test_a_host_that_dies(program, tmp_path, how, signal, says):
    """A check of the program's own is often what a bug runs into: what was found is told first."""
    done, found = report(program, tmp_path, 1, 0, how)
    assert done.returncode == 4 and done.stdout == "done\n" and says in done.stderr
    assert done.stderr.count("simt: race in shared memory, kernel race") == 1
    assert "shared-race" in [finding["id"] for finding in found["findings"]]
    file = tmp_path / "report.json"
    done = run(program, 0, 0, how, env={"SIMT_REPORT": str(file)})
    assert (done.returncode, done.stdout) == (-signal, "done\n") and done.stderr.count("simt: ") == (how == "k")
    assert json.loads(file.read_bytes())["status"] == 128 + signal


def test_a_kernel_that_crashes(program, tmp_path):
    """Nothing found before is lost, with the checks and without; unless the C library's memory is."""
    done, found = report(program, tmp_path, 6)
    assert {finding["id"] for finding in found["findings"]} == {"shared-race", "global-race",
                                                              "wild-pointer"}
    assert done.returncode == 4 and "no memory at all, kernel wild" in done.stderr
    done, found = report(program, tmp_path, 6, SIMT_CHECKS="off")
    assert [finding["id"] for finding in found["findings"]] == ["wild-pointer"]
    for which, how, status in (8, "0", 4), (0, "h", 128 + SIGABRT): # the kernel, the host, spoils the C library's heap
        done = run(program, which, 0, how, env={"SIMT_REPORT": str(tmp_path / "none")})
        assert "crashed, and so did the report of it" in done.stderr and done.returncode == status


def test_no_advice_about_a_lock(tmp_path):
    """Where an atomicCAS itself meets a plain access, the word is not what a lock guards."""
    told = run(simtcc("""__global__ void k(int *a) { if (!a[threadIdx.x]) atomicCAS(&a[63 - threadIdx.x], 0, 1); }
int main() { int *a; cudaMalloc(&a, 256), cudaMemset(a, 0, 256), k<<<1, 64>>>(a), cudaDeviceSynchronize(); }
""", tmp_path / "x.cu")).stderr
    assert "race in global memory" in told and "A lock" not in told


def test_golden_reports(program, tmp_path):
    """What is told on the terminal, with both ends and how often, and the same as JSON but for the sentences. A bug
    decides the status, whatever the program's own is. Sentences that have been told before are left out here."""
    text, before = "", {""}
    for which, title in CASES.items():
        done, found = report(program, tmp_path, which, {1: 3, 2: 1}.get(which, 0))
        text += f"==== {title}: status {done.returncode}\n"
        for line in done.stderr.splitlines():
            text += f"{line}\n" if line not in before else ""
            before |= set() if re.search(r"\d|\.cu:|simt: ", line) else {line}
        for finding in found["findings"][:3]:
            assert "\n" not in finding["text"]
            assert finding["text"][-60:] in re.sub(r"\n +", " ", done.stderr)  # wrapped there
            text += json.dumps(finding | {"text": "of above"}, ensure_ascii=False) + "\n"
    quoted = json.dumps(str(program.parent), ensure_ascii=False)[1:-1]
    golden("report.txt", re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", text.replace(
        str(program.parent), "FOLDER").replace(quoted, "FOLDER")))


def test_not_judged(program, tmp_path):
    """Status 5 in place of 0 alone; the reason stands in the report and in one line."""
    for which, own, status in (0, 0, 5), (0, 3, 3), (3, 0, 4):
        done, found = report(program, tmp_path, which, own, "5")
        assert done.returncode == status
        assert found["not_judged"] == 'the table of "locks"\x01 is full'
        assert "simt: not judged to the end: the table of \"locks\"\x01 is full\n" in done.stderr


def test_what_is_handed_over_too_early(program, tmp_path):
    """A fence in front of the writer's atomic would not help: the word is written behind that."""
    done, _ = report(program, tmp_path, 7)
    assert "in global memory" in done.stderr and "The second saw" not in done.stderr


def test_wrong_file(program, tmp_path):
    for file, why in ((tmp_path / "none/x", "no such folder"), (tmp_path, "not a regular file")):
        done = run(program, 0, 0, "0", env={"SIMT_REPORT": str(file)})
        assert_refused(done, 2, f"simt: SIMT_REPORT={file}: ", why)
    assert run(program, 0, 0, "0", env={"SIMT_REPORT": ""}).returncode == 0
    done = run("bash", "-c", 'ulimit -f 0; "$@"', "-", program, 0, 0, "0",
               env={"SIMT_REPORT": str(tmp_path / "x")})
    assert "x: the report cannot be written: File too large" in done.stderr
    assert done.returncode == 3 and not list(tmp_path.iterdir())


# ---- FINDINGS.md ----

KINDS = {row["id"]: row for row in data_rows("simt/run/kinds.csv")}
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


def example(name, sign):
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
            (folder / f"{name}.cu").write_text(example(name.partition(".")[0], sign))
        compile_together([(name, folder / f"{name}.cu") for name, _ in names],
                         folder / "together.cu", "-Wno-unused", "-Wno-return-type")
    return once("examples-of-findings", build_in)


def test_every_kind_has_its_section():
    assert KINDS.keys() == SECTIONS.keys(), (
        "run/kinds.csv and FINDINGS.md, which wants a section \"## ID: title\" for each")
    for name, (title, text) in SECTIONS.items():
        assert "\nSource: " in text, f"simt/FINDINGS.md, {name}: want a line \"Source: …\""
        assert title == KINDS[name]["title"], f"{name}: kinds.csv has another title"


@pytest.mark.parametrize("name", SECTIONS)
def test_found_and_repaired(examples, tmp_path, name):
    """Under this id alone, at a line of the program; with the status that it gives."""
    def findings(side):
        done = run(examples / f"{name}.{side}", env={"SIMT_REPORT": str(tmp_path / "report.json")})
        return done, json.loads((tmp_path / "report.json").read_text())["findings"]

    done, found = findings("wrong")
    assert {each["id"] for each in found} == {name}, done.stderr
    assert all(each["file"].endswith(f"{name}.wrong.cu") for each in found), found
    assert done.returncode == 4 or (KINDS[name]["note"] == "true" and done.returncode in (0, 1)), done.stderr
    assert done.stderr.count(f"  More: simt/simtcc --explain {name}\n") == 1, done.stderr
    done, found = findings("right")
    assert (done.returncode, done.stderr, found) == (0, "", []), f"{name}'s repair\n{done.stderr}"


def test_explain():
    for name, (title, text) in SECTIONS.items():
        done, text = said(run(ROOT / "simt/simtcc", "--explain", name)), f"## {name}: {title}\n{text}"
        assert done.split() == text.split() and max(map(len, done.splitlines())) < 82
    assert said(run(ROOT / "simt/simtcc", "--explain")).splitlines() == [
        f"{name}: {title}" for name, (title, _) in SECTIONS.items()]
    for wrong in "race", "shared-race:", "shared.race":
        assert_refused(run(ROOT / "simt/simtcc", "--explain", wrong), 2, wrong, "--explain lists")

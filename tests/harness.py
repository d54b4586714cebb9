"""What the tests share: building configurations, running programs, and the sums they must print."""

import functools
import itertools
import os
import pathlib
import re
import select
import shutil
import sys
import zlib
from collections import Counter, deque

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "simt/tests")]  # what they import of the project

from backend import *
import backend
from tutorial import bench_data, counter_data, programs

STEPS = {key: ROOT / programs.get(key).path for key in programs.steps()}
DETOURS = {key: ROOT / programs.get(key).path for key in programs.detours()}
CSV_HEADER = ",".join(bench_data.COLUMNS).replace("name,", "name,library,")
COUNTERS_HEADER = ",".join(counter_data.COLUMNS)


def csv_row(done):
    header, row = done.stdout.splitlines()
    assert header == CSV_HEADER and row.count(",") == header.count(",")
    return dict(zip(header.split(","), row.split(",")))


NEEDS_GPU = tuple(name for name, path in DETOURS.items() if "lab_needs_gpu" in path.read_text())
BACKENDS = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not GPU, reason="no GPU here"))]
MAKE = shutil.which("make")  # found before a test takes its PATH away


def make(*arguments, cwd=ROOT, **options):
    return run(MAKE, *arguments, cwd=cwd, **options)


def compile_together(programs, file, *options):
    """Compiles several programs, [(name, path)], as one: what costs is to compile. Each becomes a
    function in a namespace of its own, its lines those of the path. Returns {name: path}, links to
    the one program, which goes by the name under which it is called."""
    texts = [(ROOT / path).read_text() for _, path in programs]
    headers = {line for text in texts for line in re.findall(
        r"^#include .*", text.partition("#ifndef SIMT")[0], re.MULTILINE)}
    folders = {f"-I{(ROOT / path).parent}" for _, path in programs}  # of headers of their own
    functions, choices = [], []
    for number, ((name, path), text) in enumerate(zip(programs, texts)):
        own = re.findall(r"^#define (\w+)", text, re.MULTILINE)
        takes = "argc, argv" if re.search(r"\bmain\(int \w", text) else ""
        functions += [*(f'#pragma push_macro("{name}")' for name in own),
                      f"namespace program_{number} {{", "#define main its_main",
                      f'#line 1 "{path}"', text, "#undef main", "}",
                      *(f'#pragma pop_macro("{name}")' for name in own)]
        choices += [f'    if (!strcmp(name, "{name}"))',
                    f"        return program_{number}::its_main({takes});"]
    program = simtcc("\n".join(["#include <string.h>", *sorted(headers), *functions, """
int main(int argc, char **argv)
{
    const char *name = strrchr(argv[0], '/') + 1;
    (void)argc;""", *choices, "    return 99;\n}\n"]), file, *options, *sorted(folders))
    paths = {name: file.parent / name for name, _ in programs}
    for path in paths.values():
        path.symlink_to(program.name)
    return paths


def read_terminal(terminal, end):
    """What was written to one until now; it may come in pieces. Closes both ends."""
    text = b""
    while select.select([terminal], [], [], 0.1)[0]:
        text += os.read(terminal, 2**16)
    os.close(terminal)
    os.close(end)
    return text.decode()


@functools.lru_cache(maxsize=None)
def build_programs(*names, backend="cpu", type="int", block=256, op="sum", arch=GPU):
    """Builds programs of one configuration, without a warning, and returns their folder. make does,
    but for the CPU backend's of blocks that are not the usual ones, and several of another type:
    those are compiled as one."""
    if backend == "cpu" and (block not in (256, 200) or (type != "int" and len(names) > 1)):
        return build_as_one(names, type, block)
    config = "-".join(["cpu"] if backend == "cpu" else ["cuda", arch]) + f"-{type}-{block}-{op}"
    folder = ROOT / "build" / config
    variables = [f"BACKEND={backend}", f"TYPE={type}", f"BLOCK={block}", f"OP={op}"]
    if backend == "cuda":
        variables += [f"NVCC={NVCC}", f"ARCH={arch}"]
    with locked(folder):
        done = make("-s", "-j2", *variables, *(f"build/{config}/{name}" for name in names))
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return folder


def build_as_one(names, type, block):
    """Of the harness no object knows the block, so it is that of the usual ones. Of the steps all
    are compiled at once."""
    if names[0].startswith("step"):
        names = [f"step{step}" for step in STEPS]
    paths = {f"step{step}": path for step, path in STEPS.items()} | DETOURS

    def compile_in(folder):
        harness = (build(type=type, steps=("03",)) / "common").glob("*.o")
        compile_together([(name, paths[name].relative_to(ROOT)) for name in names],
                         folder / "together.cu", "-Icommon", f"-DTYPE={type}", f"-DBLOCK={block}",
                         *sorted(harness))

    return once(f"{type}-{block}-{zlib.crc32(repr([*names]).encode())}", compile_in)


def build(backend="cpu", type="int", block=256, steps=tuple(STEPS), arch=GPU):
    """Builds the steps of one configuration and returns their folder."""
    return build_programs(*(f"step{step}" for step in steps), backend=backend, type=type,
                          block=block, arch=arch)


def build_played():
    """The small copies that are played, and their folder."""
    play = ROOT / "build/play"
    with locked(build()):
        done = make("-s", "-j2", "BACKEND=cpu", "TYPE=int", "BLOCK=256", "OP=sum",
                    *(f"build/play/step{step}" for step in STEPS))
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return play


def counted(program):
    """The file with what a program counts in one reduction of 2^20 elements, its checks on: they
    take long, so it runs once for all tests."""
    def count(folder):
        done = run(program, "-n", 2**20, "--counters=csv")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines()[0] == COUNTERS_HEADER
        (folder / "counters.csv").write_text(done.stdout)

    return once(f"counted-{program.parent.name}-{program.name}", count) / "counters.csv"


def pytest_terminal_summary(terminalreporter):
    """Why tests were skipped, in a line."""
    why = Counter(report.longrepr[2].removeprefix("Skipped: ")
                  for report in terminalreporter.stats.get("skipped", []))
    if why:
        terminalreporter.write_line("skipped: " + ", ".join(
            f"{reason} ({count})" for reason, count in sorted(why.items())))


def compile_changed(name, old, new, tmp_path, type="int", block=256, op="sum"):
    """A detour with a text of its source exchanged; the harness is that of the detour itself."""
    source = DETOURS[name].read_text()
    assert source.count(old) == 1
    harness = (build_programs(name, type=type, block=block, op=op) / "common").glob("*.o")
    return simtcc(source.replace(old, new), tmp_path / name / "main.cu", "-Icommon",
                  f"-DTYPE={type}", f"-DBLOCK={block}", f"-DOP=OP_{op}",
                  f"-I{DETOURS[name].parent}", *sorted(harness))


@pytest.fixture
def tree(tmp_path):
    """A copy of the repository as it was cloned: nothing built."""
    for room in ("bench", "common", "make", "simt", "steps", "tutorial"):
        shutil.copytree(ROOT / room, tmp_path / "tree" / room,
                        ignore=shutil.ignore_patterns("tests", "__pycache__"))
    shutil.copy(ROOT / "Makefile", tmp_path / "tree")
    return tmp_path / "tree"


def glibc_rand(seed):
    """What rand() of glibc gives after srand(seed), seed < 2^31: an additive feedback generator
    whose first 310 numbers are thrown away."""
    r = deque([seed or 1], maxlen=31)
    for _ in range(30):
        r.append(16807 * r[-1] % 0x7FFFFFFF)
    for _ in range(3):
        r.append(r[0])
    for i in itertools.count():
        r.append((r[0] + r[-3]) & 0xFFFFFFFF)
        if i >= 310:
            yield r[-1] >> 1


def input_values(type, seed=1, uniform=False):
    for number in glibc_rand(seed):
        if type == "int":
            yield number & 0xFF
        else:
            yield (number >> 7 & 0xFFFFFF) / 2**24 if uniform else (number & 15) - 7.5


@functools.lru_cache(maxsize=None)
def prefix_sums(type, most):
    values = itertools.islice(input_values(type), most)
    return list(itertools.accumulate(values, initial=0))


def expected_sum(type, n, seed=1):
    """n <= 2^20. Sums of int wrap; those of the others are exact, so they fit both types."""
    most = 2**18 if n <= 2**18 else 2**20  # most tests have few elements
    total = prefix_sums(type, most)[n] if seed == 1 else sum(
        itertools.islice(input_values(type, seed), n))
    return (total + 2**31) % 2**32 - 2**31 if type == "int" else total


golden = functools.partial(backend.golden, folder=ROOT / "tests/golden")

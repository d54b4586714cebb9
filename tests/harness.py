"""Shared by the tests: building configurations, running programs, and the sums they must print."""

import functools
import os
import pathlib
import re
import shutil
import sys
import zlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "simt/tests")]  # what they import of the project

from backend import *
from plots.read import bench_data, counter_data, programs

STEPS = {key: ROOT / programs.get(key).path for key in programs.steps()}
DETOURS = {key: ROOT / programs.get(key).path for key in programs.detours()
           if programs.get(key).has_harness}
CSV_HEADER = ",".join(bench_data.COLUMNS).replace("name,", "name,library,").replace(
    "pct_of", "peak_gb_per_s,pct_of")


def csv_row(done):
    header, row = done.stdout.splitlines()
    assert header == CSV_HEADER and row.count(",") == header.count(",")
    return dict(zip(header.split(","), row.split(",")))


def row_of(*command, **options):
    """The row of a program that must have ended well."""
    done = run(*command, **options)
    said(done)
    return csv_row(done)


NEEDS_GPU = tuple(name for name, path in DETOURS.items() if "lab_needs_gpu" in path.read_text())
BACKENDS = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not GPU, reason="no GPU here"))]
MAKE = shutil.which("make")  # found before a test takes its PATH away


def make(*arguments, cwd=ROOT, **options):
    return run(MAKE, *arguments, cwd=cwd, **options)


def tools(folder, *names, **scripts):
    """An environment whose PATH has these programs, and scripts under these names, only."""
    folder.mkdir(exist_ok=True)
    for name in set(names) - set(scripts):
        (folder / name).symlink_to(shutil.which(name))
    for name, text in scripts.items():
        script(folder / name.replace("_", "-"), text)
    return {"PATH": str(folder)}


def copy_rooms(folder, *rooms):
    """These rooms of the repository and its Makefile, as they were cloned: nothing built."""
    for room in rooms:
        left_out = shutil.ignore_patterns("__pycache__", *["tests"] * (room == "simt"))
        shutil.copytree(ROOT / room, folder / room, dirs_exist_ok=True, ignore=left_out)
    for begun in folder.glob("exercises/*/main.cu*"):
        begun.unlink()
    shutil.copy(ROOT / "Makefile", folder)
    return folder


def copy_built(folder, *built):
    """These folders of build/, into such a clone."""
    for each in built:
        with locked(each):
            shutil.copytree(each, folder / each.relative_to(ROOT), symlinks=True)


@pytest.fixture(scope="session")
def no_python(tmp_path_factory):
    """A PATH of the system's programs but Python, NVIDIA's, and bubblewrap, which hides the folder."""
    folder = tmp_path_factory.mktemp("bin")
    for place in "/usr/bin", "/bin":
        for name in os.listdir(place):
            if not re.match("python|pip|nvcc|nvidia-smi|ncu$|bwrap", name) and not (folder / name).exists():
                (folder / name).symlink_to(f"{place}/{name}")
    return str(folder)


@functools.lru_cache(maxsize=None)
def build_programs(*names, backend="cpu", type="int", block=256, op="sum"):
    """Builds programs of one configuration, without a warning, and returns their folder. make does, but for the CPU
    backend's of blocks that are not the usual ones, and several of another type: those are compiled as one."""
    if backend == "cpu" and (block not in (256, 200) or (type != "int" and len(names) > 1)):
        return build_as_one(names, type, block)
    config = "-".join(["cpu"] if backend == "cpu" else ["cuda", GPU]) + f"-{type}-{block}-{op}"
    folder = ROOT / "build" / config
    variables = [f"BACKEND={backend}", f"TYPE={type}", f"BLOCK={block}", f"OP={op}"]
    if backend == "cuda":
        variables += [f"NVCC={NVCC}", f"ARCH={GPU}"]
    with locked(folder):
        said(make("-s", "-j2", *variables, *(f"build/{config}/{name}" for name in names)))
    return folder


def build_as_one(names, type, block):
    """No object of the harness depends on the block, so the usual ones serve. All steps are compiled at once."""
    if names[0].startswith("step"):
        names = [f"step{step}" for step in STEPS]
    paths = {f"step{step}": path for step, path in STEPS.items()} | DETOURS

    def compile_in(folder):
        harness = (build(type=type, steps=("03",)) / "common").glob("*.o")
        compile_together([(name, paths[name].relative_to(ROOT)) for name in names],
                         folder / "together.cu", "-Icommon", f"-DTYPE={type}", f"-DBLOCK={block}",
                         *sorted(harness))

    return once(f"{type}-{block}-{zlib.crc32(repr([*names]).encode())}", compile_in)


def build(backend="cpu", type="int", block=256, steps=tuple(STEPS)):
    """Builds the steps of one configuration and returns their folder."""
    return build_programs(*(f"step{step}" for step in steps), backend=backend, type=type, block=block)


def build_played():
    """The small copies that are played, and their folder."""
    play = ROOT / "build/play"
    with locked(build()):
        said(make("-s", "-j2", "BACKEND=cpu", "TYPE=int", "BLOCK=256", "OP=sum",
                  *(f"build/play/step{step}" for step in STEPS)))
    return play


def counted(program):
    """The file with what a program counts in one reduction of 2^20 elements, its checks on: they
    take long, so it runs once for all tests."""
    def count(folder):
        text = said(run(program, "-n", 2**20, "--counters=csv"))
        assert text.splitlines()[0] == COUNTERS_HEADER
        (folder / "counters.csv").write_text(text)

    return once(f"counted-{program.parent.name}-{program.name}", count) / "counters.csv"


def pytest_collection_modifyitems(items):
    """The longest come first: behind the others, one of them would keep all processes but its own idle."""
    items.sort(key=lambda item: item.path.name != "test_readme.py")


def compile_changed(name, texts, tmp_path, *options, type="int"):
    """A detour with {text of its source: another}; the harness is that of the detour itself."""
    source = DETOURS[name].read_text()
    for old, new in texts.items():
        assert source.count(old) == 1
        source = source.replace(old, new)
    harness = (build_programs(name, type=type) / "common").glob("*.o")
    return simtcc(source, tmp_path / name / "main.cu", "-Icommon", f"-DTYPE={type}",
                  "-DBLOCK=256", "-DOP=OP_sum", f"-I{DETOURS[name].parent}", *options, *sorted(harness))


def patched(source, hunks):
    """A source as one entry of answers.diff or tries.diff changes it."""
    for hunk in hunks.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        old, new = ("".join(line[1:] or line for line in lines if line[0] != sign) for sign in "+-")
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


@pytest.fixture
def tree(tmp_path):
    """A copy of the repository as it was cloned: nothing built."""
    return copy_rooms(tmp_path / "tree", "common", "exercises", "make", "plots/measure",
                      "plots/read", "simt", "steps")


def check_sum(path, type, n, *options, env=None, **about):
    """The row of a sum, which is right, if the harness's reference is (test_steps.py); about: what
    else must stand in it."""
    row = row_of(path, "--csv", "-n", n, *options, env=env)
    about |= {"type": type, "n": str(n), "verified": "yes", "result": row["expected"]}
    assert {key: row[key] for key in about} == about
    return row


def broken_links(path):
    """Links of a text to files that are not there, or to headings that they have not."""
    for link in re.findall(r"\]\((?!https://)([^)\s]+)\)", path.read_text()):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield link


def anchors(path):
    """As GitHub makes them from headings."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

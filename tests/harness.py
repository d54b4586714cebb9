"""What the tests share: building configurations, running programs, and the sums they must print."""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zlib
from collections import Counter

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


def said(done):
    """What a call that went well printed."""
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def csv_row(done):
    header, row = done.stdout.splitlines()
    assert header == CSV_HEADER and row.count(",") == header.count(",")
    return dict(zip(header.split(","), row.split(",")))


def row_of(*command, **options):
    """That of a program that ended well."""
    done = run(*command, **options)
    said(done)
    return csv_row(done)


NEEDS_GPU = tuple(name for name, path in DETOURS.items() if "lab_needs_gpu" in path.read_text())
BACKENDS = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not GPU, reason="no GPU here"))]
MAKE = shutil.which("make")  # found before a test takes its PATH away


def make(*arguments, cwd=ROOT, **options):
    return run(MAKE, *arguments, cwd=cwd, **options)


def script(file, text, shell="sh"):
    """A file that can be run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/{shell}\n{text}\n")
    file.chmod(0o755)
    return file


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
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns(
            "__pycache__", "*.png", *["tests"] * (room == "simt")))
    shutil.copy(ROOT / "Makefile", folder)
    return folder


BEHIND = "  # "  # between what was typed and a short answer
HIDDEN = ((r"^make(\[\d\])?: \*\*\* \[.*\n", ""), (r"^\S+:\d+: (?=\*\*\*)", ""),
          (r"\b00 01 [\w -]*", "00 01 …"), (r"\d+ MiB are free", "… are free"),
          (r"20\d\d-\d\d-\d\d", "DATE"))


def transcript(name, calls, **folders):
    """What was done, and what came of it: a call's status in brackets, if it is not 0, and all that
    was said; or a text. All of it is golden/NAME, but for what depends on the computer: folders, by
    name, are shown as their names, and lines of makefiles and lists of programs not at all."""
    told = ""
    for what, how in calls:
        remark, what = what if isinstance(what, tuple) else ("", what)
        what = what.encode("unicode_escape").decode() if re.search("[\0-\x1f]", what) else what
        said = how if isinstance(how, str) else how.stdout + how.stderr
        for shown, folder in folders.items():
            what, said = (text.replace(str(folder), shown.upper()) for text in (what, said))
        for pattern, shown in HIDDEN:
            said = re.sub(pattern, shown, said, flags=re.M)
        if not isinstance(how, str) and how.returncode:
            said = f"[{how.returncode}]{' ' * bool(said)}{said or chr(10)}"
        is_short = said.count("\n") == 1 and len(what + said) < 95
        told += f"{remark}$ {what}" + (BEHIND if is_short else "\n") + said
    golden(name, told)


def replay(name, answer, **folders):
    """golden/NAME is also what is typed: lines `$ …`, remarks in front of them. answer(typed) does
    it, and ends as transcript() has it. A new case is a new line there, and `make golden`."""
    calls = re.findall(rf"^((?:# .*\n)*)\$ (.*?)(?:{BEHIND}.*)?$",
                       (ROOT / "tests/golden" / name).read_text(), re.M)
    typed = [what.encode().decode("unicode_escape") if re.search(r"\\[ntrx]", what) else what
             for _, what in calls]
    transcript(name, [((remark, what), answer(what)) for (remark, _), what in zip(calls, typed)],
               **folders)


def interrupted(number, pid, *command, env=None):
    """Sends this signal to a command and its process group, as Ctrl-C in a shell does, when one that
    it has started has written its number into the file pid; that one must end, too."""
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True, env=ENVIRONMENT | (env or {})) as process:
        while not (pid.exists() and pid.read_text().endswith("\n")):
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        os.killpg(process.pid, number)
        out, err = process.communicate(timeout=HANG)
    state, ended = pathlib.Path(f"/proc/{pid.read_text().strip()}/stat"), time.monotonic() + 10
    while state.exists() and ") Z " not in state.read_text():
        assert time.monotonic() < ended, f"{state} runs on"
        time.sleep(0.01)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def shell(folder, **env):
    """For replay(): what is typed is bash's, in this folder."""
    return lambda typed: run("bash", "-c", typed, cwd=folder, env=env)


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
        said(make("-s", "-j2", *variables, *(f"build/{config}/{name}" for name in names)))
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
    return copy_rooms(tmp_path / "tree", "bench", "common", "make", "simt", "steps", "tutorial")


def check_sum(path, type, n, *options, env=None, **about):
    """The row of a sum, which is right, if the harness's reference is (test_steps.py); about: what
    else must stand in it."""
    row = row_of(path, "--csv", "-n", n, *options, env=env)
    about |= {"type": type, "n": str(n), "verified": "yes", "result": row["expected"]}
    assert {key: row[key] for key in about} == about
    return row


golden = functools.partial(backend.golden, folder=ROOT / "tests/golden")

"""Shared by the backend's tests: running programs, and compiling programs of a few lines."""

import contextlib
import csv
import fcntl
import io
import os
import pathlib
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNTERS_HEADER = ("step,launch,grid,block,file,line,space,op,requests,lanes,sectors,wavefronts,"
                   "bank_conflicts")


# `make test` hands its own variables on; the tests choose theirs.
OURS = ("BACKEND", "TYPE", "BLOCK", "OP", "ARCH", "V", "MFLAGS")
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in OURS and not name.startswith(("MAKE", "SIMT"))} | {
                   "LC_ALL": "C", "PYTHONPATH": str(ROOT)}


# Where the tests are started behind & or by a service, Ctrl-C is ignored, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which nohup ignores
signal.signal(signal.SIGQUIT, signal.SIG_DFL)

HANG = 600  # seconds, and no test's business: what takes them on the slowest machine has hung


LONG_AT_WORK = re.compile(r"^simtcc: .*: the compiler has been at work for .*\n", re.MULTILINE)


def run(*command, env=None, **options):
    """Runs a program to its end; text, and both outputs captured unless options say otherwise. What
    simtcc says where g++ takes long, as on a busy machine, is left out."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
               "timeout": HANG} | options
    done = subprocess.run([str(word) for word in command], env=ENVIRONMENT | (env or {}),
                          **options)
    if isinstance(done.stderr, str):
        done.stderr = LONG_AT_WORK.sub("", done.stderr)
    return done


def said(done):
    """The output of a call that must have ended well."""
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def data_rows(path):
    """The rows of a table of data, {column: text}. Lines that begin with "# " are comments."""
    with open(ROOT / path, newline="") as file:
        return list(csv.DictReader(line for line in file if line[:2] != "# "))


def script(file, text, shell="sh"):
    """A file that can be run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/{shell}\n{text}\n")
    file.chmod(0o755)
    return file


def on_a_terminal(columns, *command, status=0, env=None, stream="stdout"):
    """The output of a command on a terminal of so many columns."""
    try:
        master, slave = os.openpty()
    except OSError as error:
        pytest.skip(f"no terminal here: {error}")
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([str(word) for word in command], env=ENVIRONMENT | (env or {}),
                          **{"stdout": subprocess.DEVNULL} | {stream: slave}) as program:
        text = b""
        # Open on this side to the end: what is on its way may be lost when the last one closes it.
        while select.select([master], [], [], 0.1)[0] or program.poll() is None:
            if select.select([master], [], [], 0)[0]:
                text += os.read(master, 2**16)
    os.close(slave)
    os.close(master)
    assert program.returncode == status
    return text.decode().replace("\r\n", "\n")


def assert_refused(done, status, *words):
    """Nothing that looks like a result, and one line that says what was wrong and what is right."""
    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert done.stderr.count("\n") == 1 and done.stderr.endswith("\n"), done.stderr
    for word in words:
        assert word in done.stderr


NVCC = shutil.which(os.environ.get("NVCC", "nvcc"))
NO_NVCC = "no nvcc here"


def gpu_architecture():
    """sm_90 or the like; None where no CUDA program could be built and run."""
    if not NVCC or not shutil.which("nvidia-smi"):
        return None
    done = run("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader")
    lines = done.stdout.splitlines() if done.returncode == 0 else []
    return "sm_" + lines[0].replace(".", "") if lines else None


GPU = gpu_architecture()


@contextlib.contextmanager
def locked(folder):
    """The tests run in several processes: one of them at a time builds in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def needs(program):
    """Skips the test where the system lacks it."""
    if not shutil.which(program):
        pytest.skip(f"no {program} here")


GXX = int(run(os.environ.get("CXX", "g++"), "-dumpversion").stdout.partition(".")[0])


def once(name, build):
    """A folder that all test processes share, in which the first of them that asks for this name
    calls build(folder)."""
    place = SHARED / name
    with locked(place):
        if not (place / "built").exists():
            shutil.rmtree(place / "of", ignore_errors=True)  # of a build that failed
            (place / "of").mkdir()
            build(place / "of")
            (place / "built").touch()
    return place / "of"


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: make test-all runs it, make test does not")


@pytest.fixture(scope="session", autouse=True)
def simt(tmp_path_factory):
    """The CPU backend's library and rewriter, for those who call pytest themselves; and where what
    the test processes share is built."""
    global SHARED
    own = tmp_path_factory.getbasetemp()
    SHARED = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared"
    with locked(ROOT / "build" / "simt"):
        done = run("make", "-s", "-j2", "-C", ROOT / "simt")
    assert (done.returncode, done.stderr) == (0, "")


READY = {"SIMTCC_TOOLS_READY": "1"}  # simtcc need not look whether its tools are built


def simtcc(source, file, *options, env=None):
    """Writes source to file, a .cu, and compiles it for the CPU backend; returns the program."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source)
    program = file.with_suffix("")
    done = run(ROOT / "simt/simtcc", "-Wall", "-Wextra", *options, file, "-o", program,
               cwd=ROOT, env=READY | (env or {}))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done.stderr
    return program


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


# In front of every program: EXPECT tells what is not as it must be.
PRELUDE = """
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#define EXPECT(condition) \\
    do { if (!(condition)) printf("line %d: not so: %s\\n", __LINE__, #condition); } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

template <class T> static T *device(size_t n, int byte = 0)
{
    T *p;
    OK(cudaMalloc(&p, n * sizeof(T)));
    OK(cudaMemset(p, byte, n * sizeof(T)));
    return p;
}

template <class T> static T *host(const T *from, size_t n)
{
    T *to = (T *)malloc(n * sizeof(T));
    OK(cudaGetLastError());
    OK(cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}
#line 1
"""


WORDS = [b"0", b"-1", b"1e99", b"9" * 40, b"\0", b"\xff", b"\\", b'"', b"'", *(bytes([c]) for c in b"{}(),\n=#"),
         b"<<<", b">>>", b'R"(', b')"', b"%s%n", b"__shared__ ", b"__global__ ", b"template <"]


def withstands(texts, call):
    """call(text), a run of a program with sanitizers, ends well or with an error for texts with a few random
    changes, some of them pieces of another; for $FUZZ seconds: some minutes before a release."""
    end, seed = time.monotonic() + float(os.environ.get("FUZZ", 20)), random.randrange(2**32)
    rng = random.Random(seed)
    while time.monotonic() < end:
        data = rng.choice(texts)
        for _ in range(rng.choice((1, 1, 2, 3, 8))):
            at, length = rng.randrange(len(data) + 1), rng.choice((1, 2, 5, 20, 200))
            start = rng.randrange(len(other := rng.choice(texts)) + 1)
            piece = rng.choice((b"", rng.choice(WORDS), other[start:start + length], data[at:at + length] * 2))
            data = data[:at] + piece + data[at + rng.choice((0, length)):]
        done = call(data)
        is_told = re.search(b"Sanitizer|runtime error", done.stderr)
        assert done.returncode in (0, 1, 2) and not is_told, (seed, data, done.stderr)


def outcome(source, tmp_path):
    """The output of a program that must have ended well."""
    program = simtcc(PRELUDE + source, tmp_path / "kernel.cu")
    done = run(program)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


FOLDER = None  # golden/ beside the test that runs


@pytest.fixture(autouse=True)
def golden_folder(request):
    global FOLDER
    FOLDER = request.path.parent / "golden"


def golden(name, text):
    """A text is that of golden/NAME, which `make golden` writes and a person looks at. It is
    made from data that never change, so a difference is one of the code."""
    file = FOLDER / name
    if "GOLDEN" in os.environ:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    assert text.splitlines() == file.read_text().splitlines(), f"make golden; git diff {file}"


BEHIND = "  # "  # between what was typed and a short answer
HIDDEN = ((r"^make(\[\d\])?: \*\*\* \[.*\n", ""), (r"^\S+:\d+: (?=\*\*\*)", ""),
          (r"\b(00 01|01 02) [\w -]*", r"\1 …"), (r"\d+ MiB are free", "… are free"),
          (r"20\d\d-\d\d-\d\d", "DATE"))


def as_row(*fields):
    row = io.StringIO()
    csv.writer(row, lineterminator="\n").writerow(fields)
    return row.getvalue()


TABLE = as_row("typed", "status", "says")  # its first line


def transcript(name, calls, **folders):
    """What was done, and what came of it: a call's status in brackets, if it is not 0, and all that was said; or a
    text. All of it is golden/NAME, but for what depends on the computer: folders, by name, are shown as their names,
    and lines of makefiles and lists of programs not at all. Where one line comes of each, NAME.csv is a table."""
    told, is_table = "", name.endswith(".csv")
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
        if is_table:
            status, line = re.fullmatch(r"(?:\[(\d+)\] ?)?(.*)\n?", said).groups("")
            told += remark + as_row(what, status, line)
            continue
        is_short = said.count("\n") == 1 and len(what + said) < 95
        told += f"{remark}$ {what}" + (BEHIND if is_short else "\n") + said
    golden(name, TABLE * is_table + told)


def replay(name, answer, **folders):
    """golden/NAME is also what is typed: lines `$ …`, or the first column of a table, remarks in front of them.
    answer(typed) does it, and ends as transcript() has it. A new case is a new line there, and `make golden`."""
    text, is_table = (FOLDER / name).read_text().removeprefix(TABLE), name.endswith(".csv")
    line = "(.+)" if is_table else rf"\$ (.*?)(?:{BEHIND}.*)?"
    calls = re.findall(rf"^((?:# .*\n)*){line}$", text, re.M)
    if is_table:
        calls = [(remark, next(csv.reader([row]))[0]) for remark, row in calls]
    typed = [what.encode().decode("unicode_escape") if re.search(r"\\[ntrx]", what) else what
             for _, what in calls]
    transcript(name, [((remark, what), answer(what)) for (remark, _), what in zip(calls, typed)],
               **folders)


def shell(folder, **env):
    """For replay(): what is typed is bash's, in this folder."""
    return lambda typed: run("bash", "-c", typed, cwd=folder, env=env)

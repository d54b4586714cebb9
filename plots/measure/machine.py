"""What all benches share: the GPU that is here, how programs are built and asked, and files that say
what was measured on what."""

import datetime
import fcntl
import itertools
import os
import re
import subprocess
import sys

from plots.read.files import ROOT


def end(name, status, text):
    """Ends the program with a line."""
    print(f"make {name}: {text}", file=sys.stderr)
    raise SystemExit(status)


def output(*command):
    """What a command prints; nothing where it fails or is not there."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


# ---- the GPU ----

def ask_gpu(what):
    """Of the first GPU."""
    return output("nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader").partition("\n")[0]


def need_gpu(name, without):
    """without: what one has nevertheless."""
    if not re.fullmatch(r"\d[\d.]*", ask_gpu("driver_version")):
        end(name, 3, f"no GPU here; {without}")


# ---- programs of the lab ----

def printed(*command):
    """What a program prints. If it fails it has said why, and its status becomes ours, as a shell
    tells it: 139 after a crash."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(done.returncode if done.returncode > 0 else 128 - done.returncode)
    return done.stdout


def row_of(*command):
    """{column: text} of the row that it prints."""
    lines = printed(*command, "--csv").splitlines() or [""]
    names, values = lines[0].split(","), lines[-1].split(",")
    if len(names) != len(values):
        print(f"{os.path.basename(command[0])} printed no row of the columns {lines[0]}",
              file=sys.stderr)
        raise SystemExit(3)
    return dict(zip(names, values))


class Target:
    """name: as make calls it; make: a command that builds for a GPU, as words; failed: will be set
    where something was left out that should not be."""

    def __init__(self, name, make):
        self.name, self.make, self.failed = name, [*make, f"-j{os.cpu_count()}"], False
        # the jobs of the make that called us are not handed on to a program
        os.environ["MAKEFLAGS"] = re.sub(r"(?<!\S)-(j|-jobserver)\S*", "", os.environ.get("MAKEFLAGS", ""))

    def say(self, text):
        print(f"make {self.name}: {text}", file=sys.stderr)

    def build(self, *words):
        """The programs' paths; words: variables and programs."""
        if subprocess.run([*self.make, *words], stdout=sys.stderr).returncode:
            raise SystemExit(1)
        return [os.readlink(word) for word in words if "=" not in word]

    def programs(self, *variables):
        """The paths of all that take this configuration."""
        return printed(*self.make, *variables, "programs").split()

    def variant(self, program, changed):
        """The path of a program with another constant, or several: ELEMS=4+LOADS=2."""
        if changed.startswith("BLOCK="):
            return self.build(changed, program)[0]
        (path,) = self.build(program)
        if changed != "nothing":
            path = os.path.join(os.path.dirname(path), "changed", changed.replace("=", "-"), program)
            printed(*self.make, path)
        return path


# ---- files ----

def file_name():
    """As a file is called by the GPU, such as h200; the memory of an H100 80GB HBM3 is no part of
    its name."""
    name = re.sub(r" \d*GB.*", "", ask_gpu("name").removeprefix("NVIDIA "))
    return re.sub(r"[^a-z0-9]+", "-", name.lower())


def lock(name, folder):
    """Two benches at once would disturb each other."""
    try:
        os.makedirs(folder, exist_ok=True)
        fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        end(name, 1, f"another bench writes into {folder}; two would disturb each other")


def commit():
    """What is measured; with a + where it was changed since. Data are none of it, and with PUBLISH=1
    the bench itself writes some."""
    if os.environ.get("BENCH_COMMIT"):
        return os.environ["BENCH_COMMIT"]
    git = "git", "-C", ROOT
    changed = output(*git, "status", "--porcelain", "--", ":(top)", ":(top,exclude)plots/data")
    found = output(*git, "rev-parse", "--short", "HEAD").strip()
    return (found or "unknown") + "+" * bool(changed)


def write(file, lines):
    """Behind lines of their origin. As long as it is measured, and if it is not finished, the file
    is called FILE.part."""
    cuda = re.search(r"release ([\d.]*)", output(os.environ.get("NVCC") or "nvcc", "--version"))
    origin = [f"# gpu: {ask_gpu('name')}", f"# driver: {ask_gpu('driver_version')}",
              f"# cuda: {cuda[1] if cuda else 'unknown'}", f"# commit: {commit()}",
              f"# date: {datetime.date.today()}"]
    with open(f"{file}.part", "w") as part:
        for line in itertools.chain(origin, lines):
            print(line, file=part, flush=True)
    os.replace(f"{file}.part", file)

"""What all benches share: the GPU that is here, how a program of the lab is asked, and files that say
what was measured on what."""

import datetime
import os
import re
import subprocess
import sys

from tutorial.files import ROOT, write_text


def say(target, text):
    print(f"make {target}: {text}", file=sys.stderr)


def end(target, status, text):
    """Ends the program with a line."""
    say(target, text)
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


def driver_version():
    """None where no GPU is."""
    driver = ask_gpu("driver_version")
    return driver if re.fullmatch(r"\d[\d.]*", driver) else None


def need_gpu():
    if not driver_version():
        end("bench", 3, "no GPU here; make counters and make plots do not need one")


def file_name():
    """As a file is called by the GPU, such as h200; the memory of an H100 80GB HBM3 is no part of
    its name."""
    name = re.sub(r" \d*GB.*", "", ask_gpu("name").removeprefix("NVIDIA "))
    return re.sub(r"[^a-z0-9]+", "-", name.lower())


# ---- what heads a file ----

def commit():
    """What is measured; with a + where it was changed since. Data are none of it, and with PUBLISH=1
    the bench itself writes some."""
    if os.environ.get("BENCH_COMMIT"):
        return os.environ["BENCH_COMMIT"]
    git = "git", "-C", ROOT
    changed = output(*git, "status", "--porcelain", "--", ":(top)", ":(top,exclude)plots/data")
    found = output(*git, "rev-parse", "--short", "HEAD").strip()
    return (found or "unknown") + "+" * bool(changed)


def origin(gpu):
    cuda = re.search(r"release ([\d.]*)", output(os.environ.get("NVCC") or "nvcc", "--version"))
    return [f"# gpu: {gpu}", f"# driver: {driver_version()}",
            f"# cuda: {cuda[1] if cuda else 'unknown'}", f"# commit: {commit()}"]


def date():
    return f"# date: {datetime.date.today()}"


def write(file, lines):
    """Behind those of their origin: all of them or nothing."""
    write_text(file, "\n".join([*origin(ask_gpu("name")), date(), *lines]) + "\n")


# ---- programs of the lab ----

def status_of(done):
    """As a shell tells it: 139 after a crash."""
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def printed(*command):
    """What a program prints. If it fails it has said why, and its status becomes ours."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(status_of(done))
    return done.stdout


def row_of(*command):
    """{column: text} of the row that it prints."""
    lines = printed(*command, "--csv").splitlines() or [""]
    names, values = lines[0].split(","), lines[-1].split(",")
    if len(names) != len(values):
        print(f"{os.path.basename(command[0])} printed no row of the columns {lines[0]}",
              file=sys.stderr)
        raise SystemExit(1)
    return dict(zip(names, values))

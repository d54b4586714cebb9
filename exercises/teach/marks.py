"""Runs the marker on hand-ins, several at a time. The marker has the limits; here nothing is asked
of a hand-in but its path, and no shell sees it."""

import json
import os
import shutil
import subprocess
import tempfile
import time

from plots.read import entry
from plots.read.files import ROOT

MARKER = os.path.join(ROOT, "build", "exercises", "mark")

# What is told of a hand-in that the marker has not seen, or that it has told nothing of
EMPTY = {"version": 1, "passed": False, "status": 1, "score": 0, "hint": None, "hints": 0,
         "places": [], "compiler": None, "said": None, "printed": None, "type": "", "types": [],
         "sizes": {}, "seed": 0, "predicted": None, "came": None, "budgets": [], "counters": {},
         "findings": [], "seconds": 0.0}


def can_confine():
    """May bubblewrap confine programs here? The marker (confine.c) asks the same."""
    return shutil.which("bwrap") is not None and subprocess.run(
        ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], stderr=subprocess.DEVNULL).returncode == 0


def told(handin, reason, message, status=1):
    """A mark without the marker. Reasons: none, nothing was handed in; tool, it could not mark."""
    title = handin.exercise.partition("-")[2].replace("-", " ")
    return {**EMPTY, "name": handin.exercise, "title": title, "status": status, "reason": reason,
            "message": message}


def marks(handins, jobs, *options):
    """Yields (hand-in, mark) as they come, a mark as exercises/FORMATS.md has it, and "seconds". options go
    to the marker. When it is left early, by an interrupt too, all markers that run are ended first."""
    waiting, running = list(handins), []
    with tempfile.TemporaryDirectory(prefix="mark-all-") as folder:
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    handin = waiting.pop(0)
                    entry.progress("marking", len(handins) - len(waiting), len(handins))
                    if handin.file:
                        result = os.path.join(folder, f"{len(waiting)}.json")
                        begin = time.monotonic()
                        running.append((start(handin, result, options), handin, result, begin))
                    else:
                        yield handin, told(handin, "none", handin.why)
                time.sleep(0.02)
                for each in [each for each in running if each[0].poll() is not None]:
                    running.remove(each)
                    process, handin, result, begin = each
                    yield handin, read(process, handin, result) | {
                        "seconds": time.monotonic() - begin}
        finally:
            for process, *_ in running:
                process.terminate()
                process.communicate()


def start(handin, result, options):
    return subprocess.Popen([MARKER, "--quiet", *options, "--json", result, "--file", handin.file,
                             "--", os.path.join(ROOT, "exercises", handin.exercise)],
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE)


def read(process, handin, result):
    """The mark of one that has ended."""
    said = process.communicate()[1].decode(errors="replace").strip()
    try:
        with open(result, encoding="utf-8", errors="replace") as file:
            return json.load(file)
    except (OSError, ValueError):
        return told(handin, "tool", said or f"the marker ended with {process.returncode}", 5)

"""Runs the marker on hand-ins, several at a time. The marker has the limits; here nothing is asked
of a hand-in but its path, and no shell sees it."""

import concurrent.futures
import json
import os
import subprocess
import tempfile
import threading
import time

from tutorial.files import ROOT

MARKER = os.path.join(ROOT, "build", "exercises", "mark")

# What is told of a hand-in that the marker has not seen, or that it has told nothing of
EMPTY = {"version": 1, "passed": False, "status": 1, "score": 0, "hint": None, "hints": 0,
         "places": [], "compiler": None, "said": None, "printed": None, "type": "", "types": [],
         "sizes": {}, "seed": 0, "predicted": None, "came": None, "budgets": [], "counters": {}, "findings": []}


def can_confine():
    """May bubblewrap confine programs here? The marker (confine.c) asks the same."""
    try:
        return subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"],
                              stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


class Marks:
    """Marks hand-ins; options go to the marker."""

    def __init__(self, *options):
        self.options = ["--quiet", *options]
        self.running, self.lock, self.ended = set(), threading.Lock(), False

    def all(self, handins, jobs):
        """Yields (hand-in, mark) as they come, a mark as exercises/FORMATS.md has it, and "seconds".
        When it is left early, by an interrupt too, all markers that run are ended first."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            waiting = {pool.submit(self.one, handin): handin for handin in handins}
            try:
                for done in concurrent.futures.as_completed(waiting):
                    yield waiting[done], done.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
                self.end()

    def end(self):
        with self.lock:
            self.ended = True
            for process in self.running:
                process.terminate()

    def one(self, handin):
        """The mark of a hand-in."""
        if not handin.file:
            return told(handin, "none", handin.why)
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="mark-all-") as folder:
            mark = self.marked(handin, os.path.join(folder, "mark.json"))
        return mark | {"seconds": time.monotonic() - begin}

    def marked(self, handin, result):
        with self.lock:
            if self.ended:
                return told(handin, "tool", "interrupted", 5)
            process = subprocess.Popen(
                [MARKER, *self.options, "--json", result, "--file", handin.file, "--",
                 os.path.join(ROOT, "exercises", handin.exercise)], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            self.running.add(process)
        said = process.communicate()[1].decode(errors="replace").strip()
        with self.lock:
            self.running.discard(process)
        try:
            with open(result, encoding="utf-8", errors="replace") as file:
                return json.load(file)
        except (OSError, ValueError):
            return told(handin, "tool", said or f"the marker ended with {process.returncode}", 5)


def told(handin, reason, message, status=1):
    """A mark without the marker. Reasons: none, nothing was handed in; tool, it could not mark."""
    return {**EMPTY, "name": handin.exercise, "title": handin.exercise, "status": status,
            "reason": reason, "message": message, "seconds": 0.0}

"""The programs of the repository: which there are, their code, what their header comments say.

A program is named by its key: two digits for a step, the folder's name for a detour. A student's
own, in own/, are found when they are named, by a user or in data; nothing lists them."""

import collections
import functools
import glob
import os
import re

from plots.read.files import ROOT, BadData, read_text


class Program(collections.namedtuple("Program", "key folder path header code")):
    """path: of its main.cu, from the root; header: the lines of its first comment; code: all lines
    after these."""

    @property
    def paragraphs(self):
        """Those of its header, each as one line."""
        text = "\n".join(re.sub(r"^\s*/?\*/?\s?|\s*\*/\s*$", "", line) for line in self.header)
        return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]

    @property
    def idea(self):
        """The first sentence of its header, without the program's name in front of it."""
        match = re.match(r"(?:([^:.]*): )?(.*?)\.(\s|$)", (self.paragraphs or [""])[0])
        if not match:
            return ""  # a student's own says what it likes
        title, sentence = match[1], match[2]
        if title and not title.lower().replace(" ", "-").startswith((self.key, "step-")):
            sentence = f"{title}: {sentence}"
        return sentence[:1].lower() + sentence[1:] if sentence[1:2].islower() else sentence

    @property
    def parts(self):
        """{label: text} of paragraphs: Before, Idea, Look at, In flight, Measured with, Source."""
        matches = (re.match(r"([A-Z][a-z]+(?: [a-z]+)?): (.*)", text)
                   for text in self.paragraphs[1:])
        return {match[1]: match[2] for match in matches if match}

    @property
    def kernels(self):
        """[(number, text)] of its lines from its first kernel or function for the device to the end
        of its last one."""
        lines = list(enumerate(self.header + self.code, 1))
        starts = [i for i, (_, text) in enumerate(lines)
                  if re.match(r"(static )?__(global|device)__|template", text)]
        ends = [i for i, (_, text) in enumerate(lines, 1) if starts and i > starts[-1] and text == "}"]
        return lines[starts[0]:ends[0]] if ends else []

    @property
    def has_harness(self):
        """Without it, it takes no options, and nothing counts or times it."""
        return '#include "lab.h"' in self.code

    @property
    def loads_in_flight(self):
        """How many loads a thread has in flight at most, as the header says; or None."""
        match = re.fullmatch(r"(\d+) loads? per thread\.", self.parts.get("In flight", ""))
        return match and int(match[1])

    @property
    def when_to_read(self):
        """`after step 07`, of: Read it after step 07, which …; None if it does not say."""
        known = "|".join([r"step \d\d", *sorted(detours(), key=len, reverse=True)])
        match = re.search(rf"Read it ((?:after|before) (?:{known})(?:(?:, | and )(?:{known})\b)*)",
                          " ".join(self.paragraphs))
        return match[1] if match else None


# ---- which there are ----

def parsed(path):
    """A Program from its main.cu, whose path is from the root."""
    room, folder, _ = path.split(os.sep)
    lines = read_text(os.path.join(ROOT, path)).splitlines()
    count = next((i for i, line in enumerate(lines, 1) if line.endswith("*/")), len(lines))
    count = count if lines and lines[0].startswith("/*") else 0
    return Program(folder[:2] if room == "steps" else folder, folder, path, lines[:count],
                   lines[count:])


def paths(room):
    """Of its programs, from the root."""
    return sorted(os.path.relpath(path, ROOT) for path in
                  glob.glob(os.path.join(glob.escape(ROOT), room, "*", "main.cu")))


@functools.lru_cache(maxsize=None)
def load():
    """{key: Program}: the steps in order, then the detours by name."""
    return {program.key: program for program in map(parsed, paths("steps") + paths("detours"))}


def steps():
    """The keys of all steps, rising."""
    return [key for key in load() if key.isdecimal()]


def detours():
    """The keys of all detours, by name."""
    return [key for key in load() if not key.isdecimal()]


BEST_CUB = "best-cub"  # no program, but what stands at each n for the fastest of CUB's variants


def get(key):
    """One's own, too."""
    if key not in load() and not (re.fullmatch("[a-z][a-z0-9_-]*", key) and
                                  os.path.join("own", key, "main.cu") in paths("own")):
        raise BadData(ROOT, None, f"there is no program '{key}' here")
    return load().get(key) or parsed(os.path.join("own", key, "main.cu"))


def label(key):
    """As a reader knows it: `03 sequential-addressing`, CUB, single-pass."""
    if key in load() and key.isdecimal():
        return load()[key].folder.replace("-", " ", 1)
    return {"cub": "CUB", BEST_CUB: "best CUB"}.get(key, key)


def spoken(key):
    """As a sentence has it: step 03, CUB, single-pass."""
    return f"step {key}" if key.isdecimal() else label(key)


def measured_by(key):
    """The command that measures it."""
    return "make bench-multi-gpu" if key.startswith("multi-gpu") else "make bench"


def reading_order(key):
    """A detour's place among the others, to sort by: by the step that it is read after or before;
    what tells none comes last."""
    when = get(key).when_to_read or "after step 99"
    step = re.search(r"(before )?step (\d\d)", when)
    if not step:
        return reading_order(when.split()[1])[0], 1, key
    return int(step[2]) - (0.5 if step[1] else 0), 0, key

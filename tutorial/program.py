"""What a program's main.cu says of itself: where it is, its idea, when to read it, its code.

A program is named by its key: two digits for a step, the folder's name for a detour. Errors are
BadData, one line."""

import glob
import os
import re

from tutorial.csv_input import BadData, read_text

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def steps():
    """The keys of all steps, rising."""
    return sorted(path.split("/")[1].split("-")[0]
                  for path in glob.glob("steps/*/main.cu", root_dir=ROOT))


def detours():
    """The keys of all detours, by name."""
    return sorted(path.split("/")[1] for path in glob.glob("detours/*/main.cu", root_dir=ROOT))


def source_of(key):
    """The main.cu of a program, from the root."""
    folder = f"steps/{key}-*" if key.isdecimal() else f"detours/{key}"
    found = glob.glob(f"{folder}/main.cu", root_dir=ROOT)
    if len(found) != 1:
        raise BadData(os.path.join(ROOT, folder), None, f"there is no program '{key}' here")
    return found[0]


def link(key, text=None):
    """A link to its main.cu, in markdown; the text is its name unless given."""
    return f"[{text or name(key)}]({source_of(key)})"


def name(key):
    """As a reader knows it: `step 03`, or a detour's name."""
    return f"step {key}" if key.isdecimal() else key


def header(key):
    """The program's first comment, as one line a paragraph."""
    text = read_text(os.path.join(ROOT, source_of(key)))
    comment = text[2:].split("*/")[0].replace("\n *", "\n") if text.startswith("/*") else ""
    return [" ".join(part.split()) for part in comment.split("\n\n")]


def idea(key):
    """The first sentence of the first comment, without the program's name in front of it."""
    match = re.match(r"(?:([^:.]*): )?(.*?)\.(\s|$)", header(key)[0])
    if not match:
        raise BadData(os.path.join(ROOT, source_of(key)), 1,
                      "does not begin with '/* NAME: what it does.'")
    title, sentence = match[1], match[2]
    if title and not title.lower().replace(" ", "-").startswith((key, "step-")):
        sentence = f"{title}: {sentence}"
    return sentence[0].lower() + sentence[1:] if sentence[1].islower() else sentence


def when_to_read(key):
    """`after step 07`, as its comment says: Read it after step 07, which …; None if it does not."""
    known = "|".join([r"step \d\d", *sorted(detours(), key=len, reverse=True)])
    match = re.search(rf"Read it ((?:after|before) (?:{known})(?:(?:, | and )(?:{known})\b)*)",
                      " ".join(header(key)))
    return match[1] if match else None


def reading_order(key):
    """A detour's place among the others, to sort by: by the step that it is read after or before;
    what tells none comes last."""
    when = when_to_read(key) or ""
    step = re.search(r"(before )?step (\d\d)", when)
    if step:
        return int(step[2]) - (0.5 if step[1] else 0), 0, key
    if when:
        return reading_order(when.split()[1])[0], 1, key
    return 100, 0, key


def code(key):
    """The lines after the first comment."""
    return read_text(os.path.join(ROOT, source_of(key))).split("*/\n", 1)[1].splitlines()

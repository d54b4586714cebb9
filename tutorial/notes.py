"""What the course, NOTES.md, says of a step: its parts, and the caption of its picture."""

import os
import re

from tutorial.files import ROOT, read_text

PARTS = "Predict", "Now", "Question", "Try it"
ANSWERS = {"Question": "Answer", "Try it": "What comes"}


def load():
    return read_text(os.path.join(ROOT, "NOTES.md"))


def parts(text, step):
    """{label: its paragraphs, in Markdown}, of those of PARTS and their folded answers that the
    section `## Step 03: …` has."""
    section = re.search(rf"^## Step {step}\b.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    found = {}
    for label in PARTS:
        part = section and re.search(
            rf"^\*\*{label}\.\*\*\s*(.*?)(?=^\*\*[A-Z][a-z ]+\.\*\*|^<|^!\[|\Z)(<details>.*?</details>)?",
            section[0], re.MULTILINE | re.DOTALL)
        if part:
            found[label] = paragraphs(part[1])
            answer = re.search(r"</summary>(.*?)</details>", part[2] or "", re.DOTALL)
            if answer and label in ANSWERS:
                found[ANSWERS[label]] = paragraphs(answer[1])
    return found


def code(text, section):
    """[(heading, lines, paragraphs that define a term)] of the code of a section `## …`; heading:
    of the part of it, `### …`."""
    own = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    parts = re.findall(r"^### (.*?)\n(.*?)(?=^### |\Z)", own[1] if own else "",
                       re.MULTILINE | re.DOTALL)
    found = ((heading, part, re.search(r"^```\w+\n(.*?)^```$", part, re.MULTILINE | re.DOTALL))
             for heading, part in parts)
    return [(heading, lines[1].splitlines(), defining(part)) for heading, part, lines in found
            if lines]


def defining(text):
    """The paragraphs that define a term, which is set in bold, and the items of lists."""
    parts = paragraphs(re.sub("^- ", "\n- ", text, flags=re.MULTILINE))
    return [re.sub(":$", ".", part[2:] if part.startswith("- ") else part) for part in parts
            if re.match(r"- |(?!```).*\*\*[^*]+\*\*", part)]


def interlude(text):
    """(the step that it stands before, its title, its paragraphs that define a term) of the section
    `## Interlude: …`, as far as its first picture; or None."""
    own = re.search(r"^## Interlude: (.*?)\n(.*?)^## Step (\d\d)\b", text,
                    re.MULTILINE | re.DOTALL)
    return own and (own[3], own[1].capitalize(),
                    defining(own[2].partition("\n![")[0]))


def paragraphs(text):
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def caption(text, picture):
    """The words that stand for a picture, without `Step 03: ` in front of them; or None."""
    found = re.search(rf"!\[(?:Step \d\d: )?([^]]*)\]\([^)]*\b{re.escape(picture)}\)", text)
    return found and found[1]

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


def shown(text, section):
    """[(heading, language, lines)] of the code and the drawings of a section `## …`; a drawing's
    language is empty. heading: of the part of the section, `### …`."""
    own = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    parts = re.findall(r"^### (.*?)\n(.*?)(?=^### |\Z)", own[1] if own else "",
                       re.MULTILINE | re.DOTALL)
    return [(heading, language, lines.splitlines()) for heading, part in parts
            for language, lines in re.findall(r"^```(\w*)\n(.*?)^```$", part,
                                              re.MULTILINE | re.DOTALL)]


def paragraphs(text):
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def caption(text, picture):
    """The words that stand for a picture, without `Step 03: ` in front of them; or None."""
    found = re.search(rf"!\[(?:Step \d\d: )?([^]]*)\]\([^)]*\b{re.escape(picture)}\)", text)
    return found and found[1]

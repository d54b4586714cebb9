"""What the course, NOTES.md, says of a step: its question, and the caption of its picture."""

import os
import re

from tutorial.files import ROOT, read_text


def load():
    return read_text(os.path.join(ROOT, "NOTES.md"))


def question(text, step):
    """The paragraph **Question.** of the section `## Step 03: …`, without that word; or None."""
    section = re.search(rf"^## Step {step}\b.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    found = section and re.search(r"^\*\*Question\.\*\*\s*(.*?)(?=\n\s*\n|\Z)", section[0],
                                  re.MULTILINE | re.DOTALL)
    return " ".join(found[1].split()) if found else None


def caption(text, picture):
    """The words that stand for a picture, without `Step 03: ` in front of them; or None."""
    found = re.search(rf"!\[(?:Step \d\d: )?([^]]*)\]\([^)]*\b{re.escape(picture)}\)", text)
    return found and found[1]

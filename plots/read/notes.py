"""What the course, NOTES.md, says of a step: its parts, and the caption of its picture."""

import os
import re

from plots.read.files import ROOT, read_text

PARTS = "Predict", "Now", "Question", "Try it"
ANSWERS = {"Question": "Answer", "Try it": "What comes"}
BLOCKS = re.MULTILINE | re.DOTALL


def load():
    return read_text(os.path.join(ROOT, "NOTES.md"))


def section(text, heading):
    """What stands under a heading that begins so, `## Step 03`."""
    found = re.search(rf"^## {heading}\b[^\n]*\n(.*?)(?=^## |\Z)", text, BLOCKS)
    return found[1] if found else ""


def parts(text, step):
    """{label: its paragraphs, in Markdown}, of those of PARTS and their folded answers that the
    section `## Step 03: …` has."""
    found = {}
    for label in PARTS:
        part = re.search(
            rf"^\*\*{label}\.\*\*\s*(.*?)(?=^\*\*[A-Z][a-z ]+\.\*\*|^<|^!\[|\Z)(<details>.*?</details>)?",
            section(text, f"Step {step}"), BLOCKS)
        if part:
            found[label] = paragraphs(part[1])
            answer = re.search(r"</summary>(.*?)</details>", part[2] or "", re.DOTALL)
            if answer and label in ANSWERS:
                found[ANSWERS[label]] = paragraphs(answer[1])
    return found


def code(text, heading):
    """[(heading, lines, paragraphs that define a term)] of those parts of a section, `### …`, that
    have code."""
    for title, part in re.findall(r"^### (.*?)\n(.*?)(?=^### |\Z)", section(text, heading), BLOCKS):
        if lines := re.search(r"^```\w+\n(.*?)^```$", part, BLOCKS):
            yield title, lines[1].splitlines(), defining(part)


def defining(text):
    """The paragraphs that define a term, which is set in bold, and the items of lists."""
    parts = paragraphs(re.sub("^- ", "\n- ", text, flags=re.MULTILINE))
    return [re.sub(":$", ".", part[2:] if part.startswith("- ") else part) for part in parts
            if re.match(r"- |(?!```).*\*\*[^*]+\*\*", part)]


def interlude(text):
    """(the step that it stands before, its title, its paragraphs that define a term) of the section
    `## Interlude: …`; or None."""
    own = re.search(r"^## Interlude: (.*?)\n(.*?)^## Step (\d\d)\b", text, BLOCKS)
    return own and (own[3], own[1].capitalize(), defining(own[2]))


WORD = re.compile(r"\*\*(?P<term>[a-zA-Z][a-z/ -]*|SASS)\*\*|(?P<code>`(?:__|atomic|cuda)[A-Za-z_]+)")


def words(text):
    """[(word, the section that introduces it, its sentence there)]: terms, set in bold, and names of
    CUDA. A plural, or a kind of what is there already, is no new word."""
    found, text = {}, re.sub(r"^```.*?^```$|^<!-- generated.*?/generated -->$|^\|.*?$", "", text,
                             flags=BLOCKS)
    for heading, part in re.findall(r"^##+ ([^\n]*)\n(.*?)(?=^##|\Z)", text, BLOCKS):
        for said in paragraphs(re.sub("^- ", "\n", part, flags=re.MULTILINE)):
            said = re.sub(r"^\*\*[A-Z][a-z]+\.\*\* ", "", said)
            for sentence in re.split(r"(?<=[.?!])\)? (?=[A-Z`(*])", said):
                for match in WORD.finditer(sentence):
                    word = f"{match['code']}`" if match["code"] else match["term"]
                    word = word if match["code"] or word.isupper() else word.lower()
                    known = {word, word.removesuffix("s"), word.split()[-1].removesuffix("s")}
                    if not known & found.keys():
                        found[word] = heading, sentence
    return [(word, *place) for word, place in sorted(
        found.items(), key=lambda each: each[0].strip("`_").lower())]


def anchor(heading):
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def paragraphs(text):
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def caption(text, picture):
    """The words that stand for a picture, without `Step 03: ` in front of them; or None."""
    found = re.search(rf"!\[(?:Step \d\d: )?([^]]*)\]\([^)]*\b{re.escape(picture)}\)", text)
    return found and found[1]

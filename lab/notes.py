"""The questions of NOTES.md, and the little Markdown that they are written in."""

import html
import re


def question(text, step):
    """The paragraph **Question.** of the section `## Step 03: …`, without that word; or None."""
    section = re.search(rf"^## Step {step}\b.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    found = section and re.search(r"^\*\*Question\.\*\*\s*(.*?)(?=\n\s*\n|\Z)", section[0],
                                  re.MULTILINE | re.DOTALL)
    return " ".join(found[1].split()) if found else None


def inline(text):
    """Markdown within a paragraph as HTML: code, strong, emphasis; a link becomes its text."""
    result = []
    for part in re.split(r"(`[^`]+`)", text):
        if part.startswith("`"):
            result.append(f"<code>{html.escape(part[1:-1])}</code>")
            continue
        part = html.escape(re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", part), quote=False)
        part = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", part)
        result.append(re.sub(r"(?<![\w*])\*([^*\s][^*]*?)\*(?![\w*])", r"<em>\1</em>", part))
    return "".join(result)

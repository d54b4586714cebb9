"""What CI shows beside the lines of a program: annotate.py FILE.json [PATH]

FILE.json is a report of the CPU backend (SIMT_REPORT) or a mark of an exercise (mark --json). Each
finding becomes an annotation as GitHub reads it from standard output, one line each; of a mark that
is not passed for another reason that reason, at its first line. PATH stands in place of the files'
names: a mark calls the student's file main.cu, wherever it lies."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tutorial import entry
from tutorial.files import BadData, read_text


def escaped(text, property=False):
    """As GitHub's workflow commands want it: no line ends, and in a property no separators."""
    for character in "%\r\n" + ":," * property:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def annotation(level, path, line, title, text):
    places = {"file": path, "line": str(line) if line else None, "title": title}
    words = ",".join(f"{name}={escaped(value, True)}" for name, value in places.items() if value)
    return f"::{level} {words}::{escaped(text)}"


def of_finding(finding, path):
    also = "".join(f"\nalso line {end['line']}: {end['source'] or ''}" for end in finding["ends"]
                   if end["line"] and end["line"] != finding["line"])
    return annotation("notice" if finding["note"] else "error", path or finding["file"],
                      finding["line"], finding["title"],
                      " ".join((finding["text"] or finding["title"]).split()) + also)


def of_mark(mark, path):
    """Why it is not passed. Where no place is known it is that of the compiler's first error."""
    error = re.search(r"^main\.cu:(\d+):(?:\d+:)? (?:fatal )?error: ", mark["compiler"] or "", re.M)
    line = mark["places"][0]["line"] if mark["places"] else int(error[1]) if error else None
    text = "\n".join(filter(None, (mark["message"], mark["compiler"], mark["hint"])))
    return annotation("error", path, line, mark["title"], text)


def main():
    if len(sys.argv) not in (2, 3):
        print("usage: annotate.py FILE.json [PATH]", file=sys.stderr)
        return 2
    file, path = (*sys.argv[1:], None)[:2]
    try:
        result = json.loads(read_text(file))
    except ValueError as error:
        raise BadData(file, None, error) from None
    if not isinstance(result, dict) or "findings" not in result:
        raise BadData(file, None, "neither a report nor a mark")
    for finding in result["findings"]:
        print(of_finding(finding, path))
    if "passed" in result:
        if not result["passed"] and all(finding["note"] for finding in result["findings"]):
            print(of_mark(result, path))
    elif result["not_judged"]:
        print(annotation("error", path, None, "not judged", result["not_judged"]))
    return 0


if __name__ == "__main__":
    entry.run("annotate.py", main)

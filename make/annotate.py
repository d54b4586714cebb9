"""What CI shows beside the lines of a program: annotate.py FILE.json [PATH]

FILE.json is a report of the CPU backend (SIMT_REPORT) or a mark of an exercise (mark --json). Each
finding becomes an annotation as GitHub reads it from standard output, one line each; of a mark that
is not passed for another reason that reason, at its first line. PATH stands in place of the files'
names: a mark calls the student's file main.cu, wherever it lies."""

import json
import re
import sys

MOST_CHARACTERS = 1 << 26


def escaped(text, property=False):
    """As GitHub's workflow commands want it: no line ends, and in a property no separators."""
    for character in "%\r\n" + ":," * property:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def annotation(level, path, line, title, text):
    places = {"file": path, "line": str(line) if line else None, "title": title}
    words = ",".join(f"{name}={escaped(value, True)}" for name, value in places.items() if value)
    return f"::{level} {words}::{escaped(text)}"


def of_finding(finding, path=None):
    ends = [end for end in finding["ends"] if end["line"] and end["line"] != finding["line"]]
    also = "".join(f"\nalso line {end['line']}: {end['source'] or ''}" for end in ends)
    return annotation("notice" if finding["note"] else "error", path or finding["file"],
                      finding["line"], finding["title"],
                      " ".join((finding["text"] or finding["title"]).split()) + also)


def compiler_places(mark):
    """The first error that the compiler told of main.cu."""
    found = re.search(r"^main\.cu:(\d+):(?:\d+:)? (?:fatal )?error: ", mark["compiler"] or "", re.M)
    return [{"line": int(found[1])}] if found else []


def annotations(result, path=None):
    """One line for each thing to tell of a report or a mark."""
    lines = [of_finding(finding, path) for finding in result["findings"]]
    if "passed" in result:
        if not result["passed"] and not any(not each["note"] for each in result["findings"]):
            place = (result["places"] or compiler_places(result) or [{"line": None}])[0]
            text = "\n".join(each for each in (result["message"], result["compiler"],
                                               result["hint"]) if each)
            lines.append(annotation("error", path, place["line"], result["title"], text))
    elif result["not_judged"]:
        lines.append(annotation("error", path, None, "not judged", result["not_judged"]))
    return lines


def main(arguments):
    if len(arguments) not in (1, 2):
        print("usage: annotate.py FILE.json [PATH]", file=sys.stderr)
        return 2
    try:
        with open(arguments[0], encoding="utf-8") as file:
            result = json.loads(file.read(MOST_CHARACTERS))
    except (OSError, ValueError) as error:
        print(f"annotate.py: {arguments[0]}: {error}", file=sys.stderr)
        return 2
    if not isinstance(result, dict) or "findings" not in result:
        print(f"annotate.py: {arguments[0]}: neither a report nor a mark", file=sys.stderr)
        return 2
    for line in annotations(result, *arguments[1:]):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

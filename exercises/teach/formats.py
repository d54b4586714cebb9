"""Marks as other systems read them: JUnit XML, and Gradescope's results.json. All functions are
pure. marks: of a student, in the order of the exercises; in JUnit {(student, exercise): mark}."""

import re
from xml.etree import ElementTree

from exercises.teach.handins import number

FULL = 100  # points an exercise


def explanation(mark):
    """What a student would read: what is not right, where, and what compiler or program said."""
    lines = [f"Could not be judged, and has no points yet: {mark['message']}"
             if mark["status"] == 5 else mark["message"]]
    for place in mark["places"]:
        does = f" {place['does']}" if place["does"] else ""
        lines.append(f"main.cu:{place['line']}:{does}  {place['source'] or ''}".rstrip())
    for head, text in (("The compiler says:", mark["compiler"]), ("What it said:", mark["said"])):
        if text:
            lines += ["", head, text.rstrip("\n")]
    return "\n".join(lines)


# ---- JUnit XML, by the schema of Jenkins' xUnit plugin, junit-10.xsd ----

def xml_text(text):
    """XML has no way to write most control characters, nor halves of a pair."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


def outcome(mark):
    """The element of a test case; None: it has passed. What could not be judged is an error."""
    return None if mark["passed"] else "skipped" if mark["reason"] == "none" else \
        "error" if mark["status"] == 5 else "failure"


def counts(marks, *kinds):
    outcomes = [outcome(mark) for mark in marks]
    return {"tests": str(len(outcomes))} | {kind: str(outcomes.count(kind.removesuffix("s")))
                                            for kind in kinds}


def junit(marks):
    """A suite a student, a case an exercise."""
    root = ElementTree.Element("testsuites", {"name": "exercises", **counts(
        marks.values(), "failures", "errors")})
    for student in dict.fromkeys(student for student, _ in marks):
        own = [mark for (whose, _), mark in marks.items() if whose == student]
        suite = ElementTree.SubElement(root, "testsuite", {
            "name": xml_text(student), **counts(own, "failures", "errors", "skipped"),
            "time": f"{sum(mark['seconds'] for mark in own):.3f}"})
        for mark in own:
            case = ElementTree.SubElement(suite, "testcase", {
                "name": mark["name"], "classname": xml_text(student),
                "time": f"{mark['seconds']:.3f}"})
            if kind := outcome(mark):
                told = ElementTree.SubElement(case, kind, {
                    "type": mark["reason"], "message": xml_text(mark["message"])})
                told.text = xml_text(explanation(mark))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, "unicode")}\n'


# ---- Gradescope: gradescope-autograders.readthedocs.io/en/latest/specs ----

def gradescope(marks):
    """A student's results.json, a test an exercise; without points where it could not be judged."""
    tests = [{"name": f"{number(mark['name'])} {mark['title']}", "number": number(mark["name"]),
              "output": xml_text(explanation(mark)), "visibility": "visible"} |
             ({} if mark["status"] == 5 else {
                 "score": mark["score"], "max_score": FULL,
                 "status": "passed" if mark["passed"] else "failed"}) for mark in marks]
    done = sum(mark["passed"] for mark in marks)
    return {"score": sum(test.get("score", 0) for test in tests), "visibility": "visible",
            "output": f"{done} of {len(marks)} exercises are done.",
            "execution_time": round(sum(mark["seconds"] for mark in marks)), "tests": tests}

"""mark-all and league: a class's hand-ins, whatever lies among them, and what is written."""

import csv
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree

from harness import ENVIRONMENT, HANG, ROOT, assert_refused, golden, run, said, script
from exercises.teach import formats, league, table, words
from marking import EXERCISES, marker, solution, with_host_code

THREE, FOUR = EXERCISES["03"].name, EXERCISES["04"].name
ODD = "b $(touch x); \x1b[31m`x` 日本"  # a student's name


def hand_in(folder, student, exercise, source):
    place = folder / student / exercise
    place.mkdir(parents=True)
    (place / "main.cu").write_text(source)
    return place / "main.cu"


def call(program, *options):
    return run(sys.executable, "-m", f"exercises.teach.{program}", *options, cwd=ROOT)


# ---- what is written, without the marker ----

def a_mark(exercise=THREE, **members):
    return {"name": exercise, "title": "a title", "passed": False, "status": 1, "score": 50,
            "reason": "wrong", "message": "sum is 3 at n = 7; right is 4.", "places": [
                {"line": 7, "does": "read", "source": "a < b && c"}], "compiler": None,
            "said": "\x1b[31mred\0 \udcff", "types": [{"type": "int", "reason": "wrong", "runs": 12,
                                                    "right": 3}],
            "type": "int", "sizes": {"n": 7}, "seed": 5, "counters": {},
            "seconds": 1234.5678} | members


DONE = {"passed": True, "status": 0, "score": 100, "reason": "done", "message": "Done.",
        "places": [], "said": None}
NONE = {"score": 0, "reason": "none", "message": "not handed in", "places": [], "said": None,
        "types": [], "seconds": 0.0}
MARKS = {("ann", THREE): a_mark(**DONE), ("ann", FOUR): a_mark(FOUR),
         (ODD, THREE): a_mark(status=5, reason="time", score=0),
         (ODD, FOUR): a_mark(FOUR, **NONE)}


def by_lines(result):
    """Its members, then its tests, a line each."""
    members = {name: value for name, value in result.items() if name != "tests"}
    return "".join(json.dumps(each) + "\n" for each in (members, *result["tests"]))


def test_golden_formats():
    """The files for other systems, of a class with each outcome; marks.csv for a spreadsheet."""
    junit = ElementTree.fromstring(formats.junit(MARKS).encode())
    assert (junit.get("tests"), junit.get("failures"), junit.get("errors")) == ("4", "1", "1")
    assert [[each.tag for each in case] for case in junit.iter("testcase")] == [
        [], ["failure"], ["error"], ["skipped"]]
    assert "a < b && c\n\nWhat it said:\n\ufffd[31mred\ufffd \ufffd" in junit.find(".//failure").text
    own = [mark for (student, _), mark in MARKS.items() if student == "ann"]
    golden("class-gradescope.txt", by_lines(formats.gradescope(own)))
    moodle = "Ann Lee_12345_assignsubmission_file_main"  # of a zip without folders
    marks = {("=1+2", THREE): a_mark(message='a "b", c\nd')} | MARKS
    golden("class-marks.csv", table.csv(marks))
    golden("class-grades.csv", table.grades(["ann", ODD, moodle], [THREE, FOUR], MARKS | {
        (moodle, THREE): a_mark(), (moodle, FOUR): a_mark(**DONE)}))
    for sign in "+-@":
        assert table.field(f"{sign}1") == f"'{sign}1" and table.field(-1) == "-1"


def test_golden_tables():
    """The teacher's tables in 80 columns, with many exercises, long names and other scripts: scores,
    progress, compilers' messages, and ranks, which equals share."""
    students = ["ann", ODD, "a name that is longer than any column could be"]
    exercises = [f"{number:02}-x" for number in range(1, 13)]
    marks = {(student, each): a_mark(each, **DONE) for student in students for each in exercises}
    marks["ann", "12-x"] = a_mark("12-x", status=5)
    marks["ann", "11-x"] = a_mark("11-x", **NONE)
    own = [mark for (student, _), mark in marks.items() if student == "ann"]
    counters = {name: 1 for names in league.FIGURES.values() for name in names} | {
        "global_sectors": 1000}
    found = {name: a_mark(**DONE | {"counters": counters | counts}) for name, counts in {
        "ann": {}, "bob": {"syncthreads": 0}, "cy": {"global_sectors": 1040}, "日本": {"launches": 2},
        "fay": {"reductions": 5}, "gil": {"global_sectors": 2000, "launches": 0}}.items()}
    found["eve"] = a_mark()
    lines = [*table.lines(students, exercises, marks), table.progress(3, 40, ODD, MARKS.values()),
             table.progress(1, 3, "ann", own), *table.folded(12 * "a\x1b\t\udcff\u202eé\n"),
             *table.folded(14 * f"{'日本' * 30}\n"), *league.lines(found),
             *league.not_ranked(found)]
    assert max(map(words.columns, lines)) <= 80
    runs = [(line, len([*run])) for line, run in itertools.groupby(lines)]
    golden("class-tables.txt", "".join(f"{line}{f'  ({times} times)' * (times > 1)}\n"
                                       for line, times in runs))


# ---- with the marker ----

def test_a_class(marker, tmp_path):
    """One that is done, one that does not compile, links, a FIFO and other things."""
    folder, out = tmp_path / "in", tmp_path / "out"
    hand_in(folder, "ann", THREE, solution("03"))
    hand_in(folder, ODD, THREE, "int x = ;\n")
    hand_in(folder / "fay", "exercises", THREE, "").write_bytes("#error".encode("utf-16"))
    hand_in(folder, "gus", THREE, "/" * (1 << 20 | 1))
    for name in f"cy dee/{THREE} eve/{THREE} fay/exercises/marker .git __MACOSX".split():
        (folder / name).mkdir(parents=True)
    (folder / "cy" / THREE).symlink_to(folder / "ann" / THREE)
    (folder / "dee" / THREE / "main.cu").symlink_to(EXERCISES["03"] / "solution.cu")
    os.mkfifo(folder / "eve" / THREE / "main.cu")
    os.makedirs(os.fsencode(folder) + b"/\xff\n/99-no")
    lines = said(call("mark_all", "--out", out, folder)).splitlines()
    assert lines.pop() == f"{out}/marks.csv, grades.csv, equal.csv, junit.xml, students/"
    assert max(map(words.columns, lines)) <= 80 and "\x1b" not in "".join(lines)
    assert sum(line.startswith("not looked at: ") for line in lines) == 5
    assert any(line.startswith("8/8  ") for line in lines)
    assert [line.split()[-2:] for line in lines if line.startswith(("ann ", "dee "))] == \
        [["100", "1"], ["-", "0"]]
    assert "    main.cu:1:9: error: expected primary-expression before ';' token" in lines

    rows = {row["student"]: row for row in csv.DictReader((out / "marks.csv").open())}
    assert len(rows) == 8 and "\\udcff " in rows
    assert (rows["ann"]["passed"], rows["ann"]["reason"]) == ("1", "done")
    assert "UTF-8" in rows["fay"]["message"]
    assert rows["b $(touch x); \\x1b[31m`x` 日本"]["reason"] == "compile"
    assert ElementTree.fromstring((out / "junit.xml").read_bytes()).get("tests") == "8"
    mark = json.loads((out / "students" / ODD / f"{THREE}.json").read_text())
    assert mark["reason"] == "compile" and "int x = ;" in mark["compiler"]
    assert json.loads((out / "students/ann/gradescope.json").read_text())["score"] == 100
    assert not list(tmp_path.glob("**/x")) and not (ROOT / "x").exists()

    shutil.rmtree(folder / "ann")
    said(call("mark_all", "--out", out, "--exercise", "3", "--jobs", "1", folder))
    assert not (out / "students/ann").exists()  # of the call before


def test_equal_but_for_names(tmp_path):
    from exercises.teach import handins, same
    given = (EXERCISES["03"] / "given.cu").read_text()
    for student, text in {"ann": "int a = 1; // one\n", "bob": "int  b=1;", "cy": "int a = 2;",
                          "di": given, "ed": given.replace("tid", "t") + "/* mine */"}.items():
        hand_in(tmp_path, student, THREE, text)
    _, all, _ = handins.in_folder(str(tmp_path))
    assert same.groups(all) == [(THREE, ["ann", "bob"])]


def test_flat_hand_ins(tmp_path):
    """Files without a folder count for one exercise, as Moodle and Gradescope deliver them; not for several."""
    from exercises.teach import handins
    moodle = tmp_path / "Ann Lee_12345_assignsubmission_file"
    moodle.mkdir()
    hand_in(tmp_path, "cy", THREE, "")
    for file in (moodle / "main.cu", tmp_path / "bob.cu", tmp_path / "notes.txt"):
        file.write_text("int x;")
    students, all, others = handins.in_folder(str(tmp_path), [THREE])
    assert (students, others) == ([moodle.name, "bob", "cy"], ["notes.txt"])
    assert [os.path.relpath(each.file, tmp_path) for each in all] == [
        f"{moodle.name}/main.cu", "bob.cu", f"cy/{THREE}/main.cu"]
    _, all, others = handins.in_folder(str(tmp_path))
    assert others == [f"{moodle.name}/main.cu", "bob.cu", "notes.txt"]
    assert [each.student for each in all if each.file] == ["cy"]


def test_league(marker, tmp_path):
    source = solution("03")
    assert "__syncthreads();" in source
    hand_in(tmp_path, "slow", THREE,
            source.replace("__syncthreads();", "__syncthreads(); __syncthreads();", 1))
    hand_in(tmp_path, "zoe", THREE, source)
    (tmp_path / "none").mkdir()
    text = said(call("league", "--exercise", "03", tmp_path))
    assert re.findall(r"^ +(\d .*?) |^the least.*, (rows.*)$", text, re.M) == [
        each for rows in ("rows = 2,048", "rows = 31,250") for each in (
            ("", rows), ("1 zoe", ""), ("2 slow", ""))]
    assert text.splitlines()[-1].split() == ["none", "not", "handed", "in"]


def test_wrong_calls(marker):
    for arguments, words in (
            ([""], "which folder? DIR=handins"), (["/nope"], "/nope: cannot be read"),
            (["tests/data"], "nothing to mark; want STUDENT/NN-name/main.cu"),
            (["--jobs=0", "tests"], "want a whole number from 1 to 64"),
            (["--exercise=99", "tests"], "no exercise '99'; want one of 01 02")):
        assert_refused(call("mark_all", *arguments), 2, "mark-all: ", words)


def test_a_broken_marker_is_told(tmp_path, monkeypatch, capsys):
    """A hand-in of which the marker tells nothing: status 1, and the others are marked."""
    from exercises.teach import mark_all, marks
    fake = script(tmp_path / "mark", "echo broken >&2\nexit 2")
    monkeypatch.setattr(marks, "MARKER", str(fake))
    hand_in(tmp_path / "in", "ann", THREE, "")
    assert mark_all.run(["--out", str(tmp_path / "out"), str(tmp_path / "in")]) == 1
    told = capsys.readouterr()
    assert told.err == f"mark-all: ann, {THREE}: broken\n" and "?" in told.out
    assert '"reason": "tool"' in (tmp_path / f"out/students/ann/{THREE}.json").read_text()


def test_an_interrupt_ends_it(marker, tmp_path):
    """It ends its children, too, also where Ctrl-C is ignored (as behind &), and writes nothing."""
    here = f"here-{os.getpid()}"
    for student in "ann", "bob":
        hand_in(tmp_path / "in", student, FOUR,
                with_host_code(f'fclose(fopen("{here}", "w")); sleep({HANG});'))
    process = subprocess.Popen([sys.executable, "-m", "exercises.teach.mark_all", "--out",
                                tmp_path / "out", tmp_path / "in"], cwd=ROOT, env=ENVIRONMENT,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))

    def running():
        return list((ROOT / "build/marks").glob(f"*/{here}"))

    deadline = time.monotonic() + HANG
    while len(running()) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)  # by itself it would end after 100 s
    assert (process.returncode, err, running()) == (130, "", [])
    assert not (tmp_path / "out").exists()

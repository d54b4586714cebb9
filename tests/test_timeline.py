"""The order of operations in streams (run/timeline.h) against a model that enumerates: all orders in
which a device may do what a small random program of the host asked it for. An operation comes before
another, or before what the host does, if it does so in each of them."""

import random
import re

import pytest

from conftest import ROOT, run

STEPS = 9


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    program = tmp_path_factory.mktemp("c") / "timeline"
    done = run("gcc", "-std=c11", "-g", "-Wall", "-Wextra", "-Werror",
               "-fsanitize=address,undefined", "-fno-sanitize-recover", "-Isimt",
               "tests/c/timeline.c", "simt/run/timeline.c", "simt/run/end.c", "-o", program,
               cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    return program


class Model:
    """Items wait in the streams' queues: operations, and the records of and waits for events. Each
    has the items that must be over when it begins, as a mask."""

    def __init__(self, program):
        self.needs, self.stream, self.blocking, self.is_operation = [], [], [], []
        self.host = []  # each step: how many items there are, the mask that it waits for, or "h"
        lines, recorded, serial = [False], {}, 0  # of each line whether its stream is blocking
        closed = set()

        def of(condition):
            return sum(1 << i for i in range(len(self.needs)) if condition(i))

        def whole(stream):  # what the stream itself waits for, as the legacy one for the blocking
            return of(lambda i: self.stream[i] == stream or (stream == 0 and self.blocking[i]))

        def ask(stream, needs, is_operation):
            needs |= whole(stream) | serial
            if lines[stream]:
                needs |= of(lambda i: self.stream[i] == 0)
            self.needs.append(needs)
            self.stream.append(stream)
            self.blocking.append(lines[stream])
            self.is_operation.append(is_operation)
            self.host.append((len(self.needs), 0, is_operation))

        for what, a, b in program:
            if what == "o":
                again = [s for s in closed if lines[s] == bool(a)]
                if again:
                    closed.remove(min(again))
                else:
                    lines.append(bool(a))
            elif what == "c":
                closed.add(a)
            elif what == "a":
                ask(a, 0, True)
            elif what == "r":
                ask(a, 0, False)
                recorded[b] = 1 << len(self.needs) - 1
            elif what == "w":
                ask(a, recorded.get(b, 0), False)
            elif what == "s":
                serial = of(lambda i: True)
            else:
                waits = {"S": lambda: whole(a), "E": lambda: recorded.get(b, 0),
                         "D": lambda: of(lambda i: True), "h": lambda: 0}[what]()
                self.host.append((len(self.needs), waits, what == "h"))

    def answers(self):
        """By the index of a step that prints: the mask of items that are over in every order."""
        always = {}
        todo, seen = [(0, 0)], {(0, 0)}  # how many steps the host has made, what is over

        def reach(state):
            if state not in seen:
                seen.add(state)
                todo.append(state)

        while todo:
            step, over = todo.pop()
            if step < len(self.host) and self.host[step][1] & ~over == 0:
                if self.host[step][2] and not self.is_asked(step):
                    always[step] = always.get(step, -1) & over
                reach((step + 1, over))
            asked = self.host[step - 1][0] if step else 0
            for i in range(asked):
                if not over >> i & 1 and self.needs[i] & ~over == 0:
                    if self.is_operation[i]:
                        at = self.step_of(i)
                        always[at] = always.get(at, -1) & over
                    reach((step, over | 1 << i))
        return always

    def is_asked(self, step):
        return self.host[step][0] > (self.host[step - 1][0] if step else 0)

    def step_of(self, item):
        return next(k for k in range(len(self.host)) if self.host[k][0] == item + 1)

    def output(self):
        words, always = "", self.answers()
        for step, mask in sorted(always.items()):
            items = self.host[step][0] - (1 if self.is_asked(step) else 0)
            words += "<" + "".join(str(mask >> i & 1) for i in range(items)
                                   if self.is_operation[i]) + ">"
        return words


def random_program(rng):
    program, streams, opened = [], [0], 1
    for _ in range(rng.randrange(0, 4)):
        program.append(("o", rng.randrange(2), 0))
        streams.append(opened)
        opened += 1
    while len(program) < STEPS:
        what = rng.choices("aarrwwSEDshoc", [6, 6, 2, 2, 2, 2, 1, 1, .4, .4, 2, 0, 0])[0]
        program.append((what, rng.choice(streams), rng.randrange(2)))
    return program + [("h", 0, 0)]


def check(program_of_c, programs):
    done = run(program_of_c, input="".join(
        " ".join(f"{what} {a} {b}" for what, a, b in program) + "\n" for program in programs))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == len(programs)
    for program, line in zip(programs, lines):
        assert "".join(re.findall("<[01]*>", line)) == Model(program).output(), program


def test_random_programs(driver):
    rng = random.Random(16)
    check(driver, [random_program(rng) for _ in range(200)])


def test_a_closed_streams_number(driver):
    """The legacy stream still waits for it; a new stream of its kind takes its line."""
    one = [("o", 1, 0), ("a", 1, 0), ("c", 1, 0)]
    check(driver, [one + [("a", 0, 0), ("h", 0, 0)],
                   one + [("o", 1, 0), ("a", 1, 0), ("h", 0, 0)],
                   one + [("o", 0, 0), ("a", 2, 0), ("a", 0, 0), ("h", 0, 0)]])
    done = run(driver, input="o 1 0 o 0 0 c 1 0 o 0 0 o 1 0 o 1 0\n")
    assert done.stdout == "12314\n"

"""The race rules (judge/race.h and what it names), without CUDA: random runs of a few threads with barriers, fences,
atomics of both scopes and volatile accesses, against a model (race_model.py)."""

import random
import re

import pytest

from backend import ROOT, data_rows, once, run
from race_model import (ATOMIC, BLOCK, CHANGE, DEVICE, LOAD, READ, SAME, STORE, STORED, Event, end,
                        races, unwritten)

SHARED = 1000  # words from here on are each block's own
RUNS = 1500
MODULES = [*(f"judge/{name}" for name in ("race", "words", "sync", "vector_clock",
                                          "last", "pairs", "reason")), "run/array", "run/runtime"]


@pytest.fixture(scope="module")
def driver():
    def build(folder):
        done = run("gcc", "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror",
                   "-fsanitize=address,undefined", "-fno-sanitize-recover", "-Isimt", "-Ibuild/simt",
                   "-Isimt/include", "simt/tests/c/race.c",
                   *(f"simt/{module}.c" for module in MODULES),
                   "-o", folder / "race", cwd=ROOT)
        assert (done.returncode, done.stderr) == (0, "")
    return once("race", build) / "race"


# ---- random runs ----

def random_accesses(rng, kind, threads, fences, scope, plain_share, words, shared):
    """Accesses of some lanes of a warp in one request; in shared memory a block has its own words."""
    operations = {"load": LOAD, "store": STORE, "atomic": ATOMIC}
    operation = operations.get(kind, rng.choice([LOAD, STORE]))
    exchange = kind == "atomic" and rng.random() < 0.4
    for thread in threads:
        word = 0 if rng.random() < plain_share else rng.randrange(words)
        effect = (rng.choice([READ] * (not exchange) + [CHANGE, SAME] if fences else [CHANGE])
                  if operation == ATOMIC else STORED if operation == STORE else READ)
        yield Event([thread], "access", operation,
                    (SHARED + word, thread[0]) if shared else (word,), effect, scope if operation == ATOMIC else DEVICE, kind == "volatile", exchange)


def random_run(rng, fences):
    """Blocks, threads of each, and the events in the order in which they happened."""
    blocks, warps, lanes = rng.choice([(1, 1, 3), (1, 2, 2), (2, 1, 2), (2, 2, 2), (3, 1, 1)])
    words = rng.choice([1, 2, 3])
    events, pcs = [], {}
    weights = [8, 4, 2, rng.choice([0, 2]), 3 * fences, 2, 1]
    plain_share = rng.choice([0.2, 0.5, 0.8])
    steps = rng.randrange(4, 26)
    scopes = rng.random() < 0.4  # alone in a race: that takes few accesses, and all atomic
    if scopes:
        blocks, warps, lanes, words = 2, 1, 2, 1
        weights, steps = [0, 0, 8, 0, fences / 2, 0.5, 0.5], rng.randrange(3, 6)
    for step in range(1, steps + 1):
        block, warp = rng.randrange(blocks), rng.randrange(warps)
        some = sorted(rng.sample(range(lanes), rng.randrange(1, lanes + 1)))
        if rng.random() < 0.8:
            some = [rng.choice(some)]
        threads = [(block, warp, lane) for lane in some]
        kind = rng.choices(["load", "store", "atomic", "volatile", "fence", "syncwarp", "barrier"],
                           weights)[0]
        scope = rng.choice([BLOCK, DEVICE, DEVICE])
        if kind == "barrier":
            made = [Event([(block, w, i) for w in range(warps) for i in range(lanes)], "join",
                          acquires=True)]
        elif kind == "syncwarp":
            made = [Event(threads, "join")]
        elif kind == "fence":
            made = [Event([thread], "fence", scope=scope) for thread in threads]
        else:
            made = random_accesses(rng, kind, threads, fences, scope, plain_share, words,
                                   not scopes and rng.random() < 0.3)
        made = list(made)
        places = pcs.setdefault((kind, made[0].operation, made[0].scope, made[0].exchange), [step])
        places.append(rng.choice([step, *places]))  # a loop comes to some again
        for event in made:
            event.pc = places[-1]
            events.append(event)
    return blocks, 32 * (warps - 1) + lanes, events


def lines_of(events):
    """The input of the driver (c/race.c) for these events."""
    for e in events:
        block, warp, lane = e.threads[0]
        thread = 32 * warp + lane
        if e.kind == "access":
            extra = int(e.volatile or (e.operation == ATOMIC and e.scope == BLOCK)) + 4 * e.exchange
            yield f"access {block} {thread} {e.operation} {extra} {e.pc} {e.word[0]} {e.effect}"
        elif e.kind == "fence":
            yield f"fence {block} {thread} {e.scope}"
        elif e.acquires:
            yield f"barrier {block}"
        else:
            yield f"syncwarp {block} {warp} {sum(1 << i for _, _, i in e.threads)}"


def told(text):
    found = {"race": set(), "flag": set(), "unwritten": set()}
    for line in text.splitlines():
        kind, *numbers = line.split()
        a, b = tuple(map(int, numbers[:3])), tuple(map(int, numbers[3:]))
        if "uninitialised" in kind:
            found["unwritten"].add(a)
        else:
            found["flag" if kind == "volatile-flag" else "race"].add(frozenset([a, b]))
    racing = {pc for pair in found["race"] for _, _, pc in pair}  # says more (judge/finding.c)
    found["unwritten"] = {a for a in found["unwritten"] if a[2] not in racing}
    return found


def verdicts(driver, launches):
    text = "".join(f"launch {blocks} {threads} {int(fences)}\n" +
                   "".join(line + "\n" for line in lines_of(events)) + "end\n"
                   for blocks, threads, fences, events in launches)
    done = run(driver, input=text)
    assert (done.returncode, done.stderr) == (0, "")
    parts = done.stdout.split("end\n")
    assert len(parts) == len(launches) + 1
    return [told(part) for part in parts[:-1]]


def places(pairs):
    """The pairs by their places in the code: one pair is told for two places."""
    return {tuple(sorted(pc for _, _, pc in pair)) for pair in pairs}


def show(events):
    return "\n".join([*lines_of(events), *(f"{i} {e}" for i, e in enumerate(events))])


def compare_unwritten(events, fences, answer):
    """No other is told than may come first. (Without fences those of a thread that follow its first one
    are told, too.) Not all are: of many operations on a word only the last are known."""
    expected = unwritten(events, fences)
    wrong = answer["unwritten"] - set().union(*expected.values())
    if not fences:
        wrong -= {end(e) for e in events if e.word in expected}
    assert not wrong, show(events) + f"\naccused of an early read: {sorted(wrong)}"


@pytest.mark.parametrize("fences", [True, False])
def test_rules(driver, fences):
    """No pair is told that the model orders, and each word that has races is told."""
    rng = random.Random(1)
    runs = [random_run(rng, fences) for _ in range(RUNS)]
    answers = verdicts(driver, [(b, t, fences, events) for b, t, events in runs])
    assert sum(bool(answer["race"]) for answer in answers) > len(runs) / 20
    assert sum(not answer["race"] for answer in answers) > len(runs) / 20
    for (_, _, events), answer in zip(runs, answers):
        found, flags = races(events, fences)
        pairs = set().union(*found.values()) if found else set()
        marks = set().union(*flags.values()) if flags else set()
        assert answer["race"] <= pairs, show(events) + \
            f"\naccused: {sorted(map(sorted, answer['race'] - pairs))}"
        assert answer["flag"] <= marks, show(events)
        compare_unwritten(events, fences, answer)
        for word, expected in found.items():
            assert places(answer["race"]) & places(expected), show(events) + \
                f"\nmissed: {word} {sorted(map(sorted, expected))}"


# ---- runs that random ones hardly ever are ----

WHAT = {"load": (LOAD, READ, DEVICE, False), "store": (STORE, STORED, DEVICE, False),
        "look": (LOAD, READ, DEVICE, True), "set": (STORE, STORED, DEVICE, True),
        "add": (ATOMIC, CHANGE, DEVICE, False), "read": (ATOMIC, READ, DEVICE, False),
        "exchange": (ATOMIC, CHANGE, DEVICE, False), "add_block": (ATOMIC, CHANGE, BLOCK, False),
        "read_block": (ATOMIC, READ, BLOCK, False)}


def scripted(steps):
    """The events of steps "BLOCK.THREAD WHAT WORD", "BLOCK.THREAD fence", "BLOCK.0 barrier" and
    "BLOCK.0 syncwarp LANES". There are three warps. An access may be the same in the code as that
    of an earlier step, whose number stands behind it."""
    events = []
    for number, step in enumerate(steps, 1):
        where, what, *rest = step.split()
        block, *thread = int(where.split(".")[0]), *divmod(int(where.split(".")[1]), 32)
        if what in ("syncwarp", "barrier"):
            threads = [(block, *divmod(int(i), 32)) for i in rest or range(96)]
            events.append(Event(threads, "join", acquires=what == "barrier"))
        elif what == "fence":
            events.append(Event([(block, *thread)], "fence", scope=DEVICE))
        else:
            operation, effect, scope, volatile = WHAT[what]
            word = int(rest.pop(0))
            events.append(Event([(block, *thread)], "access", operation,
                                (word, block) if word >= SHARED else (word,), effect, scope,
                                volatile, what == "exchange"))
        events[-1].pc = int((rest or [number])[0]) if what in WHAT else number
    return events


DATA = 0
# What one word in data/rare_runs.csv stands for
SEVERAL = {"GIVES": "0.0 store 0; 0.0 fence; 0.0 add 1", "TAKES": "2.0 fence; 2.0 load 0",
           "LEARNS": "0.0 fence; 0.0 add 1; 2.0 add 1; 2.0 fence",
           "WHOLE": "0.0 syncwarp " + " ".join(map(str, range(32)))}


@pytest.mark.parametrize("fences, race, steps", [
    (row["fences"] == "yes", row["race"] == "yes", row["steps"])
    for row in data_rows("simt/tests/data/rare_runs.csv")])
def test_rare_runs(driver, fences, race, steps):
    """Links of a chain whose scopes do not meet, chains that a store breaks, fences that one thread passes for its
    block, reads of one warp for which the records have no room: is there a race for the data?"""
    steps = re.sub("[A-Z]+", lambda word: SEVERAL[word[0]], steps).split("; ")
    events = scripted(steps)
    expected = races(events, fences)[0].get((DATA,), set())
    assert bool(expected) == race
    before = scripted([f"{block}.{lane} fence" for block in range(3) for lane in range(4)] * fences)
    answer = verdicts(driver, [(3, 96, fences, before), (3, 96, fences, events)])[1]
    of_data = {pair for pair in answer["race"]
               if {events[pc - 1].word for _, _, pc in pair} == {(DATA,)}}
    assert bool(of_data) == race and of_data <= expected


@pytest.mark.parametrize("told, steps", [
    ({2}, ["0.0 exchange 0", "1.0 add 0"]),
    ({3}, ["0.0 exchange 0", "0.0 add 0", "0.1 add 0"]),
    ({3, 4}, ["0.0 exchange 0", "0.0 syncwarp 0 1", "1.0 add 0", "0.2 add 0", "0.1 add 0"]),
    (set(), ["0.0 exchange 0", "0.0 barrier", "0.1 add 0", "0.2 read 0"]),
    (set(), ["0.0 exchange 0", "1.0 exchange 0", "2.0 exchange 0", "1.0 add 0", "2.0 add 0"]),
    (set(), ["0.0 exchange 0", "1.0 exchange 0", "1.0 barrier", "1.1 exchange 0", "1.2 add 0"]),
    ({4}, ["0.0 exchange 0", "0.0 barrier", "0.1 exchange 0", "1.0 add 0"])])
@pytest.mark.parametrize("fences", [True, False])
def test_exchange_comes_first(driver, fences, told, steps):
    """An exchange is the word's first write in this run; which atomics may come before it?"""
    events = scripted(steps)
    (answer,) = verdicts(driver, [(3, 96, fences, events)])
    assert {pc for _, _, pc in answer["unwritten"]} == told and not answer["race"]
    assert {pc for _, _, pc in unwritten(events, fences).get((0,), set())} == told

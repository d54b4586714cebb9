"""The CPU backend's arithmetic, without a CUDA program: sectors and wavefronts of a request
(cost.c), against what Nsight Compute counted, and the merge of 32 lanes into warps (merge.h), against a
model that is slow and plain."""

import ctypes
import random

import pytest

from backend import ROOT, data_rows, run

ALL_LANES = 2**32 - 1


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """simt/watch/NAME.c alone, to be called from here; undefined behaviour ends the test."""
    def compiled(name):
        file = tmp_path_factory.mktemp("c") / f"{name}.so"
        done = run("gcc", "-std=c11", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared",
                   "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-Isimt",
                   f"simt/watch/{name}.c", "-o", file, cwd=ROOT)
        assert (done.returncode, done.stderr) == (0, "")
        return ctypes.CDLL(str(file))
    return compiled


def lanes_of(mask):
    return [lane for lane in range(32) if mask >> lane & 1]


# ---- sectors and wavefronts ----

class WarpEvent(ctypes.Structure):
    _fields_ = [("key", ctypes.c_uint64), ("kind", ctypes.c_uint), ("depth", ctypes.c_uint),
                ("size", ctypes.c_uint), ("extra", ctypes.c_uint), ("lanes", ctypes.c_uint),
                ("alike", ctypes.c_bool), ("address", ctypes.c_uint64 * 32)]


class Cost(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in (
        "requests", "lanes", "sectors", "wavefronts", "bank_conflicts", "combined")]


LOAD, STORE, ATOMIC, LOOPS = 0, 1, 2, 8  # event_kind; EXTRA_LOOPS (run/event.h)


def cost_of(compiled, addresses, mask, size, shared, kind=LOAD, extra=0):
    event = WarpEvent(kind=kind, size=size, extra=extra, lanes=mask,
                      address=(ctypes.c_uint64 * 32)(*addresses))
    compiled.cost_of.restype = Cost
    return compiled.cost_of(ctypes.byref(event), ctypes.c_bool(shared))


def nsight(name):
    """Patterns of a warp on an H200 and what Nsight Compute counted: rows, and each one's units."""
    for row in data_rows(f"simt/tests/data/{name}_h200.csv"):
        yield row, [int(row.popitem()[1] or 0) for _ in range(32)][::-1]


def test_wide_accesses(library):
    compiled = library("cost")
    for row, elements in nsight("wide"):
        size, mask = int(row["bytes"]), int(row["active"], 16)
        for kind, name in (LOAD, "load"), (STORE, "store"):
            cost = cost_of(compiled, [size * x for x in elements], mask, size, True, kind)
            assert (cost.wavefronts, cost.bank_conflicts) == tuple(
                int(row[f"{name}_{figure}"]) for figure in ("wavefronts", "conflicts")), (row, name)


def test_atomics(library):
    """The row in which a lane adds 0 to 64 bits is left out: the other lanes did not see a change."""
    compiled = library("cost")
    for row, words in nsight("atomics"):
        space, _, kind = row["kernel"].partition("_")
        size = 8 if kind == "ull" else 4
        cost = cost_of(compiled, [size * x for x in words], ALL_LANES, size, space == "sh", ATOMIC,
                       LOOPS if kind in ("ull", "float") else 0)
        if space == "g":
            assert (cost.requests, cost.sectors) == (1, int(row["sectors"])), row
        elif kind != "ull" or any(words):
            assert (cost.requests, cost.wavefronts, cost.bank_conflicts) == tuple(
                int(row[figure]) for figure in ("instructions", "wavefronts", "conflicts")), row


def test_shared_atomics(library):
    """Also of 8 bytes, with lanes that take no part, and random ones."""
    compiled, extra = library("cost"), {"cas": 2, "exch": 4, "add": LOOPS}
    rows = data_rows("simt/tests/data/shared_atomics_h200.csv")
    assert len(rows) == 146
    for row in rows:
        words, (kind, op) = row["words"].split(), row["kernel"].split("_")
        size = 8 if kind in ("double", "ull") else 4
        cost = cost_of(compiled, [0 if x == "-" else size * int(x) for x in words],
                       sum(1 << i for i, x in enumerate(words) if x != "-"), size, True, ATOMIC, extra[op])
        assert all(getattr(cost, figure) == int(row[figure]) for figure in (
            "requests", "wavefronts", "bank_conflicts")), row


# ---- from lanes to warps ----

END = 2**64 - 1


class Event(ctypes.Structure):
    """As run/event.h has it: the key, then all else in one."""
    _fields_ = [("key", ctypes.c_uint64), ("address", ctypes.c_uint64, 48),
                ("kind", ctypes.c_uint64, 4), ("depth", ctypes.c_uint64, 2),
                ("size", ctypes.c_uint64, 5), ("extra", ctypes.c_uint64, 5)]


EMIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(WarpEvent))


def random_logs(rng):
    """The logs of 32 lanes, [(key, kind, depth, size, extra, address)] each: in loops the keys fall
    again, and at one place lanes may do different things."""
    places = [rng.randrange(rng.choice([8, 1 << 62])) for _ in range(rng.choice([2, 5, 20]))]
    spread, length = rng.choice([1, 1, 3]), rng.choice([0, 3, 30])
    program = [(rng.choice(places), rng.randrange(11), rng.choice([1, 2, 1 << 48]))
               for _ in range(length)]
    skip = rng.choice([0, 0.1, 0.8])

    def one(key, kind, addresses):
        return (key, kind + rng.randrange(spread), key % 3, 1 << key % 5, rng.randrange(spread),
                rng.randrange(addresses))
    return [[one(*each) for each in program if rng.random() >= skip] for _ in range(32)]


def merge(logs, ends, at, running):
    """The model: of all lanes those at the smallest place go first, and of these the ones that do
    the same as the first. Returns the warp's events, and moves the lanes on in `at`."""
    events = []
    while True:
        keys = [logs[i][at[i]][0] if at[i] < ends[i] else END for i in range(32)]
        if min(keys) == END or any(keys[i] == END for i in lanes_of(running)):
            return events
        here = [i for i in range(32) if keys[i] == min(keys)]
        first = logs[here[0]][at[here[0]]]
        here = [i for i in here if logs[i][at[i]][1:4] == first[1:4]]
        addresses = [(i, logs[i][at[i]][5]) for i in here]
        events.append((*first[:4], len({address for _, address in addresses}) == 1, addresses))
        for i in here:
            at[i] += 1


def merged(compiled, logs, ends, at, running):
    """The same by merge.c. Behind a log's end lies what would come first, were it read."""
    events, log, wild = [], [], Event(key=0)
    next_ = (ctypes.POINTER(Event) * 32)()
    for i in range(32):
        some = [Event(key, address, kind, depth, size, extra)
                for key, kind, depth, size, extra, address in logs[i][at[i]:ends[i]]]
        log.append((Event * (len(some) + 2))(*some, Event(key=END), wild))
        next_[i] = ctypes.cast(log[i], ctypes.POINTER(Event))

    def emit(_, event):
        e = event[0]
        events.append((e.key, e.kind, e.depth, e.size, e.alike,
                       [(i, e.address[i]) for i in lanes_of(e.lanes)]))
    compiled.merge_warp(next_, running, EMIT(emit), None)
    for i in range(32):
        at[i] += (ctypes.addressof(next_[i][0]) - ctypes.addressof(log[i])) // ctypes.sizeof(Event)
    return events


def test_merge(library):
    """Lanes' logs merge into the warp's events, in their order; handed over in pieces, too."""
    rng, compiled = random.Random(4), library("merge")
    for number in range(150):
        logs = random_logs(rng)
        at, wanted_at, ends = [0] * 32, [0] * 32, [0] * 32
        room = rng.choice([1, 7, 40]) if number % 2 else 40
        while at != list(map(len, logs)):
            ends = [min(len(log), max(end, place + rng.randint(1, room)))
                    for log, end, place in zip(logs, ends, at)]
            running = sum(1 << i for i in range(32) if ends[i] < len(logs[i]))
            events = merge(logs, ends, wanted_at, running)
            assert merged(compiled, logs, ends, at, running) == events, number
            assert at == wanted_at

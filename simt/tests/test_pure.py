"""The CPU backend's arithmetic, without a CUDA program: sectors and wavefronts of a request
(cost.c), against what Nsight Compute counted, and the merge of 32 lanes into warps (merge.h)."""

import ctypes

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
    return compiled.cost_of(ctypes.byref(event), ctypes.c_bool(shared), ctypes.byref(Cost()))


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


@pytest.mark.parametrize("space, patterns", [("shared", 146), ("global", 246)])
def test_more_atomics(library, space, patterns):
    """Also of 8 bytes, with lanes that take no part, and random ones. Of more than 16 sectors some go twice."""
    compiled, extra = library("cost"), {"cas": 2, "exch": 4, "add": LOOPS}
    rows = data_rows(f"simt/tests/data/{space}_atomics_h200.csv")
    assert len(rows) == patterns
    for row in rows:
        words, (kind, op) = row["words"].split(), row["kernel"].split("_")
        size = 8 if kind in ("double", "ull") else 4
        cost = cost_of(compiled, [0 if x == "-" else size * int(x) for x in words],
                       sum(1 << i for i, x in enumerate(words) if x != "-"), size, space == "shared", ATOMIC,
                       extra[op])
        if space == "global":
            assert 0 <= int(row["sectors"]) - cost.sectors <= (3 if cost.sectors > 16 else 0), row
        else:
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


def merged(compiled, *logs, running=0):
    """The warp's events, of the logs of its first lanes, [(key, kind, size, address, extra)]: key, kind, size,
    whether all have one address, {lane: address}."""
    events = []
    ended = [[*(Event(key, address, kind, 0, size, extra) for key, kind, size, address, extra in log),
              Event(key=END)] for log in [*logs, *[[]] * (32 - len(logs))]]
    arrays = [(Event * len(log))(*log) for log in ended]
    next_ = (ctypes.POINTER(Event) * 32)(*(ctypes.cast(log, ctypes.POINTER(Event)) for log in arrays))

    def emit(_, event):
        e = event[0]
        lanes = [i for i in range(32) if e.lanes >> i & 1]
        events.append((e.key, e.kind, e.size, e.alike, {i: e.address[i] for i in lanes}))
    compiled.merge_warp(next_, running, EMIT(emit), None)
    return events


def test_merge(library):
    """The first place comes first; in loops it may come again. Where lanes do different things at one place,
    each is an event. One that runs on may still come to a place in front of the others'."""
    compiled = library("merge")
    once, twice = ([(key, LOAD, 4, 8, 0) for key in keys] for keys in ([1, 2, 5], [1, 2, 1, 2, 3, 5]))
    both, second = (True, {0: 8, 1: 8}), (True, {1: 8})
    assert merged(compiled, once, twice) == [(key, LOAD, 4, *lanes) for key, lanes in (
        (1, both), (2, both), (1, second), (2, second), (3, second), (5, both))]
    assert merged(compiled, once, twice[:2], running=2) == [(1, LOAD, 4, *both), (2, LOAD, 4, *both)]
    here = [[(7, *each)] for each in ((LOAD, 4, 0, 0), (STORE, 4, 0, 0), (LOAD, 8, 0, 0), (LOAD, 4, 0, 1),
                                      (STORE, 4, 4, 0))]
    assert merged(compiled, *here) == [(7, LOAD, 4, True, {0: 0, 3: 0}), (7, STORE, 4, False, {1: 0, 4: 4}),
                                       (7, LOAD, 8, True, {2: 0})]

"""A model of what races: it lists what orders what, edge by edge, as the PTX memory model does. The
rules of judge/race.h are held against it (test_race_rules.py)."""

import itertools
from dataclasses import dataclass

LOAD, STORE, ATOMIC = 0, 1, 2
READ, CHANGE, STORED, SAME = 0, 1, 2, 3
BLOCK, DEVICE = 0, 1


@dataclass
class Event:
    """An action of one thread, or of several together (a barrier, a __syncwarp)."""
    threads: list  # of (block, warp, lane)
    kind: str  # access, fence, join
    operation: int = LOAD
    word: tuple = None
    effect: int = READ
    scope: int = DEVICE
    volatile: bool = False
    exchange: bool = False  # an atomic of which nobody looks at what it read
    pc: int = 0
    acquires: bool = False  # a barrier takes over, a __syncwarp does not

    @property
    def strong(self):
        return self.kind == "access" and (self.operation == ATOMIC or self.volatile)

    @property
    def writes(self):
        return self.operation == STORE or (self.operation == ATOMIC and self.effect != READ)

    @property
    def reads(self):
        return self.strong and self.operation != STORE and not self.exchange

    @property
    def block(self):
        return self.threads[0][0]


def reach(a, b, a_scope, b_scope):
    """Do two scopes hold both threads?"""
    return a == b or (a_scope == DEVICE and b_scope == DEVICE)


def observed(events):
    """For each operation that reads: the operations that it sees, directly or through others."""
    sees, last = {}, {}
    for i, e in enumerate(events):
        if not e.strong:
            continue
        before = last.get(e.word)
        link = before is not None and reach(events[before].block, e.block,
                                            events[before].scope, e.scope)
        reads = e.operation == ATOMIC or e.operation == LOAD
        sees[i] = {before} | sees[before] if link and reads else set()
        if e.writes:
            last[e.word] = i
            if e.operation == STORE:
                sees[i] = set()
    return sees


def closure(count, edges):
    """after[i]: bits of the events that come after event i. Edges lead from lower to higher."""
    after = [0] * count
    for i in reversed(range(count)):
        for j in edges[i]:
            after[i] |= 1 << j | after[j]
    return after


def program_edges(events):
    edges, last = [set() for _ in events], {}
    for i, e in enumerate(events):
        for thread in e.threads:
            if thread in last:
                edges[last[thread]].add(i)
            last[thread] = i
    return edges


def mine_after(events, i, edges):
    """The events after event i: its thread's, and behind a barrier or __syncwarp the others'."""
    after = closure(len(events), edges)[i]
    return [j for j in range(i + 1, len(events)) if after >> j & 1]


def hand_overs(events, sees):
    """Each fence whose order somebody sees: its index, that of the operation that sees, and the
    indices of what comes after it."""
    within = program_edges(events)
    for f, fence in enumerate(events):
        if fence.kind != "fence":
            continue
        written = {j for j in mine_after(events, f, within)
                   if events[j].strong and events[j].writes}
        for r, seen in sees.items():
            if seen & written:
                yield f, r, mine_after(events, r, within)


def handed_over(events, sees, edges):
    """An edge from each fence to what takes its order over. PTX's fence.sc all stand in one order, in
    which one that is followed by an operation comes before one that follows what sees it."""
    for f, r, later in hand_overs(events, sees):
        for q in later:
            point = events[q]
            takes = point.kind == "fence" or point.acquires
            scope = point.scope if point.kind == "fence" else DEVICE
            if takes and reach(events[f].block, events[r].block, events[f].scope, scope):
                edges[f].add(q)


def read_in_order(events, sees):
    """Volatile loads and atomics behind an operation that sees what a fence handed over: ordered
    behind the fence, without one of their own."""
    behind = {}
    for f, r, later in hand_overs(events, sees):
        if reach(events[f].block, events[r].block, events[f].scope, DEVICE):
            behind.setdefault(f, set()).update(
                b for b in later if events[b].strong and events[b].operation != STORE)
    return behind


def ordered(events, fences):
    """Is event i before event j? Without fences the backend does not follow who saw whose atomic: a
    plain access behind one's own atomic counts as unordered with the others'."""
    sees = observed(events) if fences else {}
    edges = program_edges(events)
    handed_over(events, sees, edges)
    after = closure(len(events), edges)
    full = list(after)
    for f, loads in read_in_order(events, sees).items():
        for i in range(len(events)):
            if i != f and after[i] >> f & 1:
                full[i] |= sum(1 << b for b in loads)
    for r, seen in sees.items():
        for w in seen:
            full[w] |= after[r]
    return lambda i, j: full[i] >> j & 1 or full[j] >> i & 1


def may_be_flag(events, writer, reader):
    """Both are operations, and the writer passed a fence before. Who takes a lock reads, too."""
    w, r = events[writer], events[reader]
    if not (w.strong and r.strong and w.writes and reach(w.block, r.block, w.scope, r.scope)):
        return False
    return any(e.kind == "fence" and w.threads[0] in e.threads for e in events[:writer]) and (
        not r.writes or (w.operation == STORE and r.exchange and reader > writer))


def is_flag(events, i, j, sees, is_ordered):
    a, b = events[i], events[j]
    if {a.operation, b.operation} == {LOAD, ATOMIC} and a.volatile + b.volatile == 1:
        return a.strong and b.strong and reach(a.block, b.block, a.scope, b.scope)
    writer, reader = (i, j) if a.writes else (j, i)
    if not may_be_flag(events, writer, reader):
        return False
    mine = [e for e in range(len(events)) if events[reader].threads[0] in events[e].threads]
    # its thread's looks between two writes by operations
    rounds = [sum(events[e].strong and events[e].writes for e in mine if e < own) for own in mine]
    looks = [e for e, own in zip(mine, rounds) if own == rounds[mine.index(reader)] and
             events[e].word == a.word]
    return any(events[e].kind == "fence" or events[e].acquires for e in mine if e >= reader) and any(
        may_be_flag(events, w, e) and not is_ordered(w, e) for e in looks for w in sees.get(e, ()))


def chains(events):
    """For each operation the number of its word's chain of writes that see each other, behind it and
    before it. A store begins another, and so does what may not see the last write."""
    behind, before, last = {}, {}, {}
    for i, e in enumerate(events):
        if not e.strong:
            continue
        write, before[i] = last.get(e.word, (None, 0))
        link = write is not None and reach(events[write].block, e.block, events[write].scope, e.scope)
        behind[i] = i + 1 if e.writes and (e.operation == STORE or not link) else before[i]
        if e.writes:
            last[e.word] = i, behind[i]
    return behind, before


def races(events, fences):
    """All pairs of accesses that race, as {(word): {(pc, pc)}}, and those that are flags. Where a word
    was overwritten between two operations, each is compared with that write."""
    is_ordered, sees = ordered(events, fences), observed(events)
    behind, before = chains(events)
    found, flags = {}, {}
    accesses = [i for i, e in enumerate(events) if e.kind == "access"]
    for i, j in itertools.combinations(accesses, 2):
        a, b = events[i], events[j]
        if a.word != b.word or not (a.writes or b.writes) or a.threads == b.threads:
            continue
        if a.operation == ATOMIC and b.operation == ATOMIC and \
                reach(a.block, b.block, a.scope, b.scope):
            continue
        if fences and a.strong and b.strong and (a.volatile or b.volatile) and behind[i] < before[j]:
            continue
        if not is_ordered(i, j):
            into = flags if is_flag(events, i, j, sees, is_ordered) else found
            into.setdefault(a.word, set()).add(frozenset([end(a), end(b)]))
    return found, flags


def unwritten(events, fences):
    """Atomics and volatile loads, by word, that may read what nobody wrote, though somebody has: they are behind no
    write of it. (What reads before anybody wrote is told by judge/garbage.c.)"""
    is_ordered, found = ordered(events, fences), {}
    for j, read in enumerate(events):
        writes = [i for i, e in enumerate(events[:j]) if e.writes and e.word == read.word]
        if read.reads and writes and not any(is_ordered(i, j) for i in writes):
            found.setdefault(read.word, set()).add(end(read))
    return found


def end(e):
    block, warp, lane = e.threads[0]
    return block, 32 * warp + lane, e.pc

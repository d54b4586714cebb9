"""From the requests of a block's warps to the rounds that a picture shows: what the warps do at one
source line, between the same two barriers, at the same turn of a loop. And a round in words: who
works, at what cost. Pure."""

import collections

from tutorial import trace_data
from tutorial.figures import plural

# kind: "memory", "shuffle" (any operation between lanes), "syncwarp" or "syncthreads".
# warps: warp -> its requests at this line in this round.
Round = collections.namedtuple("Round", "kind file line warps")
# A thread touches words, in the course of a request.
Touch = collections.namedtuple("Touch", "request thread access")
# So many rounds that are left out; are they like those around them?
Omitted = collections.namedtuple("Omitted", "rounds alike")

KINDS = {"syncthreads": "syncthreads", "syncwarp": "syncwarp", "shuffle": "shuffle",
         "vote": "shuffle", "reduce": "shuffle"}
FIRST, LAST = 2, 1  # of a run of rounds that are alike, so many are shown
MOST = 28           # rounds in a picture


def of_block(block):
    """The rounds of a block, in order."""
    found = [keyed_statements(requests) for requests in block.warps.values()]
    order = merged([list(statements) for statements in found])
    rounds = []
    for key in order:
        warps = {warp: statements[key] for warp, statements in zip(block.warps, found)
                 if key in statements}
        first = next(iter(warps.values()))[0]
        rounds.append(Round(KINDS.get(first.op, "memory"), first.file, first.line, warps))
    return rounds


def keyed_statements(requests):
    """A warp's requests by statement: {(barriers before, file, line, turn): [request, …]}. A
    statement is executed again when one of its instructions is."""
    statements, turns = {}, collections.Counter()
    barriers, place, seen = 0, None, set()
    for request in requests:
        instruction = request.instruction, request.space
        if (request.file, request.line) != place or instruction in seen or request.space == "sync":
            place, seen = (request.file, request.line), set()
            key = (barriers, *place, turns[barriers, place])
            turns[barriers, place] += 1
            statements[key] = []
        seen.add(instruction)
        statements[key].append(request)
        if request.op == "syncthreads":
            barriers, place = barriers + 1, None
        elif request.space == "sync":
            place = None
    return statements


def merged(sequences):
    """One order of all keys in which each sequence's own order holds, barriers first of all."""
    order = []
    for sequence in sequences:
        place = 0
        for key in sequence:
            if key in order:
                place = order.index(key) + 1
            else:
                order.insert(place, key)
                place += 1
    return sorted(order, key=lambda key: key[0])


# ---- leaving out ----

def shape(round):
    """What two rounds have in common that look alike, wherever in memory they are."""
    def of_request(request):
        lanes = request.lanes
        if request.space == "sync":
            return request.op, tuple(lanes.items())
        first = min(access.offset for access in lanes.values())
        return (request.op, request.instruction, request.sectors, request.wavefronts,
                tuple((lane, access.array, access.offset - first, access.bytes)
                      for lane, access in lanes.items()))
    return round.kind, round.line, tuple(
        (warp, tuple(map(of_request, requests))) for warp, requests in round.warps.items())


def shortened(rounds):
    """Of long runs of rounds that are alike only the first and last; of what is still too long, the
    middle is left out."""
    short, start = [], 0
    while start < len(rounds):
        end, this = start + 1, shape(rounds[start])
        while end < len(rounds) and shape(rounds[end]) == this:
            end += 1
        run = rounds[start:end]
        short += run if len(run) <= FIRST + LAST + 1 else [
            *run[:FIRST], Omitted(len(run) - FIRST - LAST, True), *run[-LAST:]]
        start = end
    if len(short) > MOST:
        middle = short[2 * MOST // 3:-MOST // 3]
        count = sum(part.rounds if isinstance(part, Omitted) else 1 for part in middle)
        short = [*short[:2 * MOST // 3], Omitted(count, False), *short[-MOST // 3:]]
    return short


# ---- figures of a round ----

def lanes_of_warp(block, warp):
    return min(32, block.threads - 32 * warp)


def touches(round, ops=("load", "store", "atomic")):
    """What the threads of all warps touch, as far as they do it by one of these operations."""
    return [Touch(request, 32 * warp + lane, access) for warp, requests in round.warps.items()
            for request in requests if request.op in ops
            for lane, access in request.lanes.items()]


# ---- in words ----

def figure_texts(block, this):
    """[(text, is it bad?)]: who works, and the dearest request to each space."""
    active = sum(len(set().union(*(request.lanes for request in requests)))
                 for requests in this.warps.values())
    lanes = sum(lanes_of_warp(block, warp) for warp in this.warps)
    good, bad = cost_texts(this)
    work = f"{plural(len(this.warps), 'warp')} busy, {active} of {lanes} lanes"
    return [(work + (f"; {', '.join(good)} a request" if good else ""), False),
            *((words, True) for words in bad)]


def cost_texts(this):
    """([text], [text of what is bad]): the dearest request to each space."""
    good, bad = [], []
    requests = [request for requests in this.warps.values() for request in requests]
    for space, noun, fewest, is_bad in (
            ("global", "sector", trace_data.fewest_sectors, trace_data.is_uncoalesced),
            ("shared", "wavefront", trace_data.fewest_wavefronts, trace_data.has_conflict)):
        found = [request for request in requests if request.space == space]
        if not found:
            continue
        worst = max(found, key=lambda request: (is_bad(request), getattr(request, noun + "s")))
        count, least = getattr(worst, noun + "s"), fewest(worst)
        if not is_bad(worst):
            good.append(plural(count, noun))
        elif space == "shared" and least == 1:
            bad.append(f"{count}-way bank conflict: {count} wavefronts a request")
        elif space == "shared":
            bad.append(f"bank conflicts: {count} wavefronts a request, not {least}")
        else:
            bad.append(f"uncoalesced: {count} sectors a request, not {least}")
    return good, bad

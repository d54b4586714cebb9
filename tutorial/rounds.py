"""From the requests of a block's warps to the rounds that are shown: what the warps do at one
source line, between the same two barriers, at the same turn of a loop. Pure."""

import collections
import itertools

from tutorial import trace_data
from tutorial.figures import plural

# request: one of them, for what they have in common. warps: warp that is shown -> its requests in
# this round. figures: [(text, "good" or "bad")], of all warps.
Round = collections.namedtuple("Round", "request warps figures")
# A thread touches words, in the course of per request.
Touch = collections.namedtuple("Touch", "request thread access")

BARRIERS = {"syncthreads": "of {} together", "syncwarp": "within {}"}


def of_block(block, shown):
    """The rounds of those warps that are shown, in order."""
    statements = {warp: keyed(requests) for warp, requests in block.warps.items()}
    rounds = []
    for key in merged(statements.values()):
        warps = {warp: of_warp[key] for warp, of_warp in statements.items() if key in of_warp}
        drawn = {warp: warps[warp] for warp in shown if warp in warps}
        if drawn:
            rounds.append(Round(next(iter(drawn.values()))[0], drawn, figures(block, warps)))
    return rounds


def keyed(requests):
    """A warp's requests by statement: {(barriers before, file, line, is it sync, turn): [request,
    …]}. A statement is executed again when one of its instructions is."""
    statements, turns = {}, collections.Counter()
    barriers, key, seen = 0, (), set()
    for request in requests:
        place = barriers, request.file, request.line, request.space == "sync"
        instruction = request.instruction, request.space
        if place != key[:-1] or instruction in seen or request.space == "sync":
            key, seen = (*place, turns[place]), set()
            turns[place] += 1
        seen.add(instruction)
        statements.setdefault(key, []).append(request)
        barriers += request.op == "syncthreads"
    return statements


def merged(sequences):
    """One order of all keys in which each sequence's own order holds, barriers first of all."""
    order = []
    for sequence in sequences:
        place = 0
        for key in sequence:
            if key not in order:
                order.insert(place, key)
            place = order.index(key) + 1
    return sorted(order, key=lambda key: key[0])


def touches(round, ops):
    """What threads touch, as far as they do it by one of these operations."""
    return [Touch(request, 32 * warp + lane, access) for warp, requests in round.warps.items()
            for request in requests if request.op in ops
            for lane, access in request.lanes.items()]


def costly(touches):
    """[(array, word)] of words whose bank is wanted for another word, too, and of those where
    sectors begin that are loaded for few of their words."""
    conflicts = {(access.array, access.word) for request, thread, access in touches
                 if request.space == "shared"
                 and thread % 32 in trace_data.conflicting_lanes(request)}
    sectors = {(access.array, access.word // 8 * 8) for request, _, access in touches
               if request.space == "global" and trace_data.is_dear(request)}
    return sorted(conflicts), sorted(sectors)


def threads_of(block, warp):
    return range(32 * warp, min(32 * warp + 32, block.threads))


# ---- in words ----

def figures(block, warps):
    """[(text, "good" or "bad")]: who works, and the dearest request to each space."""
    requests = list(itertools.chain(*warps.values()))
    busy = plural(len(warps), "warp")
    if requests[0].op in BARRIERS:
        return [(f"__{requests[0].op}() {BARRIERS[requests[0].op].format(busy)}", "good")]
    active = sum(len(set().union(*(request.lanes for request in of_warp)))
                 for of_warp in warps.values())
    work = f"{busy}, {active} of {sum(len(threads_of(block, warp)) for warp in warps)} lanes"
    good, bad = [], []
    for space, noun, fault in (("global", "sector", "uncoalesced"),
                               ("shared", "wavefront", "bank conflict")):
        found = [request for request in requests if request.space == space]
        worst = max(found, key=lambda request: (trace_data.is_dear(request), request.cost),
                    default=None)
        if worst and trace_data.is_dear(worst):
            bad.append((f"{fault}: {plural(worst.cost, noun)}/request, "
                        f"not {trace_data.fewest(worst)}", "bad"))
        elif worst:
            good.append(plural(worst.cost, noun))
    return [(work + (f"; {', '.join(good)}/request" if good else ""), "good"), *bad]

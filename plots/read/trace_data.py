"""Reads a trace of the CPU backend (its columns: simt/FORMATS.md), says of a request what it cost and
what it could have cost, and makes of requests the rounds that are shown: what a block's warps do at
one source line, between the same two barriers, at the same turn of a loop."""

import collections
import itertools
import re
import subprocess
import tempfile

from plots.read.csv_input import columns, read_table
from plots.read.figures import plural
from plots.read.files import BadData, read_text

COLUMNS = columns("launch blocks:int threads:int block warp:int request:int file line:size "
                  "instruction:int space:global|shared|sync op lane:int array array_bytes:int offset:int bytes:int "
                  "sectors:int wavefronts:int from:int value")
# A block of a launch of so many blocks of so many threads. warps: warp -> its requests, in order.
Block = collections.namedtuple("Block", "blocks threads warps")
# lanes: lane -> Access, or for a shuffle the lane whose value it gets, or None. cost: of the whole
# request in global memory its sectors, in shared memory its wavefronts, else 0.
Request = collections.namedtuple("Request", "file line instruction space op lanes cost")

# Of 4 bytes. words: of the array; word: its index there; value: what was read or stored, unsigned
Access = collections.namedtuple("Access", "array words word value")
# request: one of them, for what they have in common. warps: warp that is shown -> its requests in
# this round. figures: [(text, "good" or "bad")], of all warps.
Round = collections.namedtuple("Round", "request warps figures")
# A thread touches words, in the course of per request.
Touch = collections.namedtuple("Touch", "request thread access")

BARRIERS = {"syncthreads": "of {} together", "syncwarp": "within {}"}


# ---- loading ----

def of_program(path, n, *options):
    """The first block of a reduction of n elements by a program for the CPU backend."""
    with tempfile.NamedTemporaryFile() as trace:
        done = subprocess.run([path, "-n", str(n), *options, "--csv", "--trace", trace.name],
                              capture_output=True, text=True)
        if done.returncode:  # also if its sum is wrong
            why = (done.stderr.splitlines() or ["it says nothing"])[-1]
            raise BadData(path, None, f"failed with status {done.returncode}: {why}")
        return load(trace.name)


def load(path):
    """The first block of the first launch."""
    table = read_table(path, COLUMNS, wanted=lambda row: (row["launch"], row["block"]) == ("1", "0"))
    warps = collections.defaultdict(list)
    for row in table:
        requests, space = warps[row["warp"]], row["space"]
        if row["request"] == len(requests):
            cost = {"global": row["sectors"], "shared": row["wavefronts"], "sync": 0}[space]
            requests.append(Request(row["file"], row["line"], row["instruction"], space, row["op"],
                                    {}, cost))
        requests[-1].lanes[row["lane"]] = row["from"] if space == "sync" else Access(
            row["array"], row["array_bytes"] // 4, row["offset"] // 4,
            int((row["value"] or "0").split()[0], 16))
    name_as_in_the_code([*itertools.chain(*warps.values())])
    return Block(table[0]["blocks"], table[0]["threads"], dict(warps))


def name_as_in_the_code(requests):
    """An array that is only stored to, the result, has the kernel's name for it, not the host's."""
    loaded = {access.array for request in requests if request.op == "load"
              for access in request.lanes.values()}
    for request in requests:
        if (request.space, request.op) == ("global", "store"):
            line = "".join(read_text(request.file).splitlines()[request.line - 1:request.line])
            name = re.match(r"\s*\*?(\w+)\b.* = |", line)[1]
            for lane, access in request.lanes.items():
                if name and access.array not in loaded:
                    request.lanes[lane] = access._replace(array=name)


# ---- what a request could have cost (pure) ----

def fewest(request):
    """The least cost: as if what the lanes touch lay side by side."""
    touched = {(access.array, access.word) for access in request.lanes.values()}
    return 1 if request.space == "shared" else -(-len(touched) // 8)


def is_dear(request):
    """Is it uncoalesced, or does it have bank conflicts?"""
    return request.space != "sync" and request.cost > fewest(request)


# ---- rounds (pure) ----

def rounds_of(block, shown):
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


def touches(round, op):
    """What threads touch by this operation."""
    return [Touch(request, 32 * warp + lane, access) for warp, requests in round.warps.items()
            for request in requests if request.op == op
            for lane, access in request.lanes.items()]


def gets(round):
    """{thread: the thread whose value it gets}, of a shuffle."""
    return {32 * warp + lane: 32 * warp + source for warp, (request, *_) in round.warps.items()
            for lane, source in request.lanes.items()}


def costly(touches):
    """[(array, word)] of words whose bank is wanted for another word, too, and of those where
    sectors begin that are loaded for few of their words."""
    conflicts = {(array, word) for request, _, (array, _, word, _) in touches
                 if request.space == "shared" and any(
                     access.word != word and access.word % 32 == word % 32
                     for access in request.lanes.values())}
    sectors = {(array, word // 8 * 8) for request, _, (array, _, word, _) in touches
               if request.space == "global" and is_dear(request)}
    return sorted(conflicts), sorted(sectors)


def threads_of(block, warp):
    return range(32 * warp, min(32 * warp + 32, block.threads))


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
        worst = max((request for request in requests if request.space == space),
                    key=lambda request: (is_dear(request), request.cost), default=None)
        if worst and is_dear(worst):
            bad.append((f"{fault}: {plural(worst.cost, noun)}/request, not {fewest(worst)}", "bad"))
        elif worst:
            good.append(plural(worst.cost, noun))
    return [(work + (f"; {', '.join(good)}/request" if good else ""), "good"), *bad]

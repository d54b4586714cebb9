"""Reads a trace of the CPU backend (its columns: simt/README.md) and says of a request what
it cost and what it could have cost."""

import collections

from tutorial.csv_input import columns, read_table
from tutorial.files import BadData

COLUMNS = columns("launch blocks:int threads:int block warp:int request:int file line:int "
                  "instruction:int space op lane:int array array_bytes:int offset:int bytes:int "
                  "sectors:int wavefronts:int from:int value")
# A block of a launch of so many blocks of so many threads. warps: warp -> its requests, in order.
Block = collections.namedtuple("Block", "blocks threads warps")
# lanes: lane -> Access, or for a shuffle the lane whose value it gets, or None. cost: of the whole
# request in global memory its sectors, in shared memory its wavefronts, else 0.
Request = collections.namedtuple("Request", "file line instruction space op lanes cost")


class Access(collections.namedtuple("Access", "array array_bytes offset value")):
    """Of 4 bytes."""

    @property
    def word(self):
        """Its index in its array."""
        return self.offset // 4

    @property
    def number(self):
        """What was read or stored, if that is no negative int."""
        return int(self.value, 16)


# ---- loading ----

def load(path):
    """The first block of the first launch."""
    table = read_table(path, COLUMNS, wanted=lambda row: (row["launch"], row["block"]) == ("1", "0"))
    if not table:
        raise BadData(path, None, "has no block 0 of launch 1")
    warps = collections.defaultdict(list)
    for row in table:
        requests, space = warps[row["warp"]], row["space"]
        if row["request"] == len(requests):
            cost = {"global": row["sectors"], "shared": row["wavefronts"], "sync": 0}[space]
            requests.append(Request(row["file"], row["line"], row["instruction"], space, row["op"],
                                    {}, cost))
        table.check(row, row["bytes"] in (4, None), "bytes is not 4: only such words are followed")
        table.check(row, row["request"] == len(requests) - 1, "does not fit the rows before it: "
                    "rows are missing or out of order")
        requests[-1].lanes[row["lane"]] = (row["from"] if row["op"] == "shuffle" else
                                           Access(*map(row.get, Access._fields))
                                           if space != "sync" else None)
    return Block(table[0]["blocks"], table[0]["threads"], dict(warps))


# ---- what a request could have cost (pure) ----

def fewest(request):
    """The least cost: as if what the lanes touch lay side by side."""
    touched = {(access.array, access.word) for access in request.lanes.values()}
    return 1 if request.space == "shared" else -(-len(touched) // 8)


def is_dear(request):
    """Is it uncoalesced, or does it have bank conflicts?"""
    return request.space != "sync" and request.cost > fewest(request)


def conflicting_lanes(request):
    """Lanes that touch a bank in which others touch another word."""
    banks = collections.defaultdict(set)
    for access in request.lanes.values():
        banks[access.word % 32].add(access.word)
    return {lane for lane, access in request.lanes.items() if len(banks[access.word % 32]) > 1}

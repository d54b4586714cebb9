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


class Access(collections.namedtuple("Access", "array array_bytes offset bytes value",
                                    defaults=[""])):
    @property
    def words(self):
        """Indices of the 4-byte words that it touches in its array."""
        return range(self.offset // 4, (self.offset + self.bytes - 1) // 4 + 1)

    @property
    def number(self):
        """What was read or stored, if that is no negative int; of a vector type, and of an atomic,
        the first of several. None where the trace does not have it."""
        return int(self.value.partition(" ")[0], 16) if self.value else None


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
        table.check(row, row["request"] == len(requests) - 1, "does not fit the rows before it: "
                    "rows are missing or out of order")
        requests[-1].lanes[row["lane"]] = (row["from"] if row["op"] == "shuffle" else
                                           Access(*map(row.get, Access._fields))
                                           if space != "sync" else None)
    return Block(table[0]["blocks"], table[0]["threads"], dict(warps))


# ---- what a request could have cost (pure) ----

def served_together(request):
    """So many neighbouring lanes: a warp for up to 4 bytes a lane, half or a quarter for wider."""
    width = max(access.bytes for access in request.lanes.values())
    return 32 if width <= 4 else 16 if width <= 8 else 8


def fewest(request):
    """The least cost: as if what the lanes touch lay side by side."""
    if request.space == "shared":
        return len({lane // served_together(request) for lane in request.lanes})
    touched = {(access.array, byte) for access in request.lanes.values()
               for byte in range(access.offset, access.offset + access.bytes)}
    return -(-len(touched) // 32)


def is_dear(request):
    """Is it uncoalesced, or does it have bank conflicts?"""
    return request.space != "sync" and request.cost > fewest(request)


def conflicting_lanes(request):
    """Lanes that touch a bank in which others that are served with them touch another word."""
    together, banks = served_together(request), collections.defaultdict(set)
    for lane, access in request.lanes.items():
        for word in access.words:
            banks[lane // together, word % 32].add(word)
    return {lane for lane, access in request.lanes.items()
            if any(len(banks[lane // together, word % 32]) > 1 for word in access.words)}

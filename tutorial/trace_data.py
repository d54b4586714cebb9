"""Reads a trace of the CPU backend (its columns: simt/README.md) and says of a request what
it cost and what it could have cost."""

import collections
import struct

from tutorial.csv_input import COUNT, SIZE, check, matching, one_of, optional, read_table
from tutorial.files import BadData

OPERATIONS = {"global": ("load", "store", "atomic"), "shared": ("load", "store", "atomic"),
              "sync": ("syncthreads", "syncwarp", "shuffle", "vote", "reduce")}
COLUMNS = {
    "launch": str, "blocks": SIZE, "threads": SIZE, "block": str, "warp": COUNT, "request": COUNT,
    "file": str, "line": COUNT, "instruction": SIZE, "space": one_of(*OPERATIONS), "op": str,
    "lane": COUNT, "array": str, "array_bytes": optional(COUNT), "offset": optional(COUNT),
    "bytes": optional(SIZE), "sectors": optional(SIZE), "wavefronts": optional(SIZE),
    "from": optional(COUNT), "value": matching(r"(0x[0-9a-f]+( 0x[0-9a-f]+)*)?", "0x…, or several")}
TYPES = {"char": "b", "short": "h", "int": "i", "unsigned": "I", "long long": "q", "float": "f",
         "double": "d"}
# A block of a launch of so many blocks of so many threads. warps: warp -> its requests, in order.
Block = collections.namedtuple("Block", "blocks threads number warps")
# lanes: lane -> Access, or for a shuffle the lane whose value it gets, or None. cost: of the whole
# request in global memory its sectors, in shared memory its wavefronts, else 0.
Request = collections.namedtuple("Request", "file line instruction space op lanes cost")


class Access(collections.namedtuple("Access", "array array_bytes offset bytes value",
                                    defaults=[""])):
    @property
    def words(self):
        """Indices of the 4-byte words that it touches in its array."""
        return range(self.offset // 4, (self.offset + self.bytes - 1) // 4 + 1)

    def numbers(self, type):
        """What was read or stored, as numbers of this one of TYPES: several of a vector type; of an
        atomic the old value, then its operands. None where the trace does not have it, or where it
        is no whole number of these."""
        bits = b"".join(bytes.fromhex(word[2:])[::-1] for word in self.value.split())
        size = struct.calcsize(TYPES[type])
        if not bits or len(bits) % size:
            return None
        return struct.unpack(f"<{len(bits) // size}{TYPES[type]}", bits)


# ---- loading ----

def load(path, launch=1, block=0):
    """One block of one launch."""
    place = {"launch": str(launch), "block": str(block)}
    table = read_table(path, COLUMNS, wanted=lambda fields: place.items() <= fields.items())
    if not table.rows:
        raise BadData(path, None, f"has no block {block} of launch {launch}")
    first, warps = table.rows[0].values, collections.defaultdict(list)
    for row in table.rows:
        check(table, row, (not add_lane(warps[row.values["warp"]], **row.values),
                           "does not fit its operation, its launch or the rows before it: rows are "
                           "damaged, missing or out of order"))
    return Block(first["blocks"], first["threads"], block, dict(warps))


def add_lane(requests, warp, threads, request, op, space, lane, sectors, wavefronts, **row):
    """A row to the last of a warp's requests, or to a new one; False if it fits none."""
    access = Access(*(row[field] for field in Access._fields))
    cost = {"global": sectors, "shared": wavefronts, "sync": 0}[space]
    new = Request(row["file"], row["line"], row["instruction"], space, op, {}, cost)
    if request == len(requests):
        requests.append(new)
    if not (request == len(requests) - 1 and requests[-1]._replace(lanes={}) == new
            and 32 * warp + lane < threads and lane < 32 and lane not in requests[-1].lanes
            and op in OPERATIONS[space] and cost is not None
            and (space == "sync" or None not in access)
            and (op != "shuffle" or row["from"] is not None)):
        return False
    requests[-1].lanes[lane] = (row["from"] if op == "shuffle" else
                                None if space == "sync" else access)
    return True


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

"""Reads a trace of the CPU backend (its columns: simt/README.md) and says of a request what
it cost and what it could have cost."""

import collections

from tutorial.csv_input import COUNT, SIZE, check, one_of, optional, read_table
from tutorial.files import BadData

OPERATIONS = {"global": ("load", "store", "atomic"), "shared": ("load", "store", "atomic"),
              "sync": ("syncthreads", "syncwarp", "shuffle", "vote", "reduce")}
COLUMNS = {
    "launch": str, "blocks": SIZE, "threads": SIZE, "block": str, "warp": COUNT, "request": COUNT,
    "file": str, "line": COUNT, "instruction": SIZE, "space": one_of(*OPERATIONS), "op": str,
    "lane": COUNT, "array": str, "array_bytes": optional(COUNT), "offset": optional(COUNT),
    "bytes": optional(SIZE), "sectors": optional(SIZE), "wavefronts": optional(SIZE),
    "from": optional(COUNT)}
# A block of a launch of so many blocks of so many threads. warps: warp -> its requests, in order.
Block = collections.namedtuple("Block", "launch blocks threads number warps")
# lanes: lane -> Access, or for a shuffle the lane whose value it gets, or None. sectors and
# wavefronts are those of the whole request, 0 where they have no meaning.
Request = collections.namedtuple(
    "Request", "warp file line instruction space op lanes sectors wavefronts")
Access = collections.namedtuple("Access", "array array_bytes offset bytes")


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
    return Block(launch, first["blocks"], first["threads"], block, dict(warps))


def add_lane(requests, warp, threads, request, op, space, lane, sectors, wavefronts, **row):
    """A row to the last of a warp's requests, or to a new one; False if it fits none."""
    access = Access(*(row[field] for field in Access._fields))
    cost = {"global": sectors, "shared": wavefronts, "sync": 0}[space]
    new = Request(warp, row["file"], row["line"], row["instruction"], space, op, {}, sectors or 0,
                  wavefronts or 0)
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


def fewest_wavefronts(request):
    together = served_together(request)
    return len({lane // together for lane in request.lanes})


def fewest_sectors(request):
    """If what its lanes touch lay side by side."""
    touched = {(access.array, byte) for access in request.lanes.values()
               for byte in range(access.offset, access.offset + access.bytes)}
    return -(-len(touched) // 32)


def has_conflict(request):
    return request.space == "shared" and request.wavefronts > fewest_wavefronts(request)


def is_uncoalesced(request):
    return request.space == "global" and request.sectors > fewest_sectors(request)


def words(access):
    """Indices of the 4-byte words that it touches in its array."""
    return range(access.offset // 4, (access.offset + access.bytes - 1) // 4 + 1)


def conflicting_lanes(request):
    """Lanes that touch a bank in which others that are served with them touch another word."""
    if not has_conflict(request):
        return set()
    together, banks = served_together(request), collections.defaultdict(set)
    for lane, access in request.lanes.items():
        for word in words(access):
            banks[lane // together, word % 32].add(word)
    return {lane for lane, access in request.lanes.items()
            if any(len(banks[lane // together, word % 32]) > 1 for word in words(access))}

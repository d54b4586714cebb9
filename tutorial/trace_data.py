"""Reads a trace of the CPU backend (its columns: simt/README.md) and says of a request what
it cost and what it could have cost."""

import collections

from tutorial.csv_input import BadData, Row, checked_header, number, one_of, read_lines

COLUMNS = ("launch blocks threads block warp request file line instruction space op lane array "
           "array_bytes offset bytes sectors wavefronts from").split()
OPERATIONS = {"global": ("load", "store", "atomic"), "shared": ("load", "store", "atomic"),
              "sync": ("syncthreads", "syncwarp", "shuffle", "vote", "reduce")}

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
    rows = list(rows_of_block(path, launch, block))
    if not rows:
        raise BadData(path, None, f"has no block {block} of launch {launch}")
    first, warps = rows[0], {}
    blocks, threads = (number(path, first, column, int, 1) for column in ("blocks", "threads"))
    for row in rows:
        warp = number(path, row, "warp", int)
        if 32 * warp >= threads:
            raise BadData(path, row.line, f"warp is '{warp}'; a launch of {threads} threads has "
                                          f"{-(-threads // 32)}")
        add_lane(path, row, warps.setdefault(warp, []))
    return Block(launch, blocks, threads, block, warps)


def rows_of_block(path, launch, block):
    """Of all other rows only the number of fields is looked at: a trace is long."""
    lines = read_lines(path)
    if not lines:
        raise BadData(path, 1, f"is empty; the header would be {','.join(COLUMNS)}")
    header = checked_header(path, 1, lines[0].split(","), COLUMNS)
    places = header.index("launch"), header.index("block")
    wanted = [str(launch), str(block)]
    for line_number, line in enumerate(lines[1:], 2):
        fields = line.split(",")
        if len(fields) != len(header):
            raise BadData(path, line_number, f"{len(fields)} fields, not the {len(header)} of the "
                                             "header: a row cut off or damaged")
        if [fields[place] for place in places] == wanted:
            yield Row(line_number, dict(zip(header, fields)))


def add_lane(path, row, requests):
    """A row to the last of a warp's requests, or to a new one."""
    index = number(path, row, "request", int)
    if index not in (len(requests) - 1, len(requests)):
        raise BadData(path, row.line, f"request {index} of its warp follows request "
                                      f"{len(requests) - 1}: rows are missing or out of order")
    request = request_of(path, row)
    if index == len(requests):
        requests.append(request)
    elif request._replace(lanes=None) != requests[-1]._replace(lanes=None):
        raise BadData(path, row.line, f"differs from the other lanes of request {index}")
    lane = number(path, row, "lane", int)
    if lane > 31 or (index < len(requests) and lane in requests[index].lanes):
        raise BadData(path, row.line, f"lane is '{lane}'; each lane from 0 to 31 once would be "
                                      "right")
    requests[index].lanes[lane] = lane_of(path, row, request)


def request_of(path, row):
    """Without lanes."""
    space = one_of(path, row, "space", list(OPERATIONS))
    op = one_of(path, row, "op", OPERATIONS[space])
    cost = {"sectors": space == "global", "wavefronts": space == "shared"}
    return Request(number(path, row, "warp", int), row.values["file"],
                   number(path, row, "line", int), number(path, row, "instruction", int, 1), space,
                   op, {}, *(number(path, row, name, int, 1) if known else 0
                             for name, known in cost.items()))


def lane_of(path, row, request):
    if request.op == "shuffle":
        return number(path, row, "from", int)
    if request.space == "sync":
        return None
    return Access(row.values["array"], number(path, row, "array_bytes", int),
                  number(path, row, "offset", int), number(path, row, "bytes", int, 1))


# ---- what a request could have cost (pure) ----

def fewest_wavefronts(request):
    """Accesses of up to 4 bytes are served together, wider ones by half and quarter warps."""
    width = max(access.bytes for access in request.lanes.values())
    together = 32 if width <= 4 else 16 if width <= 8 else 8
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
    width = max(access.bytes for access in request.lanes.values())
    together = 32 if width <= 4 else 16 if width <= 8 else 8
    banks = collections.defaultdict(set)
    for lane, access in request.lanes.items():
        for word in words(access):
            banks[lane // together, word % 32].add(word)
    return {lane for lane, access in request.lanes.items()
            if any(len(banks[lane // together, word % 32]) > 1 for word in words(access))}

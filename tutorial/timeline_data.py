"""Where a warp's time goes: loads what `make bench-timeline` wrote."""

import collections

from tutorial.csv_input import COUNT, TIME, check, comment, matching, number, optional, read_table

COLUMNS = {"step": str, "multiprocessor": COUNT, "block": COUNT, "warp": COUNT,
           "first_load": COUNT, "last_load": optional(COUNT), "first_use": COUNT,
           "last_use": optional(COUNT), "barriers": matching(r"\d+-\d+( \d+-\d+)*",
           "arrive-leave arrive-leave …"), "end": COUNT}
PLACES = 8  # for blocks of these steps on a multiprocessor

# mhz: the multiprocessors' clock; ms: {step: (as it is, with marks)}; warps: {step: [Warp]}
Timeline = collections.namedtuple("Timeline", "meta mhz ms warps")


class Warp(collections.namedtuple("Warp", "multiprocessor block warp first_load last_load first_use "
                                          "last_use barriers end")):
    """In cycles since its multiprocessor's earliest mark. last_load, last_use: None where there is
    one load; barriers: [(arrive, opens)], which is the block's last arrival."""

    @property
    def loaded(self):
        """When all answers were there."""
        return self.last_use or self.first_use


def blocks_of(warps):
    """{multiprocessor: [the warps of a block]}, by number."""
    found = {}
    for warp in warps:
        found.setdefault(warp.multiprocessor, {}).setdefault(warp.block, []).append(warp)
    return {processor: list(found[processor].values()) for processor in sorted(found)}


def begin(block):
    return min(warp.first_load for warp in block)


def end(block):
    return max(warp.end for warp in block)


def load(path):
    """The marks behind barriers are not used: most stand in front of them (bench/README.md)."""
    read = read_table(path, COLUMNS)
    blocks, warps = collections.defaultdict(list), collections.defaultdict(list)
    for row in read.rows:
        values = row.values
        stops = [int(pair.partition("-")[0]) for pair in values["barriers"].split()]
        marks = [values[name] for name in ("first_load", "last_load", "first_use", "last_use")]
        cycles = [mark for mark in [*marks, *stops, values["end"]] if mark is not None]
        check(read, row, (cycles != sorted(cycles), "its marks do not follow one another"))
        warp = Warp(**{name: values[name] for name in Warp._fields if name != "barriers"},
                    barriers=stops)
        blocks[values["step"], warp.multiprocessor, warp.block].append(warp)
    whole = max(map(len, blocks.values()), default=0)
    for (step, processor, number_of_block), together in blocks.items():
        check(read, None, (len(together) != whole, f"step {step}, multiprocessor {processor}, block "
                           f"{number_of_block} has {len(together)} warps, not {whole}"))
        opens = [max(arrivals) for arrivals in zip(*(warp.barriers for warp in together))]
        warps[step] += [warp._replace(barriers=[*zip(warp.barriers, opens)]) for warp in together]
    ms = {step: tuple(comment(read, f"step {step}{marks}, ms", TIME)
                      for marks in ("", " with marks")) for step in warps}
    meta = {key: text for key, (_, text) in read.comments.items()}
    return Timeline(meta, comment(read, "mhz", number(least=1)), ms, dict(warps))

"""Generated tables of bench/README.md: where a warp's time goes, and bandwidth against the bytes in
flight. Functions as in tables_course."""

import itertools
from statistics import mean, median

from plots.markdown import table
from tutorial import bench_data, programs
from tutorial.figures import ratio
from tutorial.timeline_data import PLACES, begin, blocks_of, end

LARGE = 2**30


# ---- where a warp's time goes ----

def timeline(data):
    """Medians, in cycles; what the marks cost."""
    rows = []
    for step, warps in data.timeline.warps.items():
        without, marked = data.timeline.ms[step]
        turnaround = bench_data.turnaround(data.bench, step, LARGE)
        rows.append([programs.label(step), without, marked, *cycles(warps),
                     turnaround and turnaround * data.timeline.mhz])
    return table("step | ms=#.4g | with marks=#.4g | loads sent=.0f | first answer=.0f | "
                 "all answers=.0f | to the last barrier=.0f | to the end=.0f | block=.0f | "
                 "from block to block=.0f | without marks=.0f", rows)


def cycles(warps):
    """From a warp's first load: until all are sent, the first is answered, all are; of a block:
    from its last answer to its last barrier, from there to its end, and all of it; from one block
    to the next in its place."""
    of_processor = blocks_of(warps).values()
    blocks = [block for blocks in of_processor for block in blocks]
    spans = [[warp.last_load - warp.first_load for warp in warps if warp.last_load],
             [warp.first_use - warp.first_load for warp in warps],
             [warp.loaded - warp.first_load for warp in warps],
             [opens(block) - max(warp.loaded for warp in block) for block in blocks],
             [end(block) - opens(block) for block in blocks],
             [end(block) - begin(block) for block in blocks]]
    return [*(median(span) if span else "" for span in spans), mean(map(between, of_processor))]


def opens(block):
    """When its last barrier does."""
    return block[0].barriers[-1][1]


def between(blocks):
    """From one to the next in its place, of one multiprocessor, while all its places are taken."""
    starts = sorted(map(begin, blocks))[PLACES:]
    return PLACES * (starts[-1] - starts[0]) / (len(starts) - 1)


# ---- bytes in flight ----

def in_flight(data):
    """What was only read, GB/s: a row for so many loads per thread, a column for so many blocks."""
    readers = [row for row in data.in_flight.rows if row.name == "reader"]
    rows = [[str(loads), *(row.gb_per_s for row in group)]
            for loads, group in itertools.groupby(readers, lambda row: row.loads)]
    blocks = [row.blocks for row in readers if row.loads == readers[0].loads]
    return table("loads per thread, GB/s | " + " | ".join(
        f"{count} block{'s' if count > 1 else ''}=.0f" for count in blocks), rows)


def in_flight_steps(data):
    """Each step, and what was only read with as many loads per thread in as many blocks."""
    readers = {(row.loads, row.blocks): row for row in data.in_flight.rows if row.name == "reader"}
    rows = []
    for step in data.in_flight.rows:
        reader = readers.get((step.loads, step.blocks))
        if step.name != "reader":
            only = reader and reader.gb_per_s
            rows.append([programs.label(step.name), step.loads, step.megabytes, step.gb_per_s, only,
                         ratio(step.gb_per_s, only)])
    return table("step | loads per thread= | MB in flight at most=.1f | GB/s=.0f | "
                 "only read, GB/s=.0f | ratio=.2f", rows)

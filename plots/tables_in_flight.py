"""Generated tables of bench/README.md: bandwidth against the bytes in flight. Functions as in
tables_course."""

import itertools

from plots.markdown import table
from tutorial import programs
from tutorial.figures import ratio


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

"""Which rounds a picture leaves out, so that it fits on a page. Pure."""

import collections
import itertools

from tutorial.rounds import BARRIERS

# Rounds that are left out: how many, and what to say.
Omitted = collections.namedtuple("Omitted", "rounds words")

FIRST, LAST = 2, 1  # of a run of rounds that are alike, so many are shown
MOST = 29           # rounds and barriers in a picture


def shortened(rounds, most=MOST, in_flight=None):
    """Of long runs of rounds that are alike only the first and last; of what is still more than
    most, the middle is left out. in_flight: how many loads a thread sends before it needs an
    answer."""
    runs = (list(run) for _, run in itertools.groupby(rounds, shape))
    short = [part for run in runs for part in shortened_run(run, in_flight)]
    return cut(short, 2 * most // 3, most // 3, "rounds are left out here")


def shortened_run(run, in_flight):
    """A run of loads looks like a sequence: of those that are sent together it is said."""
    if in_flight and len(run) == in_flight and run[0].request.op == "load":
        words = f"more: all {in_flight} loads are sent before the first is answered"
        return cut(run, 1, 1, words)
    return cut(run, FIRST, LAST, "more rounds like these")


def cut(rounds, first, last, words):
    """If there are more by two or more, what is between the first and the last goes; barriers are
    not counted."""
    if len(rounds) < first + last + 2:
        return rounds
    count = sum(part.rounds if isinstance(part, Omitted) else part.request.op not in BARRIERS
                for part in rounds[first:-last])
    return [*rounds[:first], Omitted(count, f"{count} {words}"), *rounds[-last:]]


def shape(round):
    """What two rounds have in common that look alike, wherever in memory they are."""
    def moved(request):
        if request.space == "sync":
            return request
        start = min(access.offset for access in request.lanes.values())
        return request._replace(lanes={lane: access._replace(offset=access.offset - start, value="")
                                       for lane, access in request.lanes.items()})
    return {warp: list(map(moved, requests)) for warp, requests in round.warps.items()}

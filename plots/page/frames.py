"""From the trace of one block to what the player shows of it: event by event, which is a round of
trace_data, which line runs, who works with which words, who waits, and what it has cost so far. What a thread holds in its
register is what it has added up; each value that it stores is held against the trace's. Pure."""

import collections
import itertools
import re
import types

from plots.read import counter_data, trace_data
from plots.read.figures import count


def frame_of(line, say, rows):
    """One event, or what is before the first. line: of the source. say: [(text, "good" or "bad")].
    rows: for each warp why it does not work, or None. holds: {thread at work: its register, then}.
    reads: [(array, word, thread)]; writes: the same with the value. gets: {thread: whose register
    it adds to its own}, of a shuffle; useless: those threads whose sum nobody needs. conflicts:
    [(array, word)] whose banks are wanted twice; sectors: [(array, word)] where those begin that
    were loaded for few words. round: of the tree, 0 before it. counts: the figures that are shown, of
    all events so far."""
    return types.SimpleNamespace(line=line, say=say, rows=rows, holds={}, reads=[], writes=[],
                                 gets={}, useless=[], conflicts=[], sectors=[], round=0)


class Lost(Exception):
    """The trace says otherwise than what the player makes of the kernel: one line."""


def of_block(block, program):
    """What page's player.js shows, of positive ints, and of this program's kernel, whose last store
    is the sum of its input: arrays, frames, and the names of the counters that are ever more than
    0."""
    lines = [""] + program.header + program.code
    found = arrays(block)
    total = sum(next(iter(found.values()))["values"].values())
    shown = together(trace_data.rounds_of(block, sorted(block.warps)), program.loads_in_flight)
    registers, counted = collections.Counter(), []
    frames = [frame_of(None, [("Before the launch: the input is in global memory.", "")],
                       ["has not begun"] * len(block.warps))]
    frames[0].counts = counter_data.figures(counter_data.Counts(None, 0, []))
    for i, this in enumerate(shown):
        frame = frame_of(this.request.line, [*this.figures], states(shown[i:], block.warps))
        if this.request.space != "sync":
            touch(frame, this, lines, registers)
        elif this.request.op == "shuffle":
            shuffle(frame, this, registers)
        places = [{array for array, *_ in touched} for touched in (frame.reads, frame.writes)]
        frame.round = frames[-1].round + bool(frame.gets or places[0] & places[1])
        counted += map(counts_of, itertools.chain(*this.warps.values()))
        frame.counts = counter_data.figures(counter_data.Counts(None, 0, counted))
        frames.append(frame)
    frame.say.append((f"sum {total}, like the CPU's: verified", "good"))
    if [value for *_, value in frame.writes] != [total]:
        raise Lost(f"its first block does not end with the sum {total}")
    counts = [what for what, figure in frame.counts.items() if figure or what == "bank conflicts"]
    find_useless(frames, lines)
    for frame in frames:
        frame.counts = [count(frame.counts[what]) for what in counts]
    return {"threads": block.threads, "counts": counts, "arrays": found,
            "frames": [*map(vars, frames)]}


def together(shown, in_flight):
    """Loads that are sent before the first is answered are one round."""
    def run(this):
        done = {(request.space, request.op) for request in itertools.chain(*this.warps.values())}
        return this.request.line if done == {("global", "load")} else id(this)

    if (in_flight or 1) == 1:
        return shown
    result = []
    for _, group in itertools.groupby(shown, run):
        first, *others = group
        if others:
            warps = {warp: [*requests, *(each for this in others for each in this.warps[warp])]
                     for warp, requests in first.warps.items()}
            words = f"all {1 + len(others)} loads are sent before the first is answered"
            first = first._replace(warps=warps, figures=[*first.figures, (words, "good")])
        result.append(first)
    return result


def states(rest, warps):
    """Of each warp: None if it works in the first of these rounds."""
    result = []
    for warp in sorted(warps):
        this = next((this for this in rest if warp in this.warps), None)
        barrier = this and this.request.op in trace_data.BARRIERS and f"__{this.request.op}()"
        if this is rest[0]:
            result.append(f"at {barrier}" if barrier else None)
        else:
            result.append("has ended" if not this else
                          f"waits at {barrier}" if barrier else "continues later")
    return result


# ---- what happens to values ----

def begins_anew(line):
    """Is what it loads put in the place of what the thread has added up?"""
    return not re.search(r"\bsum \+= ", line)


def touch(frame, this, lines, registers):
    """registers: {thread: value}, changed."""
    reads, writes = trace_data.touches(this, "load"), trace_data.touches(this, "store")
    if reads and begins_anew(lines[frame.line]):
        for thread in [each for each in registers if each // 32 in this.warps]:
            del registers[thread]
    for _, thread, access in reads:
        registers[thread] += access.value
    for _, thread, access in writes:
        if registers[thread] != access.value:
            raise Lost(f"line {frame.line}: thread {thread} stores {access.value}, not "
                       f"{registers[thread]}")

    frame.holds = {thread: registers[thread] for _, thread, _ in reads + writes}
    frame.reads = [(access.array, access.word, thread) for _, thread, access in reads]
    frame.writes = [(access.array, access.word, thread, access.value)
                    for _, thread, access in writes]
    frame.conflicts, frame.sectors = trace_data.costly(reads + writes)


def shuffle(frame, this, registers):
    frame.gets = trace_data.gets(this)
    further = max(source - thread for thread, source in frame.gets.items())
    registers.update({thread: registers[source] for thread, source in frame.gets.items()})  # adds
    frame.say.append((f"each lane adds the value of the lane {further} further on", "good"))
    frame.holds = {thread: registers[thread] for thread in frame.gets}


def find_useless(frames, lines):
    """Shuffled values that reach no store: from the last frame to the first."""
    needed = set()
    for frame in reversed(frames):
        frame.useless = [each for each in frame.gets if each not in needed]
        needed |= {frame.gets[thread] for thread in needed & frame.gets.keys()}
        needed |= {thread for *_, thread, _ in frame.writes}
        if frame.reads and begins_anew(lines[frame.line]):
            needed = {thread for thread in needed if frame.rows[thread // 32]}


def counts_of(request):
    """As a row of what the CPU backend counts, of which only what its space has is looked at."""
    return {"space": request.space, "op": request.op, "requests": 1, "lanes": len(request.lanes),
            "sectors": request.cost, "wavefronts": request.cost, "bank_conflicts": request.cost - 1}


def arrays(block):
    """{name: how many words of 4 bytes it has, and by word what was loaded from global memory}, in
    the order in which a kernel passes through them."""
    found = {}
    for request in itertools.chain(*block.warps.values()):
        for access in request.lanes.values() if request.space != "sync" else ():
            array = found.setdefault(access.array, {"words": access.words, "values": {}})
            if (request.space, request.op) == ("global", "load"):
                array["values"][access.word] = access.value
    return found

"""Generated tables that take step 01 apart, which has three ideas, of what bench-ideas measured, and
show what step 00 waits for. Functions as in tables_course.py."""

from math import gcd
from statistics import median

from plots.markdown import table
from tutorial import bench_data
from tutorial.figures import power

TO_MEASURE = "– not measured yet: `make bench-ideas PUBLISH=1`, then `make table`."
SQUARE = 2**24  # elements, in the table of the corners


def measured(data, name, changed, n):
    """Milliseconds; None where it was not measured."""
    times = data.ideas.times
    return median(times[name, changed, n]) if (name, changed, n) in times else None


# ---- from 00 to 01 ----

CORNERS = {"one multiprocessor": [("step00", "nothing"), ("naive-coalesced", "nothing")],
           "all": [("naive-everywhere", "nothing"), ("naive-everywhere", "COALESCED=1")]}


def corners(data):
    """Coalesced or not, one multiprocessor or all: milliseconds, and what each idea earns in either
    order; then the tree of step 01."""
    times = [[measured(data, *variant, SQUARE) for variant in row] for row in CORNERS.values()]
    (first, _), (_, last) = times
    tree = measured(data, "step01", "nothing", SQUARE)
    rows = [[name, *row, fewer(*row)] for name, row in zip(CORNERS, times)]
    rows += [["all multiprocessors earn", *map(fewer, *times), fewer(first, last)],
             ["all, an element per thread, and a tree: step 01", "", tree, fewer(last, tree)]]
    return table(f"{power(SQUARE)}: ms | a piece per thread=#.4g | coalesced=#.4g | "
                 "coalescing earns=", rows, TO_MEASURE)


def fewer(before, after):
    """How many times less or more it is after; None where one was not measured."""
    if not before or not after:
        return None
    return f"÷ {before / after:.3g}" if after < before else f"× {after / before:.3g}"


# ---- step 00 ----

THREADS, WARP = 1024, 32  # of step 00
BANKS = LINE = 32         # words of 4 bytes
CLOCK_MHZ = 1980          # read under load, where the file has none yet


def lines(piece):
    """The mean number of lines that a request touches: a lane reads its elements one by one, the
    next lane begins a piece further on."""
    if piece >= LINE:
        return WARP
    return sum(len({(lane * piece + turn) // LINE for lane in range(WARP)})
               for turn in range(piece)) / piece


# program: (elements of one round, do all multiprocessors work?, elements)
PIECES = {"step00": (2**10, False, [2**13, 2**14, 24 * 1024, 10_000_000, SQUARE, SQUARE + 2**10,
                                   3 * 2**26]),
          "naive-everywhere": (2**16, True, [2**22, SQUARE, 2**26, 2**28, 2**30])}


def banks(data):
    """Of a warp's 32 words, as many as lie in one bank, if the L1 cache has those of shared memory;
    and the cycles that a request took, the first round not counted."""
    clock = data.ideas.clock_mhz or CLOCK_MHZ
    rows = []
    for name, (base, on_all, sizes) in PIECES.items():
        working = data.bench.multiprocessors if on_all else 1
        for n in sizes:
            piece = -(-n // (working * THREADS))
            first, last = of_one_run(data, name, base, n)
            took = last and (last - first) * clock * 1e3 / ((piece - 1) * THREADS / WARP)
            rows.append([name, power(n), f"{piece:,}", f"{lines(piece):.0f}",
                         str(gcd(piece, BANKS)), took])
    return table("program | n | elements per thread= | lines per request= | words in one bank= | "
                 "cycles per request=.1f", rows, TO_MEASURE)


def of_one_run(data, name, *sizes):
    """Milliseconds at these sizes, of bench-ideas, or else of the bench; None if neither has all."""
    runs = ([measured(data, name, "nothing", n) for n in sizes],
            [bench_data.run(data.bench, "int", name.removeprefix("step"), n).ms for n in sizes])
    return next((times for times in runs if all(times)), [None] * len(sizes))

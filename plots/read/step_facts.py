"""The figures of a step, beside those of the step before: what its header says, what was counted,
what was measured."""

from plots.read import bench_data, counter_data, programs
from plots.read.figures import change, count, factor, fixed, milliseconds, power

LOADS = "loads in flight per thread"  # as a header says; no counter shows it
WORKING = "multiprocessors with work"


def figures(bench, counts, key):
    """{what: (figure, as it is shown)}. counts: None where nothing was counted."""
    most, loads = bench.multiprocessors, programs.get(key).loads_in_flight
    counted = {WORKING: counts and most and min(counter_data.blocks(counts), most), LOADS: None}
    counted |= {what: counts and (figure(counts) or 0)
                for what, figure in counter_data.FIGURES.items()}
    found = {what: (figure, f"{figure:,}" if isinstance(figure, int) else count(figure))
             for what, figure in counted.items()}
    found[LOADS] = loads or 0, str(loads or "")
    for n in bench_data.two_sizes(bench, "int"):
        run = bench_data.run(bench, "int", key, n)
        found[f"ms at {power(n)}"] = run.ms, milliseconds(run.ms, 4)
        found[f"GB/s at {power(n)}"] = run.gb_per_s, fixed(run.gb_per_s, 0)
    over = bench_data.times_over(bench, "int", n, key, bench_data.BEST_CUB)
    return found | {f"of peak at {power(n)}": (run.share, fixed(run.share, 1, " %")),
                    f"x CUB at {power(n)}": (over, factor(over))}


def compared(bench, counters, *keys):
    """(what, the figures of these steps, as they are shown and then how they change), but for what
    none of them has."""
    columns = [figures(bench, counters.get(key), key) for key in keys]
    for what in columns[-1]:
        numbers, texts = zip(*(column[what] for column in columns))
        if any(number != 0 for number in numbers):
            yield what, numbers, [*texts, *map(change, numbers, numbers[1:])]

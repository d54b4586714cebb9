"""The summary at the end of a bench: of one type each program's ms and GB/s at 2^24 and at the largest n
and, where CUB was measured, the time of its fastest variant over the program's."""

from plots.read import bench_data, programs
from plots.read.figures import power


def of_type(bench, type):
    keys = bench_data.measured(bench, type)
    sizes = {n for key in keys for n in bench_data.runs(bench, type, key)}
    sizes = sorted({max(sizes)} | sizes & {2**24})

    def cells(key, n):
        run, over = bench_data.run(bench, type, key, n), bench_data.times_over(
            bench, type, n, key, bench_data.BEST_CUB)
        figures = f" {run.ms:10.4f} {run.gb_per_s:7.1f}" if run.ms else f"{'-':>11}{'-':>8}"
        return figures + (f"{over:7.{2 if over > 0.01 else 4}f}" if over else f"{'-':>7}")

    peak = f"{bench.peak} GB/s" if bench.peak else "unknown"
    return "\n".join([
        f"{bench.meta['gpu']}, {type}, cold cache", f"peak {peak}; an empty launch takes "
        f"{bench.empty_ms:.4f} ms", " " * 28 + "".join(f"{f'n = {power(n)}':>26}" for n in sizes),
        f"{'program':28}" + f"{'ms':>11}{'GB/s':>8}{'x CUB':>7}" * len(sizes),
        *(f"{programs.label(key):28.28}" + "".join(cells(key, n) for n in sizes) for key in keys)]) + "\n"

"""Generated tables of bench/README.md and detours/README.md: may one trust a time, what was
expected and tuned, the detours, the write-ups' kernels. Functions as in tables_course.py."""

import re
from statistics import median

from plots.markdown import figure, label, link, origin, ratio, run, size, table, us
from plots.tables_course import SMALL
from tutorial import bench_data, programs, side_data
from tutorial.figures import power

# milliseconds at 2^24, of prototypes on an H200, before a step was written
EXPECTED = {"00": 8.51, "01": 0.171, "02": 0.109, "03": 0.0851, "04": 0.0493, "05": 0.0363,
            "06": 0.0220, "07": 0.0219, "cub": 0.0217}

# ---- the measuring ----


def hot(data):
    """A program with the input in the cache and without."""
    rows = []
    for key, n, cache in sorted(data.trust):
        if cache == "hot":
            cold_ms, hot_ms = (median(data.trust[key, n, each]) for each in ("cold", "hot"))
            rows.append([power(n), size(n), us(cold_ms), us(hot_ms), f"{hot_ms / cold_ms:.2f}"])
    return table("n | data: | cold, µs: | hot, µs: | hot / cold:", rows)


def processes(data):
    """The same program at the same n in several processes: least and most, and CUB's ratios."""
    rows = []
    for n in sorted({n for _, n, _ in data.trust if n <= side_data.SMALL}):
        times = [data.trust[key, n, "cold"] for key in bench_data.RIVALS]
        ours, cub, single = map(median, times)
        rows.append([power(n), *(f"{us(min(ms))} … {us(max(ms))}" for ms in times),
                     f"{cub / ours:.2f}", f"{cub / single:.2f}"])
    return table("n | step 07, µs: | CUB, µs: | single-pass, µs: | CUB / step 07: | "
                 "CUB / single-pass:", rows)


def expected(data):
    """Prototypes' times beside what came."""
    ours = {key: run(data.bench, key, SMALL).ms for key in EXPECTED}
    return table("step | expected, ms: | measured, ms: | measured / expected:",
                 [[label(key), f"{ms:#.3g}", figure(ours[key], "#.3g"),
                   figure(ratio(ours[key], ms), ".2f")] for key, ms in EXPECTED.items()])


def tuning(data):
    """Each variant's time over that of the program as it is."""
    sizes, rows = sorted(next(iter(data.tuning.values()))), []
    for (name, changed), of_n in data.tuning.items():
        taken = data.tuning[name, "nothing"]
        rows.append([name, changed.replace("=", " "), *(
            f"{median(of_n[n]) * 1e3:.2f} µs" if changed == "nothing" else
            f"x {median(of_n[n]) / median(taken[n]):.2f}" for n in sizes)])
    return table(f"program | changed | {' | '.join(power(n) + ':' for n in sizes)}", rows)


# ---- the detours ----

def detours(data):
    """All detours in the order in which to read them."""
    rows = [detour_row(data, key) for key in sorted(programs.detours(), key=programs.reading_order)]
    return table("program | read it | what it shows | 2^24: ms: | x step 07:", rows,
                 "– not measured: `make bench PUBLISH=1` is for one GPU, `make bench-multi-gpu "
                 "PUBLISH=1` for\nmulti-gpu, nothing for multi-gpu-mpi; then `make table`.")


def detour_row(data, key):
    """Floats where it has no ints, several GPUs where it has no single one."""
    for bench, type, remark in ((data.bench, "int", ""), (data.bench, "float", " (float)"),
                                (data.multi_gpu, "int", " (2 GPUs)")):
        ms = run(bench, key, SMALL, type).ms
        if ms:
            break
    over = ratio(run(data.bench, "07", SMALL, type).ms, ms)
    return [link(key, key, "detours"), programs.get(key).when_to_read or "-", programs.get(key).idea,
            figure(ms, "#.4g") + (remark if ms else ""), figure(over, ".2f")]


def multi_gpu(data):
    """All GPUs of a machine against one."""
    rows = []
    for n, both in bench_data.runs(data.multi_gpu, "int", "multi-gpu").items():
        one = run(data.bench, "07", n).ms
        rows.append([power(n), figure(one, "#.4g"), f"{both.ms:#.4g}", f"{both.gb_per_s:.0f}",
                     figure(ratio(one, both.ms), ".2f")])
    return origin(data.multi_gpu, "bench-multi-gpu") + "\n" + table(
        "n | step 07, one GPU: ms: | multi-gpu, two GPUs: ms: | GB/s: | x step 07:", rows,
        "– not measured: `make bench` ends at 2^30.")


# a row that ends with a figure of ours: of the program that it links first, at the n it names
OURS = re.compile(r"^([^[\n]*\[(?:step )?(.+?)\]\(.*\| )\S+ (ms|GB/s|x step (\d\d)) "
                  r"\(2\^(\d+)\) \|$", re.MULTILINE)


def kernels(data):
    """The table is typed, but for the figures of ours in its last column."""
    def refreshed(row):
        typed, key, unit, base, exponent = row.groups()
        ours, other = (run(data.bench, each, 2**int(exponent)) for each in (key, base))
        value = (figure(ratio(other.ms, ours.ms), ".2f") if base else
                 figure(ours.ms, "#.3g") if unit == "ms" else figure(ours.gb_per_s, ".0f"))
        return f"{typed}{value} {unit} (2^{exponent}) |"
    return OURS.sub(refreshed, data.old)


WRITE_UP_0 = ["global-neighbored-pairs", "global-strided-index", "global-sequential"]
METRICS = ["instructions_per_warp", "global_load_throughput", "branch_efficiency_pct"]


def write_up_0(data):
    """The rows of its GPU are typed; those of ours are of 2^24 ints, blocks of 512."""
    bench, lines = data.write_up_0, re.findall(r"^\|.*\n", data.old, re.MULTILINE)
    runs = {key: bench_data.run(bench, "int", key, SMALL) for key in WRITE_UP_0}
    for i, line in enumerate(lines):
        ours = re.match(r"\| \[(.*?)\]\(.*?\) \| (?!RTX)", line)
        if ours and ours[1] in runs:
            ms, (instructions, throughput, branches) = runs[ours[1]].ms, (
                data.nsight[ours[1]][metric] for metric in METRICS)
            cells = [link(ours[1], ours[1], "detours"), bench.meta["gpu"], f"{ms:.4f}",
                     f"{runs[WRITE_UP_0[0]].ms / ms:.2f}", f"{instructions:.2f}",
                     f"{throughput / 1e9:.0f}", f"{branches:.2f}"]
            lines[i] = f"| {' | '.join(cells)} |\n"
    return origin(bench, "bench-write-up-0") + "\n" + "".join(lines)

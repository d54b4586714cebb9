"""What several benches do: what the environment asks for, and the rows of programs at each n, or of
programs with other constants."""

import os
import re

from plots.measure import machine
from plots.measure.machine import printed, row_of

SMALL = 2**22  # below, two processes lie up to 10 % apart; from here on they agree
METHOD = "cold cache, median, below 2^22 of that many processes, see plots/measure/README.md"
COLUMNS = "n", "median_ms", "min_ms", "max_ms"


def asked(target, name, right, want, usual):
    """The words of a variable, or the usual ones."""
    words = os.environ.get(name, "").split() or usual.split()
    for word in words:
        if not re.fullmatch(right, word):
            machine.end(target.name, 2, f"{name}: {word}: want {want}")
    return words


def sizes(target, usual):
    return asked(target, "BENCH_SIZES", r"2\^(\d|[1-3]\d|40)|[1-9]\d{0,12}[KMG]?",
                 "counts such as 1000, 2^24, 64K, 16M or 1G", usual)


def processes(target, usual):
    return int(asked(target, "BENCH_PROCESSES", r"[1-9]\d?", "a number from 1 to 99", usual)[0])


def each(target, sizes, programs):
    """(n, program): all programs at one size before the next."""
    for n in sizes:
        target.say(f"n = {n}")
        yield from ((n, program) for program in programs)


def peak_of(row):
    """The line that says it; not every device tells its peak."""
    return f"# peak_gb_per_s: {row['peak_gb_per_s'] or 'unknown'}"


def harness_rows(target, commands, usual, count="3"):
    """The rows that commands, each a program as a list of words, print at each n. Programs that this GPU
    cannot run, and an n too large for its memory, are left out; so are programs that fail, and then
    the bench ends with status 1."""
    def measure(command, *options):
        """The row; None where it failed, which the program has said."""
        try:
            return row_of(*command, *options)
        except SystemExit as failed:
            call, code = " ".join((*command, *options)), failed.code
            if code == (3 if options == ("-n", "0") else 2):
                return target.say(f"leaving out {call}")
            target.failed = True
            target.say(f"leaving out {call}: " + (
                "the result is WRONG" if code == 1 else f"it failed with status {code}"))

    def median(command, *options):
        """Of its processes."""
        rows = [measure(command, *options)]
        while rows[-1] and int(rows[0]["n"]) < SMALL and len(rows) < count:
            rows.append(measure(command, *options))
        if rows[-1]:
            rows.sort(key=lambda row: float(row["median_ms"]))
            yield ",".join(rows[(len(rows) - 1) // 2].values())

    usual, count = sizes(target, usual), processes(target, count)
    rows = [(command, measure(command, "-n", "0")) for command in commands]
    here = [command for command, row in rows if row]
    if not here:
        machine.end(target.name, 3, "no program runs here")
    libraries = {row["library"] for _, row in rows if row} - {""}
    yield from (f"# library: {library}" for library in sorted(libraries))
    row = row_of(*here[0], "-n", "1", "-r", "1")  # of nothing, no second GPU is asked
    yield from (f"# processes: {count}", peak_of(row), f"# method: {METHOD}", ",".join(row))
    yield from median(here[0], "--empty")
    for n, command in each(target, usual, here):
        yield from median(command, "-n", n)


def variant_rows(target, sizes, variants):
    """Of programs with other constants, each as PROGRAM/ELEMS=4 or PROGRAM/nothing."""
    paths = {variant: target.variant(*variant.split("/")) for variant in variants}
    for n, variant in each(target, sizes, variants):
        row = row_of(paths[variant], "-n", n)
        yield ",".join([*variant.split("/"), *(row[column] for column in COLUMNS)])


# ---- Nsight Compute's counters, by our names for them: what make/profile.sh prints as rows ----

PROFILE = "make/profile.sh"


def nsight_head():
    version = re.search(r"(?m)^Version (\S+)", printed("ncu", "--version"))[1]
    return f"# nsight: {version}", "step,name,type,block,n,metric,value"


def nsight_rows(program, n, metrics="nsight-metrics.csv"):
    """Lines of its first launch; metrics: a file beside this one."""
    return printed(PROFILE, "--rows", n, program, f"plots/measure/{metrics}").splitlines()

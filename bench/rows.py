"""make bench: times programs on a GPU, one row for each program and n.

    python -m bench.rows OUT.csv PROGRAM …

BENCH_SIZES: which n, such as "2^10 1000000 64K" (default: 2^10, 2^12 … 2^30)
BENCH_PROCESSES: for n below 2^22, how many processes a row is the median of (default: 3)

OUT.csv gets a row as soon as it is measured. Started again, this measures what is missing; what another
GPU, driver, CUDA, commit or build has measured it moves to OUT.csv.old. A wrong result is told, and its
row left out. Exit status: 0 measured all that fits; 1 a program failed or was wrong; 2 usage; 3 no GPU;
130, 143 stopped."""

from tutorial import entry  # before all else

import collections
import fcntl
import functools
import os
import re
import signal
import subprocess
import sys
import time

from bench import machine, table
from tutorial.files import write_text

SIZES = [f"2^{k}" for k in range(10, 31, 2)]
LARGE = 2**22  # from here on two processes agree; below, they lie up to 10 % apart
METHOD = "# method: cold cache, median, below 2^22 of that many processes, see bench/README.md"

# command: a list of words; label: for messages; key: its name, type and block
Program = collections.namedtuple("Program", "command label key")


class LeftOut(Exception):
    """There is no row, and why."""


say, die = functools.partial(machine.say, "bench"), functools.partial(machine.end, "bench")


# ---- what is asked for ----

def chosen_sizes(words):
    """[(n, how it was written)] from small to large, each n once."""
    sizes = {}
    for word in words:
        match = re.fullmatch(r"2\^(\d|[1-3]\d|40)|([1-9]\d{0,12})|([1-9]\d{0,8})([KMG])", word)
        if not match:
            die(2, f"BENCH_SIZES: {word}: want counts such as 1000, 2^24, 64K, 16M or 1G")
        power, plain, count, unit = match.groups()
        n = (2**int(power) if power else int(plain) if plain else
             int(count) << {"K": 10, "M": 20, "G": 30}[unit])
        sizes.setdefault(n, word)
    return sorted(sizes.items())


def chosen_processes(target, default):
    text = os.environ.get("BENCH_PROCESSES") or default
    if not re.fullmatch(r"[1-9]\d?", text):
        machine.end(target, 2, f"BENCH_PROCESSES: {text}: want a number from 1 to 99")
    return int(text)


# ---- one bench ----

class Bench:
    """Measures into a file. lines: those of the file; columns: the header that programs print."""

    def __init__(self, out, processes):
        self.out, self.processes = out, processes
        self.lines, self.columns, self.wrong = [], "", False

    def fields(self, row):
        """{column: text}; empty where a row is none."""
        names, values = self.columns.split(","), row.split(",")
        return dict(zip(names, values)) if len(names) == len(values) else {}

    def measured(self):
        """{(key, n)} of the rows that the file has."""
        return {(key_of(field), int(field["n"])) for field in map(self.fields, self.lines)
                if field and field["n"].isdecimal()}

    def add(self, *lines):
        self.lines += lines
        write_text(self.out, "\n".join(self.lines) + "\n")

    def measure(self, title, command, *arguments):
        """The row that a program prints, and its fields. One that fails ends the bench. Three things
        only are left out: status 2, of an n that is too large for this GPU's memory; status 3 for
        n = 0, for which a program launches nothing: it only says that this GPU cannot run it; and a
        wrong result, after which the bench ends with status 1."""
        done = subprocess.run([*command, *arguments, "--csv"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        told, printed = done.stderr.splitlines(), done.stdout.splitlines() or [""]
        why, status, row = told[-1] if told else "", machine.status_of(done), printed[-1]
        self.columns = self.columns or printed[0]  # the first program's are those of all
        field = self.fields(row) if printed[0] == self.columns else {}
        if status == 2 or (status == 3 and arguments == ("-n", "0")):
            raise LeftOut(why)
        if field.get("verified") == "no":
            self.wrong = True
            raise LeftOut(f"{title}: WRONG, the result is {field['result']}, expected "
                          f"{field['expected']}{'; ' if why else ''}{why}")
        if status or field.get("verified") != "yes":
            die(1, f"{title} failed with status {status}: " + (why or f"it printed '{row}'"))
        if field["backend"] != "cuda":
            die(1, f"{title} was built for the CPU backend: make BACKEND=cuda bench")
        if float(field["pct_of_peak"] or 0) > 100:
            die(1, f"{title}: {field['pct_of_peak']} % of the peak bandwidth: the input was in a "
                   "cache")
        return row, field

    def identify(self, commands):
        """The programs, as each calls itself in its answer for n = 0, but those that this GPU cannot
        run; and lines that say which GPU it is, and what libraries they use."""
        programs, libraries = [], set()
        for command in commands:
            name = os.path.basename(command[-1])
            try:
                _, field = self.measure(f"{name} at n = 0", command, "-n", "0")
            except LeftOut as why:
                if not programs:  # step 00 runs wherever another does
                    die(3, why)
                say(f"leaving out {why}")
                continue
            programs.append(Program(command, f"{name} ({field['type']})", key_of(field)))
            libraries |= {f"# library: {field['library']}"} if field["library"] else set()
        return programs, [*machine.origin(field["device"]), *sorted(libraries)]

    def resume(self, description, programs):
        """Keeps what an earlier bench has measured when it was of the same things; else moves it
        away."""
        with open(self.out) as file:
            lines = file.read().splitlines()
        self.lines = [line for line in lines if line[:1] == "#" or self.fields(line)
                      and line.endswith((",verified", ",yes"))]
        why = [f"has no line '{line}'" for line in (*description, self.columns) if line not in lines]
        known, time = {key for key, _ in self.measured()}, os.stat(self.out).st_mtime_ns
        why += [f"is older than {command[-1]}" for command, _, key in programs
                if key in known and os.stat(command[-1]).st_mtime_ns > time]
        if why:
            self.lines = []
            os.replace(self.out, self.out + ".old")
            say(f"{self.out} {why[0]}: moved to {self.out}.old")

    def start(self, description, first):
        """Any bandwidth and its share tell the peak."""
        _, field = self.measure(f"{first.label} at n = 1", first.command, "-n", "1", "-r", "1")
        share = float(field["pct_of_peak"] or 0)
        peak = f"{100 * float(field['gb_per_s']) / share:.1f}" if share else "unknown"
        self.add(*description, machine.date(), f"# peak_gb_per_s: {peak}", METHOD, self.columns)

    def add_row(self, title, n, command, *arguments):
        """The median of its processes."""
        try:
            found = [self.measure(title, command, *arguments)
                     for _ in range(self.processes if n < LARGE else 1)]
        except LeftOut as why:
            return say(f"leaving out {why}")
        found.sort(key=lambda row: float(row[1]["median_ms"]))
        self.add(found[(len(found) - 1) // 2][0])

    def add_rows(self, programs, sizes):
        """Those that are missing, all programs at one n before the next."""
        every, have = [(size, program) for size in sizes for program in programs], self.measured()
        todo = [(size, program) for size, program in every if (program.key, size[0]) not in have]
        there = len(every) - len(todo)
        if not todo:
            say(f"{self.out} has all {there} rows; remove it to measure them again")
        elif there:
            say(f"{self.out} has {there} of {len(every)} rows; measuring the others")
        if not any(key.startswith("empty-launch,") for key, _ in have):
            self.add_row(f"{programs[0].label} --empty", 0, programs[0].command, "--empty")
        begin, shown, left = time.monotonic(), None, ""
        for k, ((n, text), program) in enumerate(todo):
            if k > 0:  # a row takes about as long as those before it
                seconds = (time.monotonic() - begin) * (len(todo) - k) / k
                left = f", about {1 + int(seconds / 60)} min left"
            if n != shown:
                say(f"{there + k} of {len(every)} done{left}; n = {text}")
            shown = n
            self.add_row(f"{program.label} at n = {text}", n, program.command, "-n", str(n))


def key_of(field):
    return ",".join(field[column] for column in ("name", "type", "block"))


def lock(out):
    """Its folder: two benches at once would disturb each other."""
    folder = os.path.dirname(out) or "."
    os.makedirs(folder, exist_ok=True)
    if not os.access(folder, os.W_OK) or os.path.isdir(out):
        die(1, f"cannot write {out}")
    try:
        fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        die(1, f"another bench writes into {folder}; two would disturb each other")


def bench(out, commands, sizes=SIZES, processes="3", libraries=()):
    """Measures commands, each a program as a list of words, at the sizes and in the processes that
    BENCH_SIZES and BENCH_PROCESSES say, else in these. libraries: lines for the file's head."""
    machine.need_gpu()
    sizes = chosen_sizes(os.environ.get("BENCH_SIZES", "").split() or sizes)
    this = Bench(out, chosen_processes("bench", processes))
    lock(out)

    def stop(number, frame):
        die(128 + number, f"stopped; the same command measures the rows that {out} lacks")
    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, stop)
    programs, description = this.identify(commands)
    description += [*libraries, f"# processes: {this.processes}"]
    if os.path.exists(out):
        this.resume(description, programs)
    if not this.lines:
        this.start(description, programs[0])
    this.add_rows(programs, sizes)
    print("\n".join(table.of_type(out, type) for type in
                    dict.fromkeys(program.key.split(",")[1] for program in programs)), end="")
    return int(this.wrong)


def main():
    if len(sys.argv) < 3:
        print("usage: python -m bench.rows OUT.csv PROGRAM …", file=sys.stderr)
        return 2
    return bench(sys.argv[1], [[program] for program in sys.argv[2:]])


if __name__ == "__main__":
    entry.run("make bench", main)

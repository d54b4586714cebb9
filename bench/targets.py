"""make bench and its kin: python -m bench.targets TARGET FOLDER MAKE …, MAKE being a command that
builds for the GPU. Builds what the target measures and writes FOLDER/…GPU.csv. That there is no GPU is
said before anything is built. BENCH_TYPES and BENCH_SIZES narrow what is measured."""

from tutorial import entry  # before all else

import os
import re
import shutil
import statistics
import subprocess
import sys

from bench import machine, rows
from bench.machine import printed, row_of
from bench.shapes import table as shapes_table
from bench.variants import COLUMNS, Variants
from tutorial import programs
from tutorial.files import write_text

NSIGHT = sys.executable, "-m", "bench.nsight"
TYPES = "int", "float", "double"


class Target:
    """name: as make calls it; make: what builds for a GPU, as words."""

    def __init__(self, name, folder, make):
        self.name, self.folder, self.make = name, folder, make

    def file(self, prefix):
        return os.path.join(self.folder, f"{prefix}{machine.file_name()}.csv")

    def say(self, text):
        machine.say(self.name, text)

    def build(self, *words):
        """The programs' paths; words: variables and programs."""
        if subprocess.run([*self.make, *words], stdout=sys.stderr).returncode:
            raise SystemExit(1)
        return [os.readlink(word) for word in words if "=" not in word]

    def programs(self, *variables):
        """The paths of all that take this configuration."""
        return printed(*self.make, *variables, "programs").split()


def sizes(usual):
    return os.environ.get("BENCH_SIZES") or usual


# ---- rows of the harness's columns, which rows.py measures ----

def bench(target):
    types = os.environ.get("BENCH_TYPES", "").split()
    found = [path for type in types or [""]
             for path in target.programs(*[f"TYPE={type}"] if type else [])]
    if not types and not os.environ.get("STEPS"):  # the fastest, in the other types, too
        fastest = "step07", "vector-loads", "cub", "cub-atomic", "two-kernels", "single-pass"
        found += target.build("TYPE=float", *fastest) + target.build("TYPE=double", *fastest)
        found += target.build("TYPE=double", "cub-reproducible")
    return rows.bench(target.file(""), [[path] for path in found])


def multi_gpu(target):
    """All GPUs of the machine, by each of the programs that can, and one of them alone, in one run.
    With as many elements as GPUs what is left is a launch, and that they wait for each other."""
    gpus = len(printed("nvidia-smi", "--list-gpus").splitlines())
    (nccl,) = target.build("multi-gpu")
    said = subprocess.run([nccl, "-n", "1", "-r", "1"], env=os.environ | {"NCCL_DEBUG": "VERSION"},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    if "built without NCCL" in said:
        machine.end(target.name, 3,
                    "no NCCL here, and without it multi-gpu takes one GPU: see make multi-gpu-mpi")
    version = re.search(r"NCCL version (\S*)", said)
    libraries = [f"# nccl: {version[1] if version else 'unknown'}"]
    commands = [[nccl], target.build("multi-gpu-peer")]
    try:
        (program,) = target.build("multi-gpu-mpi")
    except SystemExit:  # make has said what is missing
        target.say("leaving out multi-gpu-mpi")
    else:
        mpirun = os.path.join(os.path.dirname(shutil.which(os.environ.get("MPICXX") or "mpicxx")),
                              "mpirun")
        # Open MPI runs nothing for root unless it is told twice
        os.environ |= dict.fromkeys(["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                     "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"], "1")
        commands.append([mpirun, "-n", str(gpus), program])
        # Open MPI says it in its first line, others below
        version = re.match(r"(?s).*?\d\.\d[^\n]*", printed(mpirun, "--version"))
        libraries.append(f"# mpi: {' '.join(version[0].split()) if version else ''}")
    target.say(", ".join(libraries))
    commands += [target.build(name) for name in ("step07", "single-pass")]
    sizes = [str(gpus), *(f"2^{k}" for k in (10, 16, 20, 22, 24, 25, 26, 28, 30, 31))]
    return rows.bench(target.file(f"{gpus}x-"), commands, sizes, "1", libraries)


def write_up_0(target):
    """Its kernels' times, and their counters."""
    paths = [path for path in target.programs("BLOCK=512") if "/global-" in path]
    status = rows.bench(target.file("write-up-0-"), [[path] for path in paths], ["2^24"])
    machine.write(target.file("write-up-0-nsight-"),
                  printed(*NSIGHT, "2^24", *paths).splitlines())
    return status


# ---- files of columns of their own: functions that yield their lines ----

def float_order(target):
    """How far a sum of floats depends on the order: of 2^24 in [0, 1) an atomic one that runs 12
    times, and a fixed one with blocks of each size, once; then how far several orders are from the
    exact sum, also of values in [-1, 1), which nearly cancel each other, beside a plain loop."""
    yield "name,block,input,n,result,expected,error,loop_error"
    fixed = [target.build("TYPE=float", f"BLOCK={block}", "deterministic-float")[0]
             for block in (32, 64, 128, 256, 512, 1024)]
    for program in target.build("TYPE=float", "atomic-finish") * 12 + fixed:
        yield error_row(program, "uniform", "2^24")
    orders = target.build("TYPE=float", "step07", "deterministic-float", "cub", "cub-atomic",
                          "cub-reproducible")
    orders = [program for program in orders  # one that cannot run has said what it needs
              if not subprocess.run([program, "-n", "0"], stdout=subprocess.DEVNULL).returncode]
    for n in "2^12", "2^16", "2^20", "2^24", "2^28":
        target.say(f"n = {n}")
        for given in "uniform", "signed":
            for program in orders:
                yield error_row(program, given, n)


def error_row(program, given, n):
    """One sum and its error, as the report tells them."""
    n, *found = re.search(r"n = (\S+) .*blocks of (\d+)[^$]*sum (\S+), expected (\S+)[^$]*"
                          r"error (\S+), .* off by (\S+)",
                          printed(program, "-n", n, f"--{given}", "-r", "1")).groups()
    block, *sums = found
    return ",".join([os.path.basename(program), block, given, n.replace(",", ""), *sums])


def trust(target):
    """Step 07 with a cold cache and with a hot one, where the input fits the cache and where not;
    then with its rivals at small sizes, five processes each."""
    step07, single_pass, cub = target.build("step07", "single-pass", "cub")
    yield ",".join(row_of(step07, "-n", "1", "-r", "1"))
    for n in "2^20", "2^22", "2^24", "2^26":
        for cache in [], ["--hot"]:
            yield ",".join(row_of(step07, "-n", n, *cache).values())
    for n in "2^10", "2^12", "2^14", "2^16", "2^18", "2^20":
        target.say(f"n = {n}")
        for program in [step07, single_pass, cub] * 5:
            yield ",".join(row_of(program, "-n", n).values())


def tuning(target):
    """What other constants would give: all at one size, then at the next, the whole twice."""
    names = [f"step07/{changed}" for changed in (
        "nothing", "ELEMS=4", "ELEMS=8", "ELEMS=32", "BLOCK=128", "BLOCK=512", "BLOCK=1024")]
    names += [f"single-pass/{changed}" for changed in ("nothing", "TILES=1", "TILES=16")]
    variants = Variants("build/tuning", target.make, names)
    yield COLUMNS
    yield from variants.rows(sizes("2^18 2^22 2^24 2^26 2^28").split() * 2, names)


def ideas(target):
    """The steps that change several ideas at once, taken apart: step 00 and the corners between it
    and 01, step 00's time at sizes at which its loads touch more lines or fewer, and 05 to 06."""
    corners = [f"{name}/nothing" for name in ("step00", "step01", "naive-coalesced",
                                              "naive-everywhere")] + ["naive-everywhere/COALESCED=1"]
    loads = ["step05/nothing", "step06/nothing"] + [
        f"waiting-loads/ELEMS={elems}+LOADS={count}+GUARD={guard}"
        for elems, counts in ((2, (1, 2)), (16, (1, 2, 4, 16))) for count in counts
        for guard in (1, 0)]
    variants = Variants("build/ideas", target.make, corners + loads)
    yield f"# clock_mhz: {clock_under_load(variants.path('step00/nothing'))}"
    yield COLUMNS
    yield from variants.rows("2^10 2^13 24K 10000000 16778240 192M".split(), ["step00/nothing"])
    yield from variants.rows(["2^24", "2^30"], corners)
    yield from variants.rows(["2^24", "2^26", "2^30"], loads)


def clock_under_load(program):
    """The highest clock of the multiprocessors, in MHz, while a program keeps one of them busy."""
    clocks = []
    with subprocess.Popen([program, "-n", "2^26", "--csv"], stdout=subprocess.DEVNULL) as running:
        while running.poll() is None:
            clocks += re.findall(r"^[\d.]+", machine.ask_gpu("clocks.sm"))
    return max(clocks, key=float)


def in_flight(target):
    """Bandwidth against the bytes in flight: of a kernel that only reads, and of the steps, of which
    a multiprocessor holds as many blocks as of that one's with one load."""
    n, (reader,) = sizes("2^28"), target.build("in-flight")
    lines = printed(reader, "-n", n).splitlines()
    yield from lines
    *_, (_, _, blocks, threads, multiprocessors, *_) = [
        line.split(",") for line in lines if line.startswith("reader,1,")]
    for step in programs.steps()[1:]:  # step 00 has a block of its own
        row = row_of(*target.build(f"step{step}"), "-n", n)
        yield ",".join([step, "", blocks, threads, multiprocessors, *(row[column] for column in (
            "n", "median_ms", "min_ms", "max_ms", "gb_per_s"))])


def shapes(target):
    """And single-pass's tables from them; if they are published, where they count."""
    file = target.file("shapes-")
    machine.write(file, rows_of_shapes(target))
    to = "detours/single-pass" if target.folder == "plots/data" else target.folder
    for type in TYPES:
        write_text(os.path.join(to, f"shapes-{type}.h"), shapes_table.of_type(file, type))


def rows_of_shapes(target):
    """What each shape of single-pass gives at each n: the mean over several processes, since one
    differs from the next by a few percent, and so do the shapes."""
    processes = rows.chosen_processes(target.name, "5")
    of_types = [target.build(f"TYPE={type}", "shapes")[0] for type in TYPES]
    medians, least = {}, {}  # of a row, by what stands in front of its times
    for process in range(1, processes + 1):
        target.say(f"process {process} of {processes}")
        for program in of_types:
            header, *lines = printed(program, "-n", sizes("2^30")).splitlines()
            for shape, median, ms in (line.rsplit(",", 2) for line in lines):
                medians.setdefault(shape, []).append(float(median))
                least[shape] = min(ms, least.get(shape, ms), key=float)
    yield from (f"# processes: {processes}", header)
    for shape, found in medians.items():
        yield f"{shape},{statistics.fmean(found):.6f},{least[shape]}"


def nsight(target):
    """What the CPU backend's counters are held against: Nsight Compute's of the first launch of every
    program of ints that both backends run, of the steps at more sizes and with other blocks; and of
    all at sizes that are no powers of two. What launches as many blocks as the GPU runs at once is
    measured at each of these with each of two blocks."""
    yield f"# nsight: {re.search(r'(?m)^Version (.*)', printed('ncu', '--version'))[1].split()[0]}"
    yield "step,name,type,block,n,metric,value"
    names = [os.path.basename(path) for path in target.programs("TYPE=int")]
    names = [name for name in names if "lab_needs_gpu" not in "".join(
        programs.get(name.removeprefix("step")).code)]
    others = [name for name in names if name != "step00"]  # which has a block of its own
    steps = [name for name in names if name.startswith("step")]
    sized = [name for name in names if name in ("grid-stride", "single-pass")]
    for block, some, numbers in (
            (256, names, "1000 65537"), (256, steps, "1000003 2^20"),
            *((block, steps[1:], "65537 2^20") for block in (32, 64, 1024)),
            (128, others, "54321"), (512, others, "777777"), (128, sized, "777777"),
            (512, sized, "54321")):
        # 256 is make's own, and any-block-size has another
        paths = target.build("TYPE=int", *([] if block == 256 else [f"BLOCK={block}"]), *some)
        for n in numbers.split():
            target.say(f"blocks of {block}, n = {n}")
            yield from printed(*NSIGHT, n, *paths).splitlines()


MEASURED_BY = {"bench": bench, "bench-multi-gpu": multi_gpu, "bench-write-up-0": write_up_0,
               "bench-shapes": shapes}
LINES_OF = {"bench-float-order": float_order, "bench-trust": trust, "bench-tuning": tuning,
            "bench-ideas": ideas, "bench-in-flight": in_flight, "bench-nsight": nsight}


def main():
    target = Target(*sys.argv[1:3], sys.argv[3:])
    machine.need_gpu()
    if target.name == "bench-nsight":
        printed(*NSIGHT, "--able")
    if target.name in MEASURED_BY:
        return MEASURED_BY[target.name](target) or 0
    machine.write(target.file(target.name.removeprefix("bench-") + "-"),
                  LINES_OF[target.name](target))
    return 0


if __name__ == "__main__":
    entry.run("make bench", main)

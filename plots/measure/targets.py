"""make bench and its kin:

    python -m plots.measure.targets TARGET FOLDER MAKE …

MAKE is a command that builds for the GPU. Each target is a function that builds, measures and yields
the lines of its file, FOLDER/…GPU.csv. BENCH_SIZES, BENCH_TYPES and BENCH_PROCESSES narrow what some
of them measure."""

from plots.read import entry  # before all else

import concurrent.futures
import os
import re
import shutil
import statistics
import subprocess
import sys

from plots.measure import machine
from plots.measure.machine import printed, row_of
from plots.measure.peers import peer_rows
from plots.measure.rows import (COLUMNS, PROFILE, asked, each, harness_rows, nsight_head, nsight_rows,
                                peak_of, processes, sizes, variant_rows)
from plots.measure.shapes import table_of
from plots.read import programs
from plots.read.bench_data import BYTES, TYPES
from plots.read.files import write_text


def bench(target):
    """Every program; those whose header says so, the fastest, with the other types, too."""
    types = os.environ.get("BENCH_TYPES", "").split()
    found = [path for type in types or [""]
             for path in target.programs(*[f"TYPE={type}"] if type else [])]
    for type in () if types or os.environ.get("STEPS") else [*BYTES][1:]:
        found += target.build(f"TYPE={type}", *(
            "step" * key.isdecimal() + key for key, program in programs.load().items()
            if re.search(rf"\b{type}\b", program.parts.get("Measured with", ""))))
    return harness_rows(target, [[path] for path in found],
                        " ".join(f"2^{k}" for k in range(10, 31, 2)))


def multi_gpu(target):
    """2, 4 … and all GPUs of the machine, by each of the programs that can, and one alone, in one run.
    All wait at the same gate; one alone is timed without it, too."""
    types = asked(target, "BENCH_TYPES", "int|float|double", "int, float or double", "int float")
    commands = [[path, *options] for type in types for path in target.build(f"TYPE={type}", "single-pass")
                for options in (["--gate"], [])]
    # beside mpicxx; Open MPI runs nothing for root unless it is told twice
    mpicxx = shutil.which(os.environ.get("MPICXX") or "mpicxx") or ""
    os.environ |= {"PATH": f"{os.path.dirname(mpicxx)}:{os.environ['PATH']}"} | {
        f"{name}_ALLOW_RUN_AS_ROOT{twice}": "1" for name in ("OMPI", "PRTE")
        for twice in ("", "_CONFIRM")}
    all_gpus, mpi = len(printed("nvidia-smi", "--list-gpus").splitlines()), True
    for type in types:
        nccl, peer = target.build(f"TYPE={type}", "multi-gpu", "multi-gpu-peer")
        if not row_of(nccl, "-n", "0")["library"]:
            machine.end(target.name, 3,
                        "no NCCL here, and without it multi-gpu takes one GPU: see make multi-gpu-mpi")
        try:
            mpi = mpi and target.build(f"TYPE={type}", "multi-gpu-mpi")
        except SystemExit:  # make has said what is missing
            mpi = target.say("leaving out multi-gpu-mpi")
        for count in sorted({*(2**k for k in range(1, 7) if 2**k < all_gpus), all_gpus}):
            some = ["env", f"CUDA_VISIBLE_DEVICES={','.join(map(str, range(count)))}"]
            commands += [[*some, peer], [*some, nccl]]
            commands += [["mpirun", "-n", str(count), *mpi]] if mpi else []
    usual = "2^10 2^16 2^18 2^20 2^22 2^23 2^24 2^25 2^26 2^28 2^30 2^32 2^33"
    return harness_rows(target, commands, usual)


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
    given = [(program, values) for values in ("uniform", "signed") for program in orders]
    for n, (program, values) in each(target, ["2^12", "2^16", "2^20", "2^24", "2^28"], given):
        yield error_row(program, values, n)


def error_row(program, given, n):
    """One sum and its error, as the output tells them."""
    n, block, *sums = re.search(r"n = (\S+) .*blocks of (\d+)[^$]*sum (\S+), expected (\S+)[^$]*"
                                r"error (\S+), .* off by (\S+)",
                                printed(program, "-n", n, f"--{given}", "-r", "1")).groups()
    return ",".join([os.path.basename(program), block, given, n.replace(",", ""), *sums])


def trust(target):
    """Step 07 with a cold cache and with a hot one, where the input fits the cache and where not;
    then with its rivals at small sizes, five processes each."""
    step07, single_pass, cub = target.build("step07", "single-pass", "cub")
    yield ",".join(row_of(step07, "-n", "1", "-r", "1"))
    for n, cache in each(target, ["2^20", "2^22", "2^24", "2^26"], ([], ["--hot"])):
        yield ",".join(row_of(step07, "-n", n, *cache).values())
    small = "2^10", "2^12", "2^14", "2^16", "2^18", "2^20"
    for n, program in each(target, small, [step07, single_pass, cub] * 5):
        yield ",".join(row_of(program, "-n", n).values())


def tuning(target):
    """What other constants would give: all at one size, then at the next, the whole twice."""
    yield ",".join(("name", "changed", *COLUMNS))
    yield from variant_rows(target, sizes(target, "2^18 2^22 2^24 2^26 2^28") * 2, [
        *(f"step07/{changed}" for changed in ("nothing", "ELEMS=4", "ELEMS=8", "ELEMS=32",
                                              "BLOCK=128", "BLOCK=512", "BLOCK=1024")),
        *(f"single-pass/{changed}" for changed in ("nothing", "TILES=1", "TILES=16"))])


def ideas(target):
    """The steps that change several ideas at once, taken apart: step 00 and the corners between it
    and 01, step 00's time at sizes at which its loads touch more lines or fewer, and 05 to 06."""
    # what a GPU runs at of which but one multiprocessor is busy
    yield f"# clock_mhz: {machine.ask_gpu('clocks.max.sm').split()[0]}"
    yield ",".join(("name", "changed", *COLUMNS))
    yield from variant_rows(target, "2^10 2^13 24K 10000000 16778240 192M".split(),
                            ["step00/nothing"])
    yield from variant_rows(target, ["2^24", "2^30"], [
        "step00/nothing", "step01/nothing", "naive-coalesced/nothing", "naive-everywhere/nothing",
        "naive-everywhere/COALESCED=1"])
    yield from variant_rows(target, ["2^24", "2^26", "2^30"], [
        "step05/nothing", "step06/nothing", *(
            f"waiting-loads/ELEMS={elems}+LOADS={loads}+GUARD={guard}"
            for elems, loads in ((2, 1), (2, 2), (16, 1), (16, 2), (16, 4), (16, 16))
            for guard in (1, 0))])


def in_flight(target):
    """Bandwidth against the bytes in flight: of a kernel that only reads, and of the steps, of which
    a multiprocessor holds as many blocks as of that one's with one load."""
    n = sizes(target, "2^28")[0]
    shapes = [(loads, blocks) for loads in (1, 2, 4, 8, 16, 32)
              for blocks in (1, 2, 4, 6 if loads == 32 else 8)]  # with 32 loads no more have room
    paths = [target.variant("in-flight", f"LOADS={loads}+BLOCKS={blocks}") for loads, blocks in shapes]
    for step in programs.steps()[1:]:  # step 00 has a block of its own
        shapes.append(("", 8))
        paths += target.build(f"step{step}")
    multiprocessors = re.search(r"(\d+) SMs", printed(paths[0], "-n", "1"))[1]
    rows = [row_of(path, "-n", n) for path in paths]
    yield peak_of(rows[0])
    yield "name,loads,blocks,threads,multiprocessors,n,median_ms,min_ms,max_ms,gb_per_s"
    for row, (loads, blocks) in zip(rows, shapes):
        yield ",".join([row["step"] or "reader", f"{loads}", f"{blocks}", row["block"], multiprocessors,
                        *(row[column] for column in (*COLUMNS, "gb_per_s"))])


def shapes(target):
    """What each shape of single-pass gives at each n: the mean over several processes, since one
    differs from the next by a few percent, and so do the shapes."""
    count, n = processes(target, "5"), sizes(target, "2^30")[0]
    of_types = [target.build(f"TYPE={type}", "shapes")[0] for type in TYPES]
    medians, least = {}, {}  # of a row, by what stands in front of its times
    for process in range(1, count + 1):
        target.say(f"process {process} of {count}")
        for program in of_types:
            header, *lines = printed(program, "-n", n).splitlines()
            for shape, median, ms in (line.rsplit(",", 2) for line in lines):
                medians.setdefault(shape, []).append(float(median))
                least[shape] = min(ms, least.get(shape, ms), key=float)
    yield from (f"# processes: {count}", header)
    for shape, found in medians.items():
        yield f"{shape},{statistics.fmean(found):.6f},{least[shape]}"


def nsight(target):
    """Nsight Compute's counters, against which the CPU backend's are held: the first launch of every program
    of ints that both backends run, and of two-bytes; the steps also at more sizes and with other blocks;
    and all at sizes that are no powers of two. A program that launches as many blocks as the GPU runs at
    once is measured at each of these with two block sizes."""
    yield from nsight_head()
    names = [os.path.basename(path) for path in target.programs("TYPE=int")]
    names = [name for name in names if "lab_needs_gpu" not in "".join(
        programs.get(name.removeprefix("step")).code)]
    others = [name for name in names if name != "step00"]  # which has a block of its own
    steps = [name for name in names if name.startswith("step")]
    sized = [name for name in names if name in ("grid-stride", "single-pass")]
    for block, some, numbers in (
            (256, names, "1000 65537"), (256, ["TYPE=half", "two-bytes"], "1000 65537 1000003"),
            (256, steps, "1000003 2^20"),
            *((block, steps[1:], "65537 2^20") for block in (32, 64, 1024)),
            (128, others, "54321"), (512, others, "777777"), (128, sized, "777777"),
            (512, sized, "54321")):
        # 256 is make's own, and any-block-size has another
        paths = target.build(*([] if "=" in some[0] else ["TYPE=int"]),
                             *([] if block == 256 else [f"BLOCK={block}"]), *some)
        # Nsight Compute lets one kernel run at a time; what is slow is the programs' start
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for found in pool.map(lambda job: nsight_rows(job[1], job[0]),
                                  each(target, numbers.split(), paths)):
                yield from found


def stalls(target):
    """Why the warps of each step wait: Nsight Compute's stall reasons, of the first launch."""
    yield from nsight_head()
    steps = target.build(*(f"step{step}" for step in programs.steps()))
    for n, path in each(target, sizes(target, "2^24 2^28"), steps):
        yield from nsight_rows(path, n, "stall-metrics.csv")


def peers(target):
    """What one would call instead, beside ours."""
    try:
        import torch
        assert torch.cuda.is_available()
    except Exception:
        machine.end(target.name, 3, "needs PyTorch, whose arrays and events the others use: say "
                                    "PYTHON=/path/to/a/python that has it")
    return peer_rows(target, sizes(target, " ".join(f"2^{k}" for k in range(10, 31, 2))))


def tables_of_shapes(file):
    """Of single-pass; if they are published, where they count."""
    folder = os.path.dirname(file)
    for type in TYPES:
        write_text(os.path.join("detours/single-pass" if folder == "plots/data" else folder,
                                f"shapes-{type}.h"), table_of(file, type))


TARGETS = {"bench": bench} | {f"bench-{measure.__name__.replace('_', '-')}": measure for measure in (
    multi_gpu, float_order, trust, tuning, ideas, in_flight, shapes, nsight, stalls, peers)}


def main(name, folder, *make):
    machine.need_gpu(name, "make counters and make plots do not need one")
    target, measure = machine.Target(name, make), TARGETS[name]
    if measure in (nsight, stalls) and (status := subprocess.run([PROFILE, "--check"]).returncode):
        return status
    machine.lock(name, folder)
    file = os.path.join(folder, f"{name}-{machine.file_name()}.csv".removeprefix("bench-"))
    machine.write(file, measure(target))
    print(file)
    if measure == shapes:
        tables_of_shapes(file)
    return int(target.failed)


if __name__ == "__main__":
    entry.run(f"make {' '.join(sys.argv[1:2])}", entry.typed(main))

"""The table of registers: python -m make.registers [--nvcc NVCC] writes common/registers_table.h

How many registers nvcc gives to a thread decides how many blocks a GPU holds at once. So the CPU
backend, to launch what a GPU would (SIMT_DEVICE), must be told; where no nvcc is, this table tells
it. It has the kernels of all programs that ask for their occupancy, of each type and block, for the
compute capabilities of the GPUs in simt/run/facts.c. Needs nvcc, and no GPU; takes some minutes.
What stands in it for programs that are as they were, and by the same nvcc, is kept."""

from tutorial import entry  # before all else

import argparse
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tutorial.files import write_whole

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "common/registers_table.h"
CAPABILITIES = (75, 80, 89, 90)
TYPES = ("int", "float", "double")
BLOCKS = (32, 64, 128, 256, 512, 1024)
ANY_BLOCK = 0


def programs():
    """The main.cu of each by its name: those that ask."""
    return {path.parent.name: path for path in sorted(ROOT.glob("detours/*/main.cu"))
            if "cudaOccupancy" in path.read_text()}


def fingerprint(main):
    """Of all that nvcc's answer depends on: no comments, no blanks, no line ends."""
    files = [*sorted(main.parent.glob("*.[ch]*")), *(ROOT / "common" / name for name in
                                                     ("elem.h", "lab.h", "op.h"))]
    code = (re.sub(r"/\*.*?\*/|//[^\n]*|\\\n|\s", "", file.read_text(), flags=re.DOTALL)
            for file in files)
    return hashlib.sha256("\n".join(code).encode()).hexdigest()[:16]


def stale():
    """Programs that are not as they were when the table was made."""
    made = re.findall(r"^/\* (\S+): (\w+) \*/$", TABLE.read_text(), re.MULTILINE)
    return sorted({*made} ^ {(name, fingerprint(main)) for name, main in programs().items()})


def run(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed:\n{done.stderr}")
    return done


def ask(nvcc, main, type, block, asked):
    """{kernel: its registers, in the order of CAPABILITIES}. asked: the answers so far, by what
    nvcc saw: some programs are the same for all blocks."""
    what = (main.relative_to(ROOT), f"-DTYPE={type}", f"-DBLOCK={block}", "-DOP=OP_sum", "-Icommon")
    seen = run(nvcc, "-E", f"-arch=sm_{CAPABILITIES[-1]}", *what).stdout
    if seen not in asked:
        asked[seen] = registers_of(nvcc, what)
    return asked[seen]


def registers_of(nvcc, what):
    with tempfile.TemporaryDirectory() as folder:
        done = run(nvcc, "-O3", "-lineinfo", "-Xptxas", "-v", *what, "-c", "-o", f"{folder}/object",
                   *(f"-gencode=arch=compute_{each},code=sm_{each}" for each in CAPABILITIES))
    found = re.findall(r"Compiling entry function '(\w+)' for 'sm_(\d+)'.*?Used (\d+) registers",
                       done.stderr, re.DOTALL)
    kernels = {}
    for kernel, capability, registers in found:
        kernels.setdefault(kernel, {})[int(capability)] = int(registers)
    return {kernel: tuple(of[each] for each in CAPABILITIES)
            for kernel, of in sorted(kernels.items())}


def rows(nvcc, name, main):
    """The table's: of a kernel one a block, unless that makes no difference."""
    for type in TYPES:
        kernels, asked = {}, {}
        for block in BLOCKS:
            print(f"{name}, {type}, blocks of {block}", file=sys.stderr)
            for kernel, registers in ask(nvcc, main, type, block, asked).items():
                kernels.setdefault(kernel, {})[block] = registers
        for kernel, of in kernels.items():
            if len(of) == len(BLOCKS) and len(set(of.values())) == 1:
                of = {ANY_BLOCK: of[BLOCKS[0]]}
            for block, registers in of.items():
                yield (f'{{"{name}", "{type}", {block}, "{kernel}", '
                       f'{{{", ".join(map(str, registers))}}}}},')


def main():
    parser = argparse.ArgumentParser(prog="make registers")
    parser.add_argument("--nvcc", default="nvcc")
    nvcc = parser.parse_args().nvcc
    if not shutil.which(nvcc):
        sys.exit(f"make registers: {nvcc} not found: say NVCC=/path/to/nvcc")
    version = re.search(r"V([0-9.]+)", run(nvcc, "--version").stdout)[1]
    old = TABLE.read_text().splitlines()
    anew = {name for name, _ in stale()} if any(f"nvcc {version}." in line for line in old) else {
        *programs()}
    lines = ["/* Registers of a thread by compute capability: "
             f"{', '.join(f'{each // 10}.{each % 10}' for each in CAPABILITIES)}. Block 0: any.",
             f" * Made by make registers; nvcc {version}. "
             "Of each program what it was made from: */", "/* clang-format off */"]
    lines += [f"/* {name}: {fingerprint(path)} */" for name, path in programs().items()]
    for name, path in programs().items():
        lines += (rows(nvcc, name, path) if name in anew else
                  [line for line in old if line.startswith(f'{{"{name}",')])
    write_whole(TABLE, "\n".join(lines) + "\n")


if __name__ == "__main__":
    entry.run("make registers", main)

#!/usr/bin/env python3
"""Changes inputs at random, and looks whether their readers stand it: what is run before a release, and
not by make test.

    tests/fuzz.py SECONDS     so many for each of the two

rewriter   simt/compile, from the sources of the programs and tests
marker     what the marker reads of a program that it does not trust: counters and findings

Both are built with the address and undefined behaviour sanitizers, into build/fuzz. An input that ends
in a crash, or not at all within 20 seconds, is kept there, with a line that says so; exit status 1.

Last run, 28 November 2026, of f0252585, 620 s each, nothing found: rewriter 12,231 inputs, marker
12,482."""

import glob
import os
import pathlib
import random
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILT = ROOT / "build/fuzz"
ENVIRONMENT = os.environ | {"ASAN_OPTIONS": "detect_leaks=0"}  # the marker frees nothing: it ends soon
WORDS = [b"0", b"-1", b"1e99", b"9" * 40, b"\0", b"\xff", b"\\", b'"', b"'", b"{", b"}", b"(", b")", b"<<<",
         b">>>", b'R"(', b')"', b",", b"\n", b"=", b"#", b"%s%n", b"__shared__ ", b"__global__ ", b"template <"]


def build(name, sources, *options):
    """A program with the sanitizers."""
    subprocess.run(["gcc", "-std=c11", "-g", "-O1", "-fsanitize=address,undefined", *options, *sources,
                    "-lm", "-o", BUILT / name], cwd=ROOT, check=True)
    return BUILT / name


def changed(data, others):
    """A text with a few changes, some of them pieces of another."""
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        at, length = random.randrange(len(data) + 1), random.choice((1, 2, 5, 20, 200))
        other = random.choice(others)
        start = random.randrange(len(other) + 1)
        piece = random.choice((b"", random.choice(WORDS), other[start:start + length], data[at:at + length] * 2))
        data = data[:at] + piece + data[at + random.choice((0, length)):]
    return data


def run(command, statuses, **options):
    """The fault in how it ended; None: there is none."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=20, cwd=BUILT, env=ENVIRONMENT, **options)
    except subprocess.TimeoutExpired:
        return "does not end"
    said = done.stderr.decode(errors="replace")
    is_wrong = done.returncode not in statuses or "Sanitizer" in said or "runtime error" in said
    return f"status {done.returncode}: {said[:2000]}" if is_wrong else None


def simulated():
    """What the backend writes for a program: counters and a report."""
    (BUILT / "x.cu").write_text("__global__ void k(int *p) { p[0] += threadIdx.x; }\nint main() { int *p; "
                                "cudaMalloc(&p, 4); k<<<2, 64>>>(p); return cudaDeviceSynchronize(); }\n")
    subprocess.run([ROOT / "simt/simtcc", "x.cu", "-o", "x"], cwd=BUILT, check=True)
    done = subprocess.run(["./x"], stderr=subprocess.PIPE, cwd=BUILT, env=os.environ | {
        "SIMT_COUNTERS": "csv", "SIMT_REPORT": "report.json"}, check=False)
    return done.stderr[done.stderr.find(b"step,"):], (BUILT / "report.json").read_bytes()


def rewriter():
    program = build("rewrite", [path for path in glob.glob(str(ROOT / "simt/compile/*.c"))
                                if not path.endswith("guard.c")], "-Isimt", "-D_GNU_SOURCE")
    sources = [path.read_bytes() for folder in ("steps", "detours", "exercises", "simt/tests")
               for path in (ROOT / folder).rglob("*.cu")]
    names = ROOT / "build/simt/cuda.names"
    return sources, lambda text: run([program, "x.cu", *[names] * names.exists()], (0, 1, 2), input=text)


def marker():
    sources = [ROOT / f"exercises/marker/{name}.c" for name in ("counters", "findings", "text")]
    program = build("marker", [*sources, ROOT / "tests/c/told.c"], "-Isimt", "-Icommon", "-Isimt/include",
                    "-Iexercises/marker")

    def call(text):
        (BUILT / "marker.txt").write_bytes(text)
        return run([program, BUILT / "marker.txt"], (0, 1, 2))
    return simulated(), call


def main(seconds="--help"):
    if not seconds.isdecimal():
        print(__doc__)
        return 2
    BUILT.mkdir(parents=True, exist_ok=True)
    found = 0
    for target in rewriter, marker:
        inputs, call = target()
        end, runs = time.monotonic() + float(seconds), 0
        while time.monotonic() < end:
            text = changed(random.choice(inputs), inputs)
            runs += 1
            if wrong := call(text):
                found += 1
                kept = BUILT / f"{target.__name__}-{found}"
                kept.write_bytes(text)
                print(f"{kept}: {wrong}")
        print(f"{target.__name__}: {runs} inputs")
    return found > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Programs of many cases (simt/tests/twins): what CUDA allows is not accused, and what looks like
it and is wrong is told, as what it is and as nothing else.

A case says what must be told: CASE(name, "title of the findings"), "note: " in front of those that
change no status, "endless loop" of what is not judged to the end, or "nothing". Where lines end in
`// BUG NAME, NAME x3: words`, of the cases of these names, else of the CASE above, the findings are
told at these lines and at no other, so often, and with these words."""

import collections
import platform
import re

import pytest

from backend import GXX, ROOT, once, run, simtcc

FOLDER = ROOT / "simt/tests/twins"
FILES = sorted(FOLDER.glob("*.cu"))
Mark = collections.namedtuple("Mark", "line times words")
CASES, MARKS = [], collections.defaultdict(list)  # (stem, name, told); the marks of (stem, name)
for file in FILES:
    for number, line in enumerate(file.read_text().splitlines(), 1):
        CASES += [(file.stem, *case) for case in re.findall(r'\bCASE\((\w+), "([^"]+)"\)', line)]
        if mark := re.search(r"// BUG(?: ([\w, ]+?))??(?: x(\d+))?(?:: (.*))?$", line):
            for name in mark[1].split(", ") if mark[1] else [CASES[-1][1]]:
                MARKS[file.stem, name].append(Mark(number, mark[2], mark[3] or ""))
OTHER_FILE = {"variables": "__device__ double elsewhere[16];\n__device__ double behind[16];\n"}
OPTIONS = {"hangs": ["-Wno-misleading-indentation"], "returned": ["-Wno-class-memaccess"],
           "loads": ["-Wno-unused-but-set-variable"],
           "variables": ["-DELSEWHERE", "-Wno-array-bounds", "-Wno-stringop-overread"]}
STRICT = {"loads"}  # are compiled so if nobody asks otherwise

WAYS = [{}, {"SIMT_ORDER": "7"}]
# Where who comes first matters most
BY_ORDER = {"races", "shared", "atomics", "barriers", "async", "unwritten", "hangs"}
# What a race's verdict rests on is who came first.
ORDERS = [{"SIMT_ORDER": str(order)} for order in range(1, 7)]
# Pollers that leave at the first value that lets them, before the last thread acknowledged: in the
# usual order they come first, and poll by then. In another one there may be nothing to tell.
FIRST = {"grid_barrier_once", "late_two_of_three", "refill"}
# Whose loop ends by counting, or is only ended by the watchdog: one way is enough.
LONG = {"gives_up", "endless", "endless_blocks", "stride", "plain", "raced"}
WATCHED = LONG - {"gives_up"}
SLOW = {"endless", "endless_blocks"}
# The flag, or lock, has its fences; what lies behind has not, or it is cleared plainly, or not at all.
BESIDE_A_FLAG = {"byte_unset", "late_volatile", "looks_fence_of_block"}
# A float4 off a multiple of 16 where others of 16 bytes may lie there (FINDINGS.md, misaligned)
BY_HALVES = [("structures", "quads_read")]

# What is told beside the title: each kind's own sentence, with its figures.
DETAILS = {
    ("alignment", "of_double"): "The address is 4 bytes past a multiple of 8.",
    ("alignment", "width_negative"): " passes the width -32.",
    ("arrays", "array_of_pointers"): "The index is 4; int *[4] has 0 to 3.",
    ("arrays", "negative"): "The index is -1; double [6] has 0 to 5.",
    ("arrays", "plane"): "The index is 4; int [4][8] has 0 to 3.",
    ("arrays", "and_shared"): " of s, which has 128 bytes.",
    ("arrays", "and_global"): "It lies 16400 bytes past the start of an allocation of 6144 bytes.",
    ("async", "read_early"): "The host reads bytes that cudaMemcpyAsync writes, without waiting",
    ("async", "source_changed"): "The host writes bytes that cudaMemcpyAsync reads, without waiting",
    ("async", "of_a_kernel"): "The host reads bytes that kernel twice writes, without waiting",
    ("async", "chunks"): "simt: several streams were used: they ran in the order of the calls, and "
                         "races between them were not judged\n",
    ("barriers", "turn"): "Both wait, in different turns of the loop: one went around",
    ("barriers", "branch"): "Both wait, at different barriers.",
    ("barriers", "first_of_line"): "Both wait, at different barriers of this line.",
    ("barriers", "loop"): "The first waits; the second went around the barrier, turn after turn, and",
    ("calls", "copy_of_freed"): "The source lies 12 bytes into freed memory of 400 bytes (freed at ",
    ("calls", "stale_large"): "bytes into freed memory: 67108864 bytes, allocated at ",
    ("calls", "freed_inside"): "It lies 4 bytes past the start of an allocation of 40000 bytes.",
    ("calls", "freed_as_pinned"): "cudaFreeHost does not free such memory.",
    ("calls", "fill_of_host"): "The destination is host memory; it must be device memory.",
    ("calls", "local"): "364 bytes are written to an array of the host,\n  which has 360 from there on.",
    ("calls", "variable_end"): "44 bytes from byte 0 on are asked for; variable has 40.",
    ("calls", "direction"): "It says cudaMemcpyDeviceToHost; but the destination is device memory,\n"
                            "  the source host memory: that is cudaMemcpyHostToDevice.",
    ("calls", "too_many_for_bounds"): "129 threads a block; the kernel has __launch_bounds__(128).",
    ("calls", "too_much_of_both"): "108000 bytes of shared memory, 60000 of them dynamic, are more "
                                   "than 49152.",
    ("calls", "exchanged_one"): "128 blocks of 1 thread, of which 28 blocks touched no memory.",
    ("calls", "exchanged_too_far"): "<<<256, 4096>>> is impossible: a grid has at most "
                                    "2147483647 x 65535 x 65535\n  blocks, a block 1024 x 1024 x 64 "
                                    "threads, together 1024, and each at least 1.\n"
                                    "  Are grid and block exchanged?",
    ("constants", "in_a_function"): "It reads hidden, a __constant__ variable of 5 bytes, which is",
    ("races", "fences_giver"): "which passes no fence\n  in front of that",
    ("races", "fences_taker"): "The second saw what the first handed over, but passes no fence",
    ("hangs", "stride"): "for 1 s no thread has ended (SIMT_WATCHDOG=0 waits for ever)",
    ("hangs", "host"): " waits for the host to write",
    ("hangs", "nested"): "kernel parent launches kernel child (",
    ("hangs", "volatile_blocks"): "They poll words that no thread will ever change: ",
    ("hangs", "atomic"): "\n  Thread 0 of block 0 waits for byte 0 of flag.",
    ("hangs", "masks"): "16 threads wait at __syncwarp, mask 0x0001ffff (",
    ("hangs", "lock_blocks"): ",\n  which thread 5 of block ",
    ("hangs", "too_much"): "holds 32 blocks of this launch at once, but there are 33: ",
    ("hangs", "too_many"): "holds 128 blocks of this launch at once, but there are 129: ",
    ("hangs", "too_large"): "holds 32 blocks of this launch at once, but there are 80: ",
    ("memory", "behind_constant_template"): " byte 8 of mask<int>, a __constant__ variable",
    ("memory", "behind_static_of_template"): "It touches byte 8 of next, a __device__ variable of 8 "
                                             "bytes.",
    ("memory", "freed_by_host"): "The host frees memory of the device.",
    ("shared", "bytes"): " writes 1 byte\n",
    ("structures", "before"): "It lies 1 byte before an allocation of 4096 bytes.",
    ("unwritten", "forgotten_memset"): "It touches byte 0 of an allocation of 4000 bytes.",
    ("warps", "all_store"): "  Lanes of a warp store different values to one word",
    ("warps", "ended"): ", which is in the mask 0xffffffff but ends without\n  a shuffle.",
    ("warps", "stored"): ", which takes no part by the mask 0x0000ffff,\n"
                         "  and the value reaches a store.",
    ("warps", "later"): "Here it was 0x0000ffff, and the program uses it without looking",
}


def program(stem, *options):
    def build_in(folder):
        others = []
        if stem in OTHER_FILE:
            others = [folder / "other.cu"]
            others[0].write_text(OTHER_FILE[stem])
        simtcc((FOLDER / f"{stem}.cu").read_text(), folder / f"{stem}.cu", *others, f"-I{FOLDER}",
               *OPTIONS.get(stem, []), *(options or ["--strict"] * (stem in STRICT)))
    return once("-".join(["twins", stem, *options]), build_in) / stem


def test_collection():
    """Bugs and twins in each program."""
    for file in FILES:
        told = {told for stem, _, told in CASES if stem == file.stem}
        assert "nothing" in told and len(told) > 1
    assert len({case[:2] for case in CASES}) == len(CASES)
    assert set(DETAILS) | set(MARKS) <= {case[:2] for case in CASES}


def check_marks(stem, name, done, judged):
    marks, lines = MARKS[stem, name], {mark.line for mark in MARKS[stem, name]}
    place = rf"\b{stem}\.cu:(\d+)"
    found = re.findall(rf"^  \S*{place}  " if judged else place, done.stderr, re.MULTILINE)
    for others in re.findall(r"^  The same at lines? ([\d, ]+)$", done.stderr, re.MULTILINE):
        found += others.split(", ")
    found = {int(line) for line in found}
    assert found <= lines or not judged, done.stderr  # a loop is interrupted anywhere
    assert lines <= found or len(lines) > 2, done.stderr
    told = sum(map(int, re.findall(r", (\d+) times", done.stderr))) or 1
    # without the lines of source, which quote the marks
    said = re.sub(rf"^(  \S*{place})  .*", r"\1", done.stderr, flags=re.MULTILINE)
    for mark in marks:
        assert mark.words in said and mark.times in (None, str(told)), done.stderr


def check(built, stem, name, told, way):
    judged = told != "endless loop" and (stem, name) != ("variables", "smallest")
    done = run(built, name, env=way | ({"SIMT_WATCHDOG": "1"} if name in WATCHED else {}))
    titles = re.findall(r"^simt: (?!several streams|not judged)([^,\n]*)", done.stderr, re.M)
    beside = {"note: volatile flag"} if name in BESIDE_A_FLAG else set()
    assert set(titles) == ({told} - {"nothing"} if judged else set()) | beside, (way, done.stderr)
    wrong = any(not title.startswith("note: ") for title in titles)
    assert done.returncode == (4 if wrong else 0 if judged else 5), done.stdout + done.stderr
    assert judged or done.stderr.startswith("simt: not judged to the end: kernel ")
    assert judged or done.stderr.count("\n") == 1, done.stderr
    assert not titles or re.search(rf"\b{stem}\.cu:\d+", done.stderr), done.stderr
    assert DETAILS.get((stem, name), "") in done.stderr, (way, done.stderr)
    if MARKS[stem, name]:
        check_marks(stem, name, done, judged)


def ways(stem, name):
    if name in FIRST | LONG or stem == "variables": # whose words tell of the first thread
        return WAYS[:1]
    return WAYS if stem in BY_ORDER else WAYS[1:]


@pytest.mark.parametrize("stem, name, told", [
    pytest.param(*case, marks=pytest.mark.slow if case[1] in SLOW else ()) for case in CASES],
    ids=lambda value: str(value).replace(" ", "-"))
def test_case(stem, name, told):
    if GXX >= 16 and (stem, name) in BY_HALVES:
        pytest.skip("g++ 16 moves a float4 by halves, at which no processor stops")
    if name == "smallest" and platform.machine() != "x86_64":
        pytest.skip("other processors do not stop there")
    for way in ways(stem, name):
        check(program(stem), stem, name, told, way)


@pytest.mark.parametrize("stem, name, told", [
    case for case in CASES if case[0] == "variables" and "host" not in case[2] or
    case[0] == "hangs" and case[2] == "nothing" and case[1] not in LONG])
def test_checks_off(stem, name, told):
    """A wrong index stays near its variable, or the program ends by name; who waits for others is
    waited for."""
    done = run(program(stem), name, env={"SIMT_CHECKS": "off"})
    near = name in ("behind", "in_front", "row", "structures", "bytes", "other_file", "last")
    if told == "nothing" or near or done.returncode == 0:
        assert (done.returncode, done.stderr) == (0, "")
    elif name == "smallest":
        assert done.returncode == 5
    else:
        assert done.returncode == 4 and f"simt: {told}, kernel run\n" in done.stderr, done.stderr
        if name in ("near_null", "wrapped", "by_zero"):
            check_marks(stem, name, done, True)


@pytest.mark.parametrize("name, told", [case[1:] for case in CASES if case[0] == "atomics"])
def test_program_with_a_fence(name, told):
    """Of words that atomics change more is kept then; the verdicts are the same."""
    for way in WAYS:
        check(program("atomics", "-DFENCE"), "atomics", name, told, way)


@pytest.mark.parametrize("options", [["-DTYPE=float4"], ["-DTYPE=std::complex<float>", "--strict"]],
                         ids=["float4", "strict"])
def test_types_of_a_library(options):
    for stem, name, told in CASES:
        if stem == "returned":
            check(program(stem, *options), stem, name, told, WAYS[0])


@pytest.mark.slow
@pytest.mark.parametrize("stem, name, told", [case for case in CASES if case[0] not in BY_ORDER])
def test_usual_order(stem, name, told):
    check(program(stem), stem, name, told, WAYS[0])


@pytest.mark.slow
@pytest.mark.parametrize("name, told", [case[1:] for case in CASES
                                         if case[0] == "races" and case[1] not in FIRST])
def test_orders(name, told):
    for way in ORDERS:
        check(program("races"), "races", name, told, way)


def test_even_orders_let_blocks_overtake_each_other():
    """In the usual order every block finds a later stage than the one that lacks its fence."""
    told = 0
    for order in range(2, 12, 2):
        done = run(program("races"), "look_back_first",
                   env={"SIMT_ORDER": str(order)})
        assert done.returncode in (0, 4), done.stderr
        told += "simt: race in global memory" in done.stderr
        check(program("races"), "races", "look_back", "nothing",
              {"SIMT_ORDER": str(order)})
    assert told >= 3


def test_who_has_not_had_a_turn_is_not_stuck():
    """In a shuffled order a block rests though the one thread that can go on has not run."""
    for order in "1234":
        check(program("races"), "races", "tickets_all", "nothing",
              {"SIMT_ORDER": order})


def test_a_second_turn_names_both_threads():
    done = run(program("barriers"), "turn", env=WAYS[0])
    assert done.stderr.count("__syncthreads();\n") == 2
    assert " thread (0,0,0) of block" in done.stderr and " thread (32,0,0) of block" in done.stderr


def test_another_first_write_is_named():
    """Where the read comes behind it in this order, and need not."""
    done = run(program("atomics"), "flag")
    assert "Nothing orders the word's first write, at " in done.stderr


@pytest.mark.parametrize("case, call", [("calls", "meet"), ("inlined", "meet_inlined")])
def test_calls_are_named_where_the_barrier_is_one(case, call):
    done = run(program("barriers"), case, env=WAYS[0])
    assert done.stderr.count(f"  {call}();\n") == 2


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--strict", "-O3"])
def test_barriers_of_one_line_compiled_otherwise(option):
    """Copies that the compiler made of a barrier are one; two that stand on a line are two."""
    for stem, name, told in CASES:
        if stem == "barriers" and name in ("one_line", "copied", "first_of_line", "inlined"):
            check(program("barriers", option), stem, name, told, WAYS[0])


@pytest.mark.slow
@pytest.mark.parametrize("stem, name, told", [
    case for case in CASES if case[0] in ("shared", "races") and case[1] not in FIRST])
def test_strict(stem, name, told):
    """Without optimisation the same is told, and no more."""
    check(program(stem, "--strict"), stem, name, told, WAYS[0])

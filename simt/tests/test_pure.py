"""The CPU backend's arithmetic, without a CUDA program: sectors and wavefronts of a request
(cost.h) and the merge of 32 lanes into warps (merge.h), against models that are slow and plain."""

import itertools
import random
from collections import Counter
from types import SimpleNamespace

import pytest

from backend import ROOT, run

ALL_LANES = 2**32 - 1


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """Compiles simt/tests/c/NAME.c with the module it drives, and the one that this needs."""
    def compiled(name, room="watch"):
        program = tmp_path_factory.mktemp("c") / name
        done = run("gcc", "-std=c11", "-g", "-Wall", "-Wextra", "-Werror",
                   "-fsanitize=address,undefined", "-fno-sanitize-recover", "-Isimt",
                   f"simt/tests/c/{name}.c", f"simt/{room}/{name}.c",
                   "-o", program, cwd=ROOT)
        assert (done.returncode, done.stderr) == (0, "")
        return program
    return compiled


def answers(program, questions):
    done = run(program, input="\n".join(questions) + "\n")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def lanes_of(mask):
    return [lane for lane in range(32) if mask >> lane & 1]


# ---- sectors and wavefronts ----

def sectors(addresses, lanes, size):
    return len({byte // 32 for lane in lanes
                for byte in range(addresses[lane], addresses[lane] + size)})


def parts(lanes, size):
    """The lanes that are served together: all, those of a half warp, those of a quarter."""
    together = 32 if size <= 4 else 16 if size <= 8 else 8
    return [list(part) for _, part in itertools.groupby(lanes, lambda lane: lane // together)]


def wavefronts(addresses, lanes, size):
    total = 0
    for part in parts(lanes, size):
        words = {byte // 4 for lane in part
                 for byte in range(addresses[lane], addresses[lane] + size)}
        total += max(Counter(word % 32 for word in words).values())
    return total


def random_addresses(rng, size):
    """All lanes at one place, in a row, strided, in a small area, anywhere; aligned or not."""
    base = rng.choice([0, 1 << 20, rng.randrange(1 << 47)]) // 16 * 16
    stride = rng.choice([0, 1, 2, 3, 8, 16, 31, 32, 33, 64, rng.randrange(1 << 12)]) * size
    rng_span = rng.choice([2, 8, 64, 1 << 10])
    pattern = rng.choice([
        lambda lane: lane * stride,
        lambda lane: (31 - lane) * stride,
        lambda lane: lane // rng_span * stride,
        lambda lane: (lane ^ rng_span & 31) * stride,
        lambda lane: lane % 16 * stride + lane // 16 * rng_span * size,
        lambda lane: -lane % 16 * size + lane // 16 * rng_span * size,
        lambda lane: rng.randrange(rng_span) * size,
        lambda lane: rng.randrange(rng_span) * 32 * size])
    shift = 0 if rng.random() < 0.8 else rng.randrange(16)
    return [base + pattern(lane) + shift for lane in range(32)]


def random_mask(rng):
    return rng.choice([ALL_LANES, 1 << rng.randrange(32), 2**rng.randrange(1, 33) - 1,
                       rng.getrandbits(32) or 1, rng.getrandbits(32) & rng.getrandbits(32) or 1,
                       0xFFFF0000, 0xFF00FF, 0x11111111, 0x80000001])


def test_cost(driver):
    """Random requests of every size lie as they do, and cost what the definition says."""
    rng = random.Random(3)
    requests = []
    for i in range(5000):
        size = (1, 2, 4, 8, 16)[i % 5]
        requests.append((random_addresses(rng, size), random_mask(rng), size))
    output = answers(driver("cost"), [f"{size} {mask:x} {' '.join(map(str, addresses))}"
                                      for addresses, mask, size in requests])
    assert len(output) == len(requests)
    for (addresses, mask, size), line in zip(requests, output):
        lanes = lanes_of(mask)
        assert line == (f"{sectors(addresses, lanes, size)} {wavefronts(addresses, lanes, size)} "
                        f"{len(parts(lanes, size))}"), (addresses, hex(mask), size)


def test_cost_by_hand(driver):
    """The textbook's cases: address of a lane, bytes: sectors, wavefronts, fewest wavefronts."""
    cases = {(lambda lane: 4 * lane, 4): "4 1 1",          # neighbouring words
             (lambda lane: 4 * lane + 4, 4): "5 1 1",      # not aligned to a sector
             (lambda lane: 1024, 4): "1 1 1",              # all the same: a broadcast
             (lambda lane: lane, 1): "1 1 1",              # bytes
             (lambda lane: 8 * lane, 4): "8 2 1",          # every second word
             (lambda lane: 128 * lane, 4): "32 32 1",      # a column of a 32 x 32 tile
             (lambda lane: 132 * lane, 4): "32 1 1",       # the same, padded by a word
             (lambda lane: 8 * lane, 8): "8 2 2",          # double
             (lambda lane: 16 * lane, 16): "16 4 4",       # int4
             (lambda lane: 32 * lane, 16): "32 8 4"}       # every second int4
    questions = [f"{size} ffffffff {' '.join(str(address(lane)) for lane in range(32))}"
                 for address, size in cases]
    output = answers(driver("cost"), questions)
    assert [" ".join(line.split()[:3]) for line in output] == list(cases.values())


# ---- from lanes to warps ----
#
# Random programs are run by an interpreter twice: with all lanes of a warp in lockstep, which gives
# the warp's events, and with each lane alone, which gives the lanes' logs. Merged, they must be the
# warp's events again.

LOAD, STORE, ATOMIC, BRANCH, SYNCWARP = 0, 1, 2, 3, 9
WAITS = 1 << 63


PROGRAMS = 120


class Generator:
    """A program: statements with their positions, increasing as in compiled code. Functions have
    places of their own before or behind the kernel."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.serial = itertools.count()
        starts = self.rng.sample(range(1, 1 << 20, 1 << 14), 5)
        self.with_syncs = self.rng.random() < 0.3
        self.level = 2
        self.functions = [[self.function(starts[0]), self.function(starts[1])]]
        self.level = 1
        self.functions.append([self.function(starts[2]), self.function(starts[3])])
        self.level = 0
        self.kernel = self.function(starts[4])

    def function(self, start):
        self.pc = itertools.count(start)
        entry = next(self.pc)
        body = self.block(depth=0, in_loop=False)
        return SimpleNamespace(entry=entry, body=body, leave=next(self.pc))

    def block(self, depth, in_loop):
        statements = [self.statement(depth, in_loop)
                      for _ in range(self.rng.randint(1, 5 if depth == 0 else 3))]
        if depth > 0 and self.rng.random() < 0.15:
            vanishes = self.level == 0 and (self.with_syncs or self.rng.random() < 0.5)
            choices = ["exit_" if vanishes else "return_"] + ["break_", "continue_"] * in_loop
            statements.append(SimpleNamespace(kind=self.rng.choice(choices)))
        return statements

    def statement(self, depth, in_loop):
        kinds = ["access"] * 3
        if depth < 3:
            kinds += ["if_", "if_", "while_", "do_"]
        if self.level < 2 and depth < 3:
            kinds += ["call"]
        if self.level == 0 and depth == 0 and self.with_syncs:
            kinds += ["sync"] * 3
        kind = self.rng.choice(kinds)
        s = SimpleNamespace(kind=kind, serial=next(self.serial), begin=next(self.pc),
                            depends=self.rng.choice(["lane", "half", "visit", "visit", "uniform"]))
        if kind == "access":
            s.operation = self.rng.choice([LOAD, STORE, ATOMIC])
        elif kind == "call":
            s.callee = self.rng.choice(self.functions[1 - self.level])
        elif kind == "if_":
            s.body = self.block(depth + 1, in_loop)
            s.otherwise = next(self.pc) if self.rng.random() < 0.5 else None
            s.other_body = self.block(depth + 1, in_loop) if s.otherwise else []
        elif kind in ("while_", "do_"):
            s.depends = "visit"
            s.first = next(self.pc)
            s.body = self.block(depth + 1, in_loop=True)
            s.latch = next(self.pc)
        s.behind = next(self.pc)
        return s


class Interpreter:
    """Runs a program with the lanes of a mask in lockstep. Each statement is given the lanes that
    come to it and returns those that go on behind it; diverged ones meet again there."""

    def __init__(self, program, mask):
        self.events = []  # (key, kind, lanes)
        self.visits = Counter()
        self.loops = []  # a loop's [lanes that left it by break, by continue]
        self.path = self.depth = 0
        self.function(program.kernel, mask)

    def key(self, pc):
        return self.path | pc << 1 + 21 * (2 - self.depth)

    def enter(self, pc):
        self.place = self.key(pc)

    def leave(self, mask):
        """The end of a basic block, a branch, lies behind everything in the block."""
        if mask:
            self.events.append((self.place | 1 << 21 * (2 - self.depth), BRANCH, mask))

    def holds(self, s, mask):
        """Lanes for which the condition of s is true this time."""
        yes = 0
        for lane in lanes_of(mask):
            visit = self.visits[s.serial, lane] = self.visits[s.serial, lane] + 1
            seed = {"lane": lane, "half": lane < s.serial % 32, "visit": (lane, visit),
                    "uniform": visit}[s.depends]
            yes |= (hash((s.serial, seed, 17)) >> 7 & 7 < 4) << lane
        return yes

    def run(self, statements, mask):
        for s in statements:
            if mask:
                mask = getattr(self, s.kind)(s, mask)
        return mask

    def function(self, f, mask):
        outer, self.returned = getattr(self, "returned", 0), 0
        self.enter(f.entry)
        mask = self.run(f.body, mask)
        self.leave(mask)
        mask |= self.returned
        if mask:
            self.access(SimpleNamespace(begin=f.leave, operation=STORE), mask)
        self.returned = outer
        return mask

    def access(self, s, mask):
        self.enter(s.begin)
        self.events.append((self.place, s.operation, mask))
        return mask

    def sync(self, s, mask):
        self.enter(s.begin)
        self.events.append((self.place | WAITS, SYNCWARP, mask))
        return mask

    def call(self, s, mask):
        site, path = self.key(s.begin), self.path
        self.path, self.depth = site, self.depth + 1
        mask = self.function(s.callee, mask)
        self.path, self.depth, self.place = path, self.depth - 1, site
        return mask

    def if_(self, s, mask):
        self.leave(mask)
        yes = self.holds(s, mask)
        no = mask & ~yes
        self.enter(s.begin)
        yes = self.run(s.body, yes)
        self.leave(yes)
        if s.otherwise:
            self.enter(s.otherwise)
            no = self.run(s.other_body, no)
            self.leave(no)
        self.enter(s.behind)
        return yes | no

    def loop(self, s, mask, test_first):
        self.leave(mask)
        self.loops.append([0, 0])
        left, test = 0, test_first
        while mask:
            if test:
                self.enter(s.begin if test_first else s.latch)
                self.leave(mask)
                stay = self.holds(s, mask)
                left, mask = left | mask & ~stay, stay
            test = True
            self.enter(s.first)
            mask = self.run(s.body, mask)
            self.leave(mask)
            mask |= self.loops[-1][1]
            self.loops[-1][1] = 0
            if mask and test_first:
                self.enter(s.latch)
                self.leave(mask)
        self.enter(s.behind)
        return left | self.loops.pop()[0]

    def while_(self, s, mask):
        return self.loop(s, mask, True)

    def do_(self, s, mask):
        return self.loop(s, mask, False)

    def break_(self, s, mask):
        self.leave(mask)
        self.loops[-1][0] |= mask
        return 0

    def continue_(self, s, mask):
        self.leave(mask)
        self.loops[-1][1] |= mask
        return 0

    def return_(self, s, mask):
        self.leave(mask)
        self.returned |= mask
        return 0

    def exit_(self, s, mask):
        return 0


def log_text(events):
    return " ".join([str(len(events))] + [f"{kind} {key}" for key, kind, _ in events])


def test_merge(driver):
    """Lanes' logs merge into the warp's events, in their order; handed over in pieces, too."""
    rng = random.Random(4)
    questions, expected = [], []
    for seed in range(PROGRAMS):
        program = Generator(seed)
        mask = ALL_LANES if seed % 4 else random_mask(rng)
        logs = [log_text(Interpreter(program, mask & 1 << lane).events if mask >> lane & 1 else [])
                for lane in range(32)]
        warp = [f"{key} {lanes}" for key, _, lanes in Interpreter(program, mask).events]
        for pieces in "0 0", f"{rng.choice([1, 2, 3, 7, 40, 252])} {rng.choice([0, 5])}":
            questions += [pieces, *logs]
            expected.append((seed, pieces, warp))
    output = answers(driver("merge"), questions)
    for seed, pieces, warp in expected:
        end = output.index("end")
        assert output[:end] == warp, (seed, pieces)
        del output[:end + 1]
    assert output == []

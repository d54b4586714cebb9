"""The CPU backend, warps: shuffles, votes, matches and reductions with masks, and lanes that never
come."""

import random

import pytest

from backend import PRELUDE, run, simtcc

FULL = 0xFFFFFFFF

# Runs one warp operation a line of input: its number, mask, width, a and b (a lane's source, delta
# or lane mask is a + b * lane), then the 32 values. Prints the 32 results, -1 outside the mask.
# Lanes outside run a second operation of the other lanes meanwhile.
PROGRAM = """
struct request { int op; unsigned mask; int width, a, b; int values[32]; };

__device__ long long operate(int op, unsigned mask, int value, int x, int width)
{
    int all;
    switch (op) {
    case 0: return __shfl_sync(mask, value, x, width);
    case 1: return __shfl_up_sync(mask, value, x, width);
    case 2: return __shfl_down_sync(mask, value, x, width);
    case 3: return __shfl_xor_sync(mask, value, x, width);
    case 4: return __ballot_sync(mask, value);
    case 5: return __any_sync(mask, value);
    case 6: return __all_sync(mask, value);
    case 7: return __match_any_sync(mask, value);
    case 8: return __match_all_sync(mask, value, &all) | (long long)all << 32;
    case 9: return __reduce_add_sync(mask, value);
    case 10: return __reduce_min_sync(mask, value);
    case 11: return __reduce_max_sync(mask, value);
    case 12: return __reduce_add_sync(mask, (unsigned)value);
    case 13: return __reduce_min_sync(mask, (unsigned)value);
    case 14: return __reduce_max_sync(mask, (unsigned)value);
    case 15: return __reduce_and_sync(mask, (unsigned)value);
    case 16: return __reduce_or_sync(mask, (unsigned)value);
    default: return __reduce_xor_sync(mask, (unsigned)value);
    }
}

__global__ void kernel(request r, long long *out)
{
    int lane = threadIdx.x % 32;
    long long result = -1;
    if (r.mask >> lane & 1)
        result = operate(r.op, r.mask, r.values[lane], r.a + r.b * lane, r.width);
    else if (__ballot_sync(~r.mask, 1) != ~r.mask)
        result = -2;
    out[threadIdx.x] = result;
}

__global__ void stuck(int op)
{
    if (threadIdx.x == 5)
        operate(op, ~0u, 1, 0, 32);
    else
        __syncthreads();
}

int main(int argc, char **argv)
{
    if (argc > 1)
        stuck<<<1, 32>>>(atoi(argv[1]));
    long long *out = device<long long>(64);
    for (request r; scanf("%d %u %d %d %d", &r.op, &r.mask, &r.width, &r.a, &r.b) == 5;) {
        for (int &value : r.values)
            EXPECT(scanf("%d", &value) == 1);
        kernel<<<1, 64>>>(r, out); /* two warps, to see that they do not mix */
        long long *o = host(out, 64);
        for (int i = 0; i < 32; i++) {
            EXPECT(o[i] == o[i + 32]);
            printf("%lld ", o[i]);
        }
        printf("\\n");
        free(o);
    }
}
"""


# ---- the model: the CUDA C++ Programming Guide's sentences, one lane at a time ----

def shuffle_source(op, lane, x, width):
    first = lane // width * width
    if op == 0:
        return first + x % width
    source = (lane - x, lane + x, lane ^ x)[op - 1]
    inside = source >= first if op == 1 else source < first + width
    return source if inside else lane


def bits(lanes):
    return sum(1 << lane for lane in lanes)


def fold(function, values):
    result = values[0]
    for value in values[1:]:
        result = function(result, value)
    return result


def model(op, mask, width, a, b, values):
    """The 32 results; None where CUDA leaves open what a lane gets."""
    lanes = [lane for lane in range(32) if mask >> lane & 1]
    active = [values[lane] for lane in lanes]
    unsigned = [value & FULL for value in active]
    results = [-1] * 32
    for lane in lanes:
        if op < 4:
            source = shuffle_source(op, lane, a + b * lane, width)
            results[lane] = values[source] if source in lanes else None
        else:
            same = bits(other for other in lanes if values[other] == values[lane])
            results[lane] = [
                bits(other for other in lanes if values[other]),
                int(any(active)), int(all(active)),
                same, mask | 1 << 32 if same == mask else 0,
                (sum(active) + 2**31) % 2**32 - 2**31, min(active), max(active),
                sum(unsigned) % 2**32, min(unsigned), max(unsigned),
                fold(int.__and__, unsigned), fold(int.__or__, unsigned),
                fold(int.__xor__, unsigned)][op - 4]
    return results


def requests(rng):
    masks = [FULL, 0x0000FFFF, 0xFFFF0000, 0x55555555, 1, 1 << 31, 0x80000001]
    masks += [rng.getrandbits(32) or 1 for _ in range(8)]
    for mask in masks:
        values = [rng.randrange(-2**31, 2**31) for _ in range(32)]
        for width in 2, 4, 8, 16, 32:
            for a, b in (0, 0), (1, 0), (3, 0), (width // 2, 0), (31, 0), (0, 1), (5, 7), (31, -1):
                yield from ((op, mask, width, a, b % 32 if op == 0 else 0, values)
                            for op in range(4))
        for few in ([0] * 32, [7] * 32, [rng.randrange(2) for _ in range(32)],
                    [rng.randrange(-2, 3) for _ in range(32)], values):
            yield from ((op, mask, 32, 0, 0, few) for op in range(4, 18))


@pytest.fixture(scope="module")
def operations(tmp_path_factory):
    return simtcc(PRELUDE + PROGRAM, tmp_path_factory.mktemp("operations") / "kernel.cu")


def test_every_operation_has_its_name(operations):
    """That of what a lane waits at."""
    for op, name in enumerate([*4 * ["a shuffle"], *3 * ["a vote"], *2 * ["a match"],
                               *9 * ["a reduction"]]):
        done = run(operations, op)
        assert done.returncode == 4
        assert f"1 thread waits at {name}, mask 0xffffffff (" in done.stderr, done.stderr


def test_every_operation(operations):
    cases = list(requests(random.Random(1)))
    defined = [case for case in cases if None not in model(*case)]
    assert len(cases) - len(defined) > 1000 and len(defined) > 2000
    # A shuffle from outside the mask is a bug; all the same, the other lanes get what they must.
    for checks, some in ("on", defined), ("off", cases):
        lines = "".join(" ".join(map(str, case[:5] + tuple(case[5]))) + "\n" for case in some)
        done = run(operations, input=lines, env={"SIMT_CHECKS": checks})
        assert (done.returncode, done.stderr) == (0, "")
        outputs = done.stdout.splitlines()
        assert len(outputs) == len(some)
        for case, output in zip(some, outputs):
            expected = model(*case)
            for lane, result in enumerate(map(int, output.split())):
                assert expected[lane] in (None, result), (case, lane)

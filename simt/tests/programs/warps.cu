/* Votes, matches and reductions with masks, against the sentences of the CUDA C++ Programming Guide, one
 * lane at a time. (Shuffles: data/h200.) With an argument: some lanes never come to the operation of that
 * number. */
#include <climits>
#include <random>
#include <vector>
typedef long long ll;

enum { SHUFFLES = 4, OPERATIONS = 18 };
struct request { int op; unsigned mask; int values[32]; };

__device__ ll operate(int op, unsigned mask, int value)
{
    int all;
    switch (op) {
    case 0: return __shfl_sync(mask, value, 1);
    case 1: return __shfl_up_sync(mask, value, 1);
    case 2: return __shfl_down_sync(mask, value, 1);
    case 3: return __shfl_xor_sync(mask, value, 1);
    case 4: return __ballot_sync(mask, value);
    case 5: return __any_sync(mask, value);
    case 6: return __all_sync(mask, value);
    case 7: return __match_any_sync(mask, value);
    case 8: return __match_all_sync(mask, value, &all) | (ll)all << 32;
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
/* Lanes outside the mask run a second operation of their own meanwhile. */
__global__ void each(request r, ll *out)
{
    int lane = threadIdx.x % 32;
    if (r.mask >> lane & 1)
        out[threadIdx.x] = operate(r.op, r.mask, r.values[lane]);
    else
        out[threadIdx.x] = __ballot_sync(~r.mask, 1) == ~r.mask ? -1 : -2;
}
__global__ void stuck(int op)
{
    if (threadIdx.x == 5)
        operate(op, ~0u, 1);
    else
        __syncthreads();
}

static ll expected(const request &r, int lane)
{
    unsigned ballot = 0, same = 0, all = ~0u, any = 0, odd = 0, sum = 0, least = ~0u, most = 0;
    int smallest = INT_MAX, largest = INT_MIN;
    for (int i = 0; i < 32; i++) {
        if (!(r.mask >> i & 1))
            continue;
        int v = r.values[i];
        unsigned u = v;
        ballot |= (unsigned)(v != 0) << i, same |= (unsigned)(v == r.values[lane]) << i;
        sum += u, all &= u, any |= u, odd ^= u;
        least = u < least ? u : least, most = u > most ? u : most;
        smallest = v < smallest ? v : smallest, largest = v > largest ? v : largest;
    }
    const ll results[] = {ballot, ballot != 0, ballot == r.mask, same, same == r.mask ? r.mask | 1ll << 32 : 0,
                          (int)sum, smallest, largest, sum, least, most, all, any, odd};
    return results[r.op - SHUFFLES];
}

/* Two warps, to see that they do not mix. */
static void check(const request &r, ll *out)
{
    each<<<1, 64>>>(r, out);
    ll *o = host(out, 64);
    for (int i = 0; i < 64; i++)
        EXPECT(o[i] == (r.mask >> i % 32 & 1 ? expected(r, i % 32) : -1));
    free(o);
}

int main(int argc, char **argv)
{
    std::mt19937 random(1);
    ll *out = device<ll>(64);
    std::vector<unsigned> masks = {~0u, 0xffff, 0xffff0000, 0x55555555, 1, 1u << 31, 0x80000001};
    const int few_values[] = {1, 1, 2, 5, 0}; /* so many different ones; 0: any */

    if (argc > 1)
        stuck<<<1, 32>>>(atoi(argv[1]));
    for (int i = 0; i < 8; i++)
        masks.push_back(random() | 1u << random() % 32);
    for (unsigned mask : masks) {
        for (int many : few_values) {
            request r = {0, mask, {}};
            for (int &value : r.values)
                value = many ? (int)(random() % many) - (many > 2 ? 2 : 0) : (int)random();
            for (r.op = SHUFFLES; r.op < OPERATIONS; r.op++)
                check(r, out);
        }
    }
}

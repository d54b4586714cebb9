/* Each operation, from all threads of many blocks. */
enum { BLOCKS = 50, THREADS = 128, ALL = BLOCKS * THREADS };
typedef unsigned u;
typedef unsigned long long ull;
typedef long long ll;
/* of thread i: type, name, what is there before, operation, operand, what is there in the end; the
   lower half of `large` is in another order */
#define OPERATIONS(X) \
    X(int, add, 0, Add, 1, ALL) X(int, sub, 0, Sub, 2, -2 * ALL) X(int, min, 0, Min, -i, 1 - ALL) \
    X(int, max, 0, Max, i - 5, ALL - 6) X(u, uadd, 0, Add, 3, 3 * ALL) \
    X(u, umin, ~0u, Min, 4000000000u - i, 4000000000u - ALL + 1) \
    X(u, umax, 0, Max, 4000000000u + i, 4000000000u + ALL - 1) \
    X(u, ands, ~0u, And, ~(1u << i % 31), 1u << 31) \
    X(u, ors, 0, Or, 1u << i % 20, (1u << 20) - 1) \
    X(u, xors, 0, Xor, i + 1, ALL) X(u, inc, 0, Inc, 98, ALL % 99) \
    X(u, dec, 200, Dec, 98, (99 - ALL % 99) % 99) \
    X(ull, ladd, 0, Add, 1ull << 33, (ull)ALL << 33) \
    X(ull, lmin, ~0ull, Min, (1ull << 40) - i, (1ull << 40) - ALL + 1) \
    X(ull, lmax, 0, Max, (1ull << 40) + i, (1ull << 40) + ALL - 1) \
    X(ull, land, ~0ull, And, ~(1ull << i % 63), 1ull << 63) \
    X(ull, lor, 0, Or, 1ull << i % 64, ~0ull) \
    X(ull, lxor, 0, Xor, (i + 1ull) << 20, (ull)ALL << 20) \
    X(ll, smin, 0, Min, large, 5 - (2ll << 40)) \
    X(ll, smax, -(1ll << 50), Max, large, (2ll << 40) + ALL - 4) \
    X(float, fadd, 0, Add, 0.5f, ALL / 2) X(double, dadd, 0, Add, 0.25, ALL / 4) \
    X(float, fexch, 0, Exch, 2.5f, 2.5f)
#define FIELD(type, name, start, ...) type name = start;
#define OPERATE(type, name, start, op, operand, end) atomic##op(&a->name, (type)(operand));
#define CHECK(type, name, start, op, operand, end) EXPECT(r.name == (type)(end));
struct all {
    OPERATIONS(FIELD)
    int order = 0, exch = 0, cas = 0;
    ull lcas = 0;
};

__global__ void every(all *a, int *taken, int *order)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ll large = (i % 5 - 2) * (1ll << 40) + ALL - i;
    OPERATIONS(OPERATE)
    order[atomicAdd(&a->order, 1)]++; /* each old value once */
    taken[atomicExch(&a->exch, i + 1)]++; /* each value is found by the next one */
    int seen = 0, old; /* an addition made of compare-and-swap */
    while ((old = atomicCAS(&a->cas, seen, seen + 2)) != seen)
        seen = old;
    ull lseen = 0, lold;
    while ((lold = atomicCAS(&a->lcas, lseen, lseen + (1ull << 32))) != lseen)
        lseen = lold;
}

int main()
{
    all start, *a = device<all>(1);
    int *taken = device<int>(ALL + 1), *order = device<int>(ALL);
    OK(cudaMemcpy(a, &start, sizeof start, cudaMemcpyHostToDevice));
    every<<<BLOCKS, THREADS>>>(a, taken, order);
    all r = *host(a, 1);
    OPERATIONS(CHECK)
    EXPECT(r.cas == 2 * ALL && r.lcas == (ull)ALL << 32);
    int *o = host(order, ALL), *t = host(taken, ALL + 1);
    t[r.exch]++; /* the last one is still there */
    for (int i = 0; i < ALL; i++)
        EXPECT(o[i] == 1 && t[i] == 1);
    EXPECT(t[ALL] == 1);
}

/* Values of 1 to 8 bytes; warps with few lanes. */
template <class T> __device__ int same(T value)
{
    T other = __shfl_xor_sync(0xffffffff, value, 1);
    return other == __shfl_sync(0xffffffff, value, threadIdx.x ^ 1) && other != value;
}

__global__ void types(int *out)
{
    int lane = threadIdx.x;
    out[lane] = same((signed char)-lane) && same((short)(-1000 * lane)) && same(1u << lane) &&
                same(-1L << lane) && same(1ull << 2 * lane) && same(0.5f * lane) &&
                same(1e100 * lane);
    int alike; /* in the lower half */
    out[lane] &= __match_any_sync(~0u, 1ull << 2 * lane) == 1u << lane &&
                 !__match_all_sync(~0u, (long long)(lane / 16) << 40, &alike) && !alike;
}

__global__ void few(unsigned *out) /* 40 threads: the second warp has 8 lanes */
{
    out[threadIdx.x] = __ballot_sync(threadIdx.x < 32 ? 0xffffffff : 0xff, 1);
}

int main()
{
    int *out = device<int>(64);
    types<<<1, 32>>>(out);
    int *o = host(out, 32);
    for (int i = 0; i < 32; i++)
        EXPECT(o[i] == 1);
    unsigned *u = device<unsigned>(64);
    few<<<1, 40>>>(u);
    unsigned *h = host(u, 40);
    EXPECT(h[0] == ~0u && h[31] == ~0u && h[32] == 0xff && h[39] == 0xff);
}

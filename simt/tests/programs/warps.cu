/* Votes, matches and reductions of a part of a warp; with an argument, the operation of that number, to which
 * some lanes never come. (Of whole warps and of groups, as on a GPU: data/h200.) */
__global__ void part()
{
    int lane = threadIdx.x, v = lane - 10, all = 9;
    unsigned mask = 0xff00, u = v; // lanes 8 to 15 have -2 to 5
    if (mask >> lane & 1) {
        EXPECT(__ballot_sync(mask, v > 2) == 0xe000 && __any_sync(mask, v == 5) && !__any_sync(mask, v == 6));
        EXPECT(__all_sync(mask, v < 6) && !__all_sync(mask, v < 5));
        EXPECT(__match_any_sync(mask, v > 0) == (v > 0 ? 0xf800 : 0x700));
        EXPECT(__match_all_sync(mask, 7, &all) == mask && all);
        EXPECT(__match_all_sync(mask, v, &all) == 0 && !all);
        EXPECT(__reduce_min_sync(mask, v) == -2 && __reduce_max_sync(mask, v) == 5);
        EXPECT(__reduce_min_sync(mask, u) == 0 && __reduce_max_sync(mask, u) == ~0u);
        EXPECT(__reduce_add_sync(mask, v) == 12 && __reduce_add_sync(mask, u) == 12);
        EXPECT(__reduce_and_sync(mask, u | 8) == 8 && __reduce_or_sync(mask, u & 6) == 6);
        EXPECT(__reduce_xor_sync(mask, v == 0 ? 6u : 1u) == 7);
    }
}
__global__ void stuck(int op)
{
    unsigned all = ~0u;
    int same;
    if (threadIdx.x != 5)
        __syncthreads();
    else switch (op) {
    case 0: __shfl_sync(all, 1, 1); break;
    case 1: __shfl_up_sync(all, 1, 1); break;
    case 2: __shfl_down_sync(all, 1, 1); break;
    case 3: __shfl_xor_sync(all, 1, 1); break;
    case 4: __ballot_sync(all, 1); break;
    case 5: __any_sync(all, 1); break;
    case 6: __all_sync(all, 1); break;
    case 7: __match_any_sync(all, 1); break;
    case 8: __match_all_sync(all, 1, &same); break;
    case 9: __reduce_add_sync(all, 1); break;
    case 10: __reduce_min_sync(all, 1); break;
    case 11: __reduce_max_sync(all, 1); break;
    case 12: __reduce_and_sync(all, 1u); break;
    case 13: __reduce_or_sync(all, 1u); break;
    case 14: __reduce_xor_sync(all, 1u); break;
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        stuck<<<1, 32>>>(atoi(argv[1]));
    part<<<1, 32>>>();
}

/* Cooperative groups: their threads must come all, ranks are no lanes, and a barrier is one of just
 * its group. */
#include "cases.h"
#include <cuda_fp16.h> // in front of groups, or nvcc shuffles no __half2
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

template <class F> static void together(int blocks, int threads, F f)
{
    void *arguments[] = {&f};
    cudaLaunchCooperativeKernel(run<F>, blocks, threads, arguments); // BUG too_many: 1048576 blocks; the device runs
}
template <class F> static void on(int threads, F f) { run<<<1, threads>>>(f); }
#define KERNEL [=] __device__([[maybe_unused]] int i)
#define TILE(n) cg::tiled_partition<n>(cg::this_thread_block())

/* As libraries have it: for any group. */
__device__ static int group_sum(cg::thread_group g, int *s, int v)
{
    int r = (int)g.thread_rank();
    for (int k = (int)g.size() / 2; k > 0; k /= 2) {
        s[r] = v;
        g.sync();
        if (r < k)
            v += s[r + k];
        g.sync();
    }
    return v;
}

template <int N> __device__ static int tile_sum(cg::thread_block_tile<N> g, int v)
{
    for (int k = g.size() / 2; k > 0; k /= 2)
        v += g.shfl_down(v, k);
    return v;
}

/* A ticket for each: one atomic for all that are here. */
__device__ static int ticket(int *next, bool by_lane)
{
    auto here = cg::coalesced_threads();
    int first = 0, leader = by_lane ? 5 : 0;
    if (here.thread_rank() == 0)
        first = atomicAdd(next, (int)here.size());
    return here.shfl(first, leader) + (int)here.thread_rank(); // BUG leader_by_lane: asks for rank 5 of a coalesced group of 2
}

int main(int, char **argv)
{
    int *a = (int *)device(1 << 16), *out = (int *)device(1 << 16), wrong = 0;

    /* ---- all must come ---- */

    TWINS(half_a_tile, "operation of a group that is not complete")
        on(32, KERNEL { auto t = TILE(8); if (right || t.thread_rank() < 4)
            a[i] = t.shfl(i, 0); }); // BUG half_a_tile x4: have not come: the kernel has ended there.
    TWINS(two_are_missing, "operation of a group that is not complete")
        on(8, KERNEL { auto t = TILE(8); if (right || (i != 3 && i != 5))
            a[i] = t.any(i == 1); }); // BUG two_are_missing: A tile of 8 lanes: lanes 3 and 5 have not come
    TWINS(waits_for_half, "deadlock") /* hangs */
        on(32, KERNEL { auto b = cg::this_thread_block(); auto t = TILE(8);
            if (right || t.thread_rank() < 4)
                a[i] = t.shfl_xor(i, 1); // BUG waits_for_half: at a shuffle of a tile of 8 lanes: lanes 4 to 7 have not come
            b.sync(); }); // BUG waits_for_half
    TWINS(loop_of_lanes, "operation of a group that is not complete")
        on(32, KERNEL { auto t = TILE(16); int left = i % 16;
            for (; right ? t.any(left > 0) : left > 0; left--)
                a[i] += t.ballot(left > 0); }); // BUG loop_of_lanes x30: A tile of 16 lanes
    TWINS(returned, "operation of a group that is not complete")
        on(64, KERNEL { if (!right && i >= 40) return;
            int v = i < 40 ? i : 0;
            v = cg::reduce(TILE(32), v, cg::plus<int>()); // BUG returned: A tile of 32 lanes: lanes 8 to 31 have not come
            if (i % 32 == 0) atomicAdd(a, v); });
    TWINS(block_of_48, "operation of a group that is not complete")
        on(right ? 64 : 48, KERNEL { int v = cg::reduce(TILE(32), i, cg::plus<int>()); // BUG block_of_48: A tile of 32 lanes: lanes 16 to 31 have not come, since a block of 48 threads has none there.
            if (i % 32 == 0) atomicAdd(a, v); });
    TWINS(scan_of_40, "operation of a group that is not complete")
        on(right ? 48 : 40, KERNEL { a[i] = cg::inclusive_scan(TILE(16), 1); }); // BUG scan_of_40: A tile of 16 lanes: lanes 8 to 15
    TWINS(floats_of_40, "operation of a group that is not complete")
        on(right ? 48 : 40, KERNEL { ((float *)a)[i] = cg::reduce(TILE(16), .5f, cg::plus<float>()); }); // BUG floats_of_40: lanes 8 to 15
    TWINS(partition_of_some, "operation of a group that is not complete")
        on(32, KERNEL { auto t = TILE(32); if (right || i < 20)
            a[i] = cg::binary_partition(t, i % 3 == 0).size(); }); // BUG partition_of_some: lanes 20 to 31 have not come
    TWINS(one_of_half, "operation of a group that is not complete")
        on(32, KERNEL { auto t = TILE(32); if (right || i >= 16)
            cg::invoke_one(t, [=] { a[0] = i; }); }); // BUG one_of_half: A tile of 32 lanes: lanes 0 to 15 have not come
    TWINS(formed_before, "operation of a group that is not complete")
        on(32, KERNEL { auto outside = cg::coalesced_threads(); if (i % 2) {
            auto inside = cg::coalesced_threads();
            a[i] = cg::reduce(right ? inside : outside, 1, cg::plus<int>()); } }); // BUG formed_before: A coalesced group of 32 lanes
    TWINS(other_branch, "deadlock") /* hangs */
        on(32, KERNEL { auto t = TILE(32);
            if (right || i < 16)
                a[i] = t.shfl(i, 3); // BUG other_branch: at a shuffle of a tile of 32 lanes: lanes 16 to 31 have not come
            else
                a[i] = t.all(i > 3); }); // BUG other_branch: at a vote of a tile of 32 lanes: lanes 0 to 15 have not come

    /* ---- ranks, and who is in ---- */

    TWINS(rank_by_lane, "warp operation with a wrong mask")
        on(32, KERNEL { if (i % 3 == 0) { auto g = cg::coalesced_threads();
            a[i] = g.shfl(i, right ? g.thread_rank() : i); } }); // BUG rank_by_lane: asks for rank 12 of a coalesced group of 11 threads
    TWINS(leader_by_lane, "warp operation with a wrong mask")
        on(32, KERNEL { if (i == 5 || i == 9) a[i] = ticket(out, !right); });
    TWINS(of_others, "warp operation with a wrong mask")
        on(64, KERNEL { auto g = cg::binary_partition(TILE(32), i % 2);
            alignas(8) __shared__ char kept[sizeof g];
            if (i == 0) memcpy(kept, &g, sizeof g);
            __syncthreads();
            if (!right) memcpy((void *)&g, kept, sizeof g);
            if (i == 0 || i == 1) return;
            g.sync(); }); // BUG of_others: is none of the coalesced group, whose lanes are 0x55555555

    /* ---- barriers of just the group ---- */

    TWINS(no_sync, "race in shared memory")
        on(64, KERNEL { __shared__ int s[64]; auto t = TILE(8);
            s[i] = i; // BUG no_sync
            if (right) t.sync();
            a[i] = s[i ^ 1]; }); // BUG no_sync
    TWINS(sync_too_small, "race in shared memory")
        on(64, KERNEL { __shared__ int s[64]; auto t = TILE(8); auto w = TILE(32);
            s[i] = i; // BUG sync_too_small
            if (right) w.sync(); else t.sync();
            a[i] = s[i ^ 8]; }); // BUG sync_too_small
    TWINS(part_for_all, "race in shared memory")
        on(32, KERNEL { __shared__ int s[32]; auto g = cg::binary_partition(TILE(32), i < 16);
            s[i] = i; // BUG part_for_all
            g.sync();
            a[i] = s[right ? i ^ 1 : i ^ 16]; }); // BUG part_for_all
    TWINS(warps_of_a_block, "race in shared memory")
        on(64, KERNEL { __shared__ int s[64]; auto b = cg::this_thread_block();
            s[i] = i; // BUG warps_of_a_block
            cg::thread_group g = b;
            if (!right) cg::tiled_partition(b, 32).sync(); else g.sync();
            a[i] = s[63 - i]; }); // BUG warps_of_a_block
    TWINS(one_does_it, "race in shared memory")
        on(32, KERNEL { __shared__ int s; auto t = TILE(32);
            cg::invoke_one(t, [&] { s = 7; }); // BUG one_does_it
            if (right) t.sync();
            a[i] = s; }); // BUG one_does_it
    TWINS(stored_async, "race in shared memory")
        on(32, KERNEL { __shared__ int s; auto t = TILE(32);
            cg::reduce_store_async(t, &s, i, cg::plus<int>()); // BUG stored_async
            if (right) t.sync();
            a[i] = s; }); // BUG stored_async
    TWINS(two_syncs, "divergent barrier")
        on(64, KERNEL { auto b = cg::this_thread_block();
            if (right || i < 32) b.sync(); // BUG two_syncs
            else
                b.sync(); }); // BUG two_syncs
    TWINS(arrives_first, "race in shared memory")
        on(64, KERNEL { __shared__ int s[64]; auto b = cg::this_thread_block(); s[i] = i;
            auto token = b.barrier_arrive();
            if (!right) s[i]++; // BUG arrives_first
            b.barrier_wait(std::move(token)), out[i] = s[63 - i]; }); // BUG arrives_first

    /* ---- grids ---- */

    TWINS(not_cooperative, "grid.sync() in a launch that is not cooperative") {
        auto f = [=] __device__(int) { auto g = cg::this_grid(); a[g.thread_rank()] = 1; g.sync(); }; // BUG not_cooperative
        if (right) together(4, 64, f); else run<<<4, 64>>>(f);
    }
    TWINS(too_many, "error nobody looked at")
        together(right ? 256 : 1 << 20, 64, KERNEL { cg::this_grid().sync(); });
    TWINS(no_grid_sync, "race in global memory")
        together(8, 64, KERNEL { auto g = cg::this_grid();
            a[g.thread_rank()] = i; // BUG no_grid_sync
            if (right) g.sync(); else __syncthreads();
            out[g.thread_rank()] = a[g.size() - 1 - g.thread_rank()]; }); // BUG no_grid_sync
    TWINS(one_sync_a_round, "race in global memory") {
        together(8, 64, KERNEL { auto g = cg::this_grid(); int k = (int)g.thread_rank();
            for (int round = 0; round < 5; round++) {
                int left = a[(k + 511) % 512]; // BUG one_sync_a_round
                if (right) g.sync();
                a[k] = left + 1; // BUG one_sync_a_round
                g.sync();
            } });
        wrong = right && differ(a, 512, [](int) { return 5; });
    }
    TWINS(behind_the_arrival, "race in global memory")
        together(8, 64, KERNEL { auto g = cg::this_grid(); int k = (int)g.thread_rank();
            if (right) a[k] = k;
            auto token = g.barrier_arrive();
            if (!right) a[k] = k; // BUG behind_the_arrival
            g.barrier_wait(std::move(token));
            out[k] = a[511 - k]; }); // BUG behind_the_arrival
    TWINS(a_block_less, "deadlock") /* hangs */
        together(8, 64, KERNEL { if (!right && blockIdx.x == 3) return;
            cg::this_grid().sync(); }); // BUG a_block_less: wait for others at grid.sync(), and these will not come
    TWINS(too_often, "deadlock") /* hangs */
        together(8, 64, KERNEL { auto g = cg::this_grid();
            for (int k = 0; k < (right || blockIdx.x != 3 ? 2 : 3); k++)
                g.sync(); }); // BUG too_often: 63 threads wait

    /* ---- copies that are there only behind the wait ---- */

    TWINS(not_waited, "race in shared memory")
        on(64, KERNEL { __shared__ int s[64]; auto b = cg::this_thread_block();
            cg::memcpy_async(b, s, a, sizeof s); // BUG not_waited: copy by memcpy_async, which may still be on its way
            if (right) cg::wait(b);
            out[i] = s[i]; }); // BUG not_waited
    TWINS(wait_of_a_tile, "race in shared memory")
        on(64, KERNEL { __shared__ int s[64]; auto b = cg::this_thread_block();
            cg::memcpy_async(b, s, a, sizeof s); // BUG wait_of_a_tile
            if (right) cg::wait(b); else cg::wait(TILE(32));
            out[i] = s[63 - i]; }); // BUG wait_of_a_tile
    TWINS(changed_source, "race in global memory")
        on(64, KERNEL { __shared__ int s[64]; auto b = cg::this_thread_block();
            cg::memcpy_async(b, s, a, sizeof s); // BUG changed_source
            if (right) cg::wait(b);
            a[i] = i; // BUG changed_source
            cg::wait(b);
            out[i] = s[i]; });
    TWINS(refilled, "race in shared memory")
        on(64, KERNEL { __shared__ int s[64]; auto b = cg::this_thread_block();
            for (int round = 0; round < 3; round++) {
                cg::memcpy_async(b, s, a + 64 * round, sizeof s); // BUG refilled
                cg::wait(b);
                out[i] += s[63 - i]; // BUG refilled
                if (right) b.sync();
            } });
    TWINS(stages, "race in shared memory")
        on(64, KERNEL { __shared__ int s[2][64]; auto b = cg::this_thread_block();
            cg::memcpy_async(b, s[0], 64, a, 64); // BUG stages
            for (int k = 0; k < 4; k++) {
                if (k < 3)
                    cg::memcpy_async(b, s[(k + 1) % 2], 64, a + 64 * (k + 1), 64); // BUG stages
                if (right && k < 3)
                    cg::wait_prior<1>(b);
                else if (right)
                    cg::wait(b);
                else
                    cg::wait_prior<2>(b);
                out[i] += s[k % 2][63 - i]; // BUG stages
                b.sync();
            } });
    CASE(bytes_and_shorts, "nothing") {
        on(64, KERNEL { __shared__ __align__(16) char s[256]; auto b = cg::this_thread_block();
            if (i == 0) for (int k = 0; k < 64; k++) a[k] = 1000 * k;
            b.sync();
            cg::memcpy_async(b, s + 3, (const char *)a + 3, 250);
            cg::wait(b);
            cg::memcpy_async(TILE(16), (short *)out + i / 16 * 32, 28, (const short *)s + i / 16 * 32 + 2, 40);
            cg::wait(TILE(16)); });
        wrong = differ(out, 8, [](int i) { return 1000 * (i + 1); });
    }

    /* ---- legal, however odd ---- */

    CASE(any_group, "nothing") {
        on(64, KERNEL { __shared__ int s[64]; auto b = cg::this_thread_block(); auto t = cg::tiled_partition(b, 16);
            int v = group_sum(b, s, i);
            b.sync();
            int w = group_sum(t, s + i / 16 * 16, 1);
            a[i] = i == 0 ? v : i % 16 == 0 ? w : 0; });
        wrong = differ(a, 64, [](int i) { return i == 0 ? 64 * 63 / 2 : i % 16 == 0 ? 16 : 0; });
    }
    CASE(short_names, "nothing") { /* of which some are the C library's, too; a size that is computed */
        using namespace cooperative_groups;
        on(64, KERNEL { auto block = this_thread_block(); auto tile = tiled_partition<512 / 32>(block);
            auto again = tile; again = tile; __half2 two = reduce(again, __floats2half2_rn(1, 2), plus<__half2>());
            sync(block), sync(tile); a[i] = (int)tile.thread_rank() + (__low2float(two) != 16 || __high2float(two) != 32); });
        wrong = differ(a, 64, [](int i) { return i % 16; });
    }
    CASE(whole_warps_leave, "nothing") {
        on(96, KERNEL { if (i >= 64) return; a[i] = cg::reduce(TILE(32), tile_sum<32>(TILE(32), 1), cg::less<int>()); });
        wrong = differ(a, 96, [](int i) { return i < 64 ? 32 : 0; });
    }
    CASE(only_a_barrier, "nothing") {
        on(48, KERNEL { __shared__ int s[48]; auto t = TILE(32); s[i] = i; t.sync(); a[i] = s[i ^ 1] + t.size(); });
        wrong = differ(a, 48, [](int i) { return (i ^ 1) + 32; });
    }
    CASE(parts_of_48, "nothing") {
        on(40, KERNEL { auto t = cg::tiled_partition(cg::this_thread_block(), 16); t.sync(); a[i] = (int)t.size(); });
        wrong = differ(a, 40, [](int i) { return i < 32 ? 16 : 8; });
    }
    CASE(beyond_the_end, "nothing")
        on(32, KERNEL { if (i % 3 == 0) { auto g = cg::coalesced_threads();
            int next = g.shfl(i, g.thread_rank() + 1);
            a[i] = g.thread_rank() + 1 < g.size() ? next : i; } });
    CASE(branches_of_tiles, "nothing") {
        on(64, KERNEL { auto t = TILE(8);
            if (t.meta_group_rank() % 2) a[i] = t.shfl(i, 9); else a[i] = cg::reduce(t, i, cg::greater<int>()); });
        wrong = differ(a, 64, [](int i) { return i / 8 % 2 ? i / 8 * 8 + 1 : i / 8 * 8 + 7; });
    }
    CASE(either_launch, "nothing") {
        auto f = [=] __device__(int i) { auto g = cg::this_grid(); a[g.thread_rank()] = i; if (g.is_valid()) g.sync(); };
        run<<<4, 64>>>(f);
        together(4, 64, f);
    }
    CASE(threads_that_ended, "nothing") {
        together(4, 64, KERNEL { if (i >= 50) return; auto g = cg::this_grid(); if (i == 0) a[g.block_rank()] = 1; g.sync(); if (i == 0) out[g.block_rank()] = a[g.num_blocks() - 1 - g.block_rank()]; });
        wrong = differ(out, 4, [](int) { return 1; });
    }
    CASE(shared_stays, "nothing") {
        together(24, 32, KERNEL { __shared__ int s[32]; auto g = cg::this_grid(); s[i] = (int)g.thread_rank(); g.sync(); out[s[31 - i]] = i; });
        wrong = differ(out, 24 * 32, [](int i) { return 31 - i % 32; });
    }
    return finish(wrong);
}

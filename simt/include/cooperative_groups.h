/* Cooperative groups: names for sets of threads, and their common operations.
 *
 * A group within a warp is a mask of lanes, and its operations are warp operations (simt_device.h).
 * Tiles and coalesced groups share them, since the ranks in both follow the lanes. reduce, scan and
 * memcpy_async have their own headers. Source: CUDA C++ Programming Guide, "Cooperative Groups". */
#pragma once

#include "cuda_runtime.h"
#include <assert.h> /* as nvcc's does; stdio.h, too */
#include <stdio.h>

/* A member function of one expression; a static one without parameters. */
#define SIMT_METHOD(type, name, parameters, ...)                                                   \
    SIMT_INLINE_MEMBER type name parameters const { return __VA_ARGS__; }
#define SIMT_STATIC(type, name, ...)                                                               \
    static SIMT_INLINE_MEMBER type name() { return __VA_ARGS__; }

namespace cooperative_groups {

template <unsigned Size, class Parent = void> struct thread_block_tile;

namespace details {

enum kind : unsigned char { SIMT_OF_LANES = 1, SIMT_OF_GRID = 3, SIMT_OF_BLOCK = 4 };

SIMT_VALUE(unsigned long long, linear, (dim3 at, dim3 size),
           ((unsigned long long)at.z * size.y + at.y) * size.x + at.x)
SIMT_VALUE(dim3, times, (dim3 a, dim3 b), dim3(a.x *b.x, a.y *b.y, a.z *b.z))
SIMT_VALUE(unsigned long long, volume, (dim3 a), (unsigned long long)a.x *a.y *a.z)
SIMT_VALUE(unsigned, lane, (), simt_thread_rank() % 32)

/* The lowest `size` bits, at most 32. */
SIMT_VALUE(unsigned, bits, (unsigned size), size == 32 ? ~0u : (1u << size) - 1)

} // namespace details

/* Any group. */
struct thread_group {
    details::kind kind;
    simt_group told_as = SIMT_NO_GROUP; /* findings' word for a group of lanes */
    unsigned mask = 0;                  /* its lanes */
    unsigned meta_rank = 0;             /* its rank among the groups that it was made with, */
    unsigned meta_size = 1;             /* and their number */

    SIMT_INLINE_MEMBER explicit thread_group(details::kind kind) : kind(kind) {}
    SIMT_INLINE_MEMBER thread_group(simt_group told_as, unsigned mask, unsigned rank, unsigned size)
        : kind(details::SIMT_OF_LANES), told_as(told_as), mask(mask), meta_rank(rank),
          meta_size(size)
    {
    }
    thread_group &operator=(const thread_group &) = delete;
    /* The thread's part of a block or group of lanes that is divided into parts of n threads. */
    SIMT_INLINE_MEMBER thread_group part(unsigned n) const;

    thread_group(const thread_group &) = default;
    SIMT_METHOD(unsigned, get_type, (), kind)
    SIMT_INLINE_MEMBER unsigned long long size() const;
    SIMT_INLINE_MEMBER unsigned long long thread_rank() const;
    SIMT_INLINE_MEMBER void sync() const;
};

/* ---- the block ---- */

struct thread_block : thread_group {
    SIMT_INLINE_MEMBER explicit thread_block(details::kind kind) : thread_group(kind) {}
    struct arrival_token {};
    /* No access between the two is ordered, although today's GPUs wait in the second alone. */
    SIMT_INLINE_MEMBER arrival_token barrier_arrive() const
    {
        simt_fence(3);
        return {};
    }
    SIMT_INLINE_MEMBER void barrier_wait(arrival_token &&) const { sync(); }
    static SIMT_INLINE_MEMBER void sync() { simt_sync_block(); }
    SIMT_STATIC(unsigned, size, (unsigned)details::volume(simt_block_dim()))
    SIMT_STATIC(unsigned, num_threads, size())
    SIMT_STATIC(unsigned, thread_rank, simt_thread_rank())
    SIMT_STATIC(dim3, group_index, simt_block_idx())
    SIMT_STATIC(dim3, thread_index, simt_thread_idx())
    SIMT_STATIC(dim3, group_dim, simt_block_dim())
    SIMT_STATIC(dim3, dim_threads, simt_block_dim())
};

/* ---- the grid ---- */

struct grid_group : thread_group {
    SIMT_INLINE_MEMBER explicit grid_group(details::kind kind) : thread_group(kind) {}
    /* Only thread 0 uses it: the word by whose atomics blocks come, and the barrier's number. */
    struct arrival_token {
        unsigned *word, round;
    };
    SIMT_INLINE_MEMBER arrival_token barrier_arrive() const
    {
        arrival_token token = {simt_grid_word(), 0};
        simt_sync_block();
        if (simt_thread_rank() == 0) {
            __threadfence();
            atomicAdd(token.word, 1u);
            token.round = simt_grid_arrive();
        }
        return token;
    }
    SIMT_INLINE_MEMBER void barrier_wait(arrival_token &&token) const
    {
        if (simt_thread_rank() == 0) {
            simt_grid_wait(token.round, token.word);
            __threadfence();
        }
        simt_sync_block();
    }
    SIMT_INLINE_MEMBER void sync() const { barrier_wait(barrier_arrive()); }
    SIMT_METHOD(bool, is_valid, (), simt_grid_is_cooperative())
    SIMT_STATIC(unsigned long long, num_blocks, details::volume(simt_grid_dim()))
    SIMT_STATIC(unsigned long long, size, num_blocks() * thread_block::size())
    SIMT_STATIC(unsigned long long, num_threads, size())
    SIMT_STATIC(unsigned long long, block_rank, details::linear(simt_block_idx(), simt_grid_dim()))
    SIMT_STATIC(unsigned long long, thread_rank,
                block_rank() * thread_block::size() + simt_thread_rank())
    SIMT_STATIC(dim3, group_dim, simt_grid_dim())
    SIMT_STATIC(dim3, dim_blocks, simt_grid_dim())
    SIMT_STATIC(dim3, dim_threads, details::times(simt_grid_dim(), simt_block_dim()))
    SIMT_STATIC(dim3, block_index, simt_block_idx())
    static SIMT_INLINE_MEMBER dim3 thread_index()
    {
        dim3 first = details::times(simt_block_idx(), simt_block_dim());
        uint3 own = simt_thread_idx();
        return dim3(first.x + own.x, first.y + own.y, first.z + own.z);
    }
};

/* ---- groups of lanes ---- */

namespace details {

/* Tiles and coalesced groups. */
struct lanes : thread_group {
    SIMT_INLINE_MEMBER explicit lanes(const thread_group &g) : thread_group(g) {}
    SIMT_INLINE_MEMBER lanes(simt_group told_as, unsigned mask, unsigned rank, unsigned size)
        : thread_group(told_as, mask, rank, size)
    {
    }

    SIMT_METHOD(unsigned, vote, (simt_warp_op op, uint64_t value, bool counts = true),
                (unsigned)simt_warp(told_as, op, mask, value, 0, 32, counts))
    template <class Value> SIMT_INLINE_MEMBER Value move(simt_warp_op op, Value value, int by) const
    {
        constexpr bool is_copied =
            std::is_trivially_copyable<Value>::value || simt::is_narrow<Value>;
        static_assert(is_copied && sizeof(Value) <= 32,
                      "a group's operations take values of up to 32 bytes that memcpy can copy");
        simt_group_move(told_as, op, mask, &value, sizeof value, by);
        return value;
    }

    SIMT_METHOD(unsigned, num_threads, (), __builtin_popcount(mask))
    SIMT_METHOD(unsigned, size, (), num_threads())
    SIMT_METHOD(unsigned, thread_rank, (), __builtin_popcount(mask &((1u << lane()) - 1)))
    SIMT_METHOD(unsigned, meta_group_rank, (), meta_rank)
    SIMT_METHOD(unsigned, meta_group_size, (), meta_size)

    /* Costs no instruction where the group is a whole warp. */
    SIMT_INLINE_MEMBER void sync() const { vote(SIMT_SYNCWARP, 0, mask != ~0u); }

    template <class Value>
    SIMT_METHOD(std::decay_t<Value>, shfl, (Value && value, int rank),
                move<std::decay_t<Value>>(SIMT_SHFL_IDX, value, rank))
    template <class Value>
    SIMT_METHOD(std::decay_t<Value>, shfl_up, (Value && value, int delta),
                move<std::decay_t<Value>>(SIMT_SHFL_UP, value, delta))
    template <class Value>
    SIMT_METHOD(std::decay_t<Value>, shfl_down, (Value && value, unsigned delta),
                move<std::decay_t<Value>>(SIMT_SHFL_DOWN, value, (int)delta))
    SIMT_METHOD(int, any, (int predicate), vote(SIMT_BALLOT, predicate != 0) != 0)
    SIMT_METHOD(int, all, (int predicate), vote(SIMT_BALLOT, predicate != 0) == mask)
    SIMT_METHOD(unsigned, ballot, (int predicate),
                simt_ranks_of(vote(SIMT_BALLOT, predicate != 0), mask))
    template <class Value> SIMT_INLINE_MEMBER unsigned match_any(Value value) const
    {
        static_assert(std::is_arithmetic<Value>::value, "match_any takes integers and floats");
        return simt_ranks_of(vote(SIMT_MATCH_ANY, simt::to_bits(value)), mask);
    }
    template <class Value> SIMT_INLINE_MEMBER unsigned match_all(Value value, int &all) const
    {
        static_assert(std::is_arithmetic<Value>::value, "match_all takes integers and floats");
        unsigned same = vote(SIMT_MATCH_ALL, simt::to_bits(value));
        all = same != 0;
        return simt_ranks_of(same, mask);
    }
};

/* A tile, whatever it is a part of. */
template <unsigned Size> struct tile : lanes {
    static_assert((Size & (Size - 1)) == 0, "the size of a tile is a power of two");
    static_assert(Size <= 32,
                  "the CPU backend has no tiles of more than 32 threads: combine the "
                  "results of tiles of 32 in shared memory, behind a sync of the block");

    SIMT_INLINE_MEMBER explicit tile(unsigned meta_rank, unsigned meta_size)
        : lanes(SIMT_TILE, bits(Size) << (lane() & ~(Size - 1)), meta_rank, meta_size)
    {
    }
    static constexpr SIMT_INLINE_MEMBER unsigned size() { return Size; }
    static constexpr SIMT_INLINE_MEMBER unsigned num_threads() { return Size; }
    SIMT_STATIC(unsigned, thread_rank, simt_thread_rank() & (Size - 1))
    template <class Value>
    SIMT_METHOD(std::decay_t<Value>, shfl_xor, (Value && value, unsigned by),
                this->template move<std::decay_t<Value>>(SIMT_SHFL_XOR, value, (int)by))
};

/* May a tile of this size be a part of it? */
template <unsigned Size, class Parent>
constexpr bool has_tiles = std::is_same<Parent, thread_block>::value;
template <unsigned Size, unsigned Of, class Parent>
constexpr bool has_tiles<Size, thread_block_tile<Of, Parent>> = Size < Of;

} // namespace details

struct coalesced_group : details::lanes {
    SIMT_INLINE_MEMBER explicit coalesced_group(const details::lanes &l) : lanes(l) {}
};

template <unsigned Size> struct thread_block_tile<Size, void> : details::tile<Size> {
    SIMT_INLINE_MEMBER thread_block_tile(const details::tile<Size> &t) : details::tile<Size>(t) {}
};

template <unsigned Size, class Parent> struct thread_block_tile : details::tile<Size> {
    SIMT_INLINE_MEMBER explicit thread_block_tile(const Parent &parent)
        : details::tile<Size>(parent.thread_rank() / Size, (parent.size() + Size - 1) / Size)
    {
    }
    thread_block_tile(const thread_block_tile &) = default;
    SIMT_STATIC(unsigned, meta_group_rank, (unsigned)Parent::thread_rank() / Size)
    SIMT_STATIC(unsigned, meta_group_size, ((unsigned)Parent::size() + Size - 1) / Size)
    /* A thread has one tile of a type: there is nothing to copy. */
    SIMT_INLINE_MEMBER thread_block_tile &operator=(const thread_block_tile &) { return *this; }
};

SIMT_INLINE thread_block this_thread_block() { return thread_block(details::SIMT_OF_BLOCK); }
SIMT_INLINE grid_group this_grid() { return grid_group(details::SIMT_OF_GRID); }
SIMT_INLINE coalesced_group coalesced_threads()
{
    return coalesced_group(details::lanes(SIMT_COALESCED, simt_active_mask(), 0, 1));
}
SIMT_INLINE thread_block_tile<1> this_thread() { return details::tile<1>(0, 1); }

/* ---- partitions ---- */

template <unsigned Size, class Parent>
SIMT_INLINE thread_block_tile<Size, Parent> tiled_partition(const Parent &parent)
{
    static_assert(details::has_tiles<Size, Parent>,
                  "tiled_partition<n> is for blocks and larger tiles: want tiled_partition(g, n)");
    return thread_block_tile<Size, Parent>(parent);
}

/* g: a block or a group of lanes. */
SIMT_INLINE thread_group tiled_partition(const thread_group &g, unsigned n) { return g.part(n); }
SIMT_INLINE coalesced_group tiled_partition(const coalesced_group &g, unsigned n)
{
    return g.size() <= n ? g : coalesced_group(details::lanes(g.part(n)));
}

template <class Group> SIMT_INLINE coalesced_group binary_partition(const Group &g, bool predicate)
{
    unsigned set = g.vote(SIMT_BALLOT, predicate), own = (set ^ (predicate - 1u)) & g.mask;
    bool split = (set != 0) & (set != g.mask);
    return coalesced_group(details::lanes(SIMT_COALESCED, own, split & predicate, 1u + split));
}

template <class Group, class Label>
SIMT_INLINE coalesced_group labeled_partition(const Group &g, Label label)
{
    static_assert(std::is_integral<Label>::value || std::is_pointer<Label>::value,
                  "labeled_partition takes an integer or a pointer");
    if constexpr (std::is_same<Label, bool>::value)
        return binary_partition(g, label);
    unsigned own = g.vote(SIMT_MATCH_ANY, simt::to_bits(label)), first = own & -own;
    unsigned firsts = g.vote(SIMT_BALLOT, first >> details::lane() & 1, false);
    unsigned rank = (unsigned)__builtin_popcount(firsts & (first - 1));
    return coalesced_group(
        details::lanes(SIMT_COALESCED, own, rank, (unsigned)__builtin_popcount(firsts)));
}

/* ---- any group ---- */

SIMT_INLINE_MEMBER unsigned long long thread_group::size() const
{
    return kind == details::SIMT_OF_LANES   ? (unsigned)__builtin_popcount(mask)
           : kind == details::SIMT_OF_BLOCK ? thread_block::size()
                                            : grid_group::size();
}

SIMT_INLINE_MEMBER unsigned long long thread_group::thread_rank() const
{
    return kind == details::SIMT_OF_LANES
               ? (unsigned)__builtin_popcount(mask & ((1u << details::lane()) - 1))
           : kind == details::SIMT_OF_BLOCK ? thread_block::thread_rank()
                                            : grid_group::thread_rank();
}

SIMT_INLINE_MEMBER thread_group thread_group::part(unsigned n) const
{
    if (n == 0 || n > 32 || (n & (n - 1)) != 0)
        __trap();
    unsigned rank = (unsigned)thread_rank(), all = (unsigned)size(), first = rank & ~(n - 1);
    unsigned left = all - first, members = details::bits(left < n ? left : n);
    unsigned own = kind == details::SIMT_OF_BLOCK ? members << first % 32
                                                  : simt_lanes_of(members << first, mask);
    return thread_group(told_as ? told_as : SIMT_TILE, own, rank / n, (all + n - 1) / n);
}

SIMT_INLINE_MEMBER void thread_group::sync() const
{
    if (kind == details::SIMT_OF_LANES)
        simt_warp(told_as, SIMT_SYNCWARP, mask, 0, 0, 32, mask != ~0u);
    else if (kind == details::SIMT_OF_BLOCK)
        thread_block::sync();
    else
        this_grid().sync();
}

template <class Group> SIMT_INLINE void sync(const Group &g) { g.sync(); }
template <class Group> SIMT_INLINE auto thread_rank(const Group &g) { return g.thread_rank(); }
template <class Group> SIMT_INLINE auto group_size(const Group &g) { return g.num_threads(); }

/* The thread of rank 0 does it, as on a GPU. Of tiles and coalesced groups all must come. */
template <class Group, class Op, class... Value>
SIMT_INLINE void invoke_one(const Group &g, Op &&f, Value &&...argument)
{
    if constexpr (std::is_base_of<details::lanes, Group>::value)
        g.vote(SIMT_BALLOT, 1, false);
    if (g.thread_rank() == 0)
        std::forward<Op>(f)(std::forward<Value>(argument)...);
}

template <class Group, class Op, class... Value>
SIMT_INLINE auto invoke_one_broadcast(const Group &g, Op &&f, Value &&...argument)
{
    std::decay_t<decltype(f(argument...))> result{};
    if (g.thread_rank() == 0)
        result = std::forward<Op>(f)(std::forward<Value>(argument)...);
    return g.shfl(result, 0);
}

} // namespace cooperative_groups

/* Cooperative groups: memcpy_async, wait and wait_prior.
 *
 * The group's threads share the copy, in pieces of 4, 8 or 16 bytes. A copy from global to shared
 * memory only begins at the call, where its load is counted. A piece is there for its own thread
 * when that thread has waited, and for the others when the group has met after that; wait() does
 * both. All other copies are made at once. */
#pragma once

#include "../cooperative_groups.h"

/* The hooks that the compiler puts in front of an access (watch/hooks.h), for a piece's copy. */
#define SIMT_PIECE(size, type)                                                                     \
    extern "C" void __tsan_read##size(void *) noexcept;                                            \
    extern "C" void simt_async_write##size(void *) noexcept;                                       \
    SIMT_INLINE void simt_accesses(type *to, const type *from)                                     \
    {                                                                                              \
        __tsan_read##size((void *)from), simt_async_write##size(to);                               \
    }
SIMT_PIECE(4, int)
SIMT_PIECE(8, int2)
SIMT_PIECE(16, int4)

namespace cooperative_groups {
namespace details {

template <class Piece, class Group>
SIMT_INLINE void copy_at_once(const Group &g, char *to, const char *from, size_t bytes)
{
    for (size_t i = g.thread_rank(); i < bytes / sizeof(Piece); i += g.size())
        ((Piece *)to)[i] = ((const Piece *)from)[i];
}

/* Both addresses are multiples of a piece's size. */
template <class Piece, class Group>
SIMT_INLINE void copy_pieces(const Group &g, char *to, const char *from, size_t bytes)
{
    constexpr size_t size = sizeof(Piece);
    if (!simt_copies_late(to, from)) {
        copy_at_once<Piece>(g, to, from, bytes);
        return;
    }
    for (size_t i = g.thread_rank() * size; i + size <= bytes; i += g.size() * size) {
        simt_accesses((Piece *)(to + i), (const Piece *)(from + i));
        simt_copy_later(to + i, from + i, size);
    }
}

/* Copies the bytes in front of and behind the whole pieces at once. */
template <class Piece, class Group>
SIMT_INLINE void copy_unaligned(const Group &g, char *to, const char *from, size_t bytes)
{
    constexpr size_t size = sizeof(Piece);
    size_t before = -(uintptr_t)from % size, pieces = (bytes - before) / size * size;
    copy_at_once<char>(g, to, from, before);
    copy_pieces<Piece>(g, to + before, from + before, pieces);
    copy_at_once<char>(g, to + before + pieces, from + before + pieces, bytes - before - pieces);
}

/* Align: both addresses are multiples of it, by their type. */
template <unsigned Align, class Group>
SIMT_INLINE void copy(const Group &g, char *to, const char *from, size_t bytes)
{
    unsigned apart = (unsigned)((uintptr_t)to ^ (uintptr_t)from) % 16 | 16, best = apart & -apart;

    if constexpr (Align >= 4)
        copy_pieces<
            std::conditional_t<Align == 4, int, std::conditional_t<Align == 8, int2, int4>>>(
            g, to, from, bytes);
    else if (best < 4 || bytes < best)
        copy_at_once<std::conditional_t<Align == 2, short, char>>(g, to, from, bytes);
    else if (best == 4)
        copy_unaligned<int>(g, to, from, bytes);
    else if (best == 8)
        copy_unaligned<int2>(g, to, from, bytes);
    else
        copy_unaligned<int4>(g, to, from, bytes);
}

template <class Value> constexpr unsigned alignment = alignof(Value) > 16 ? 16 : alignof(Value);
template <> constexpr unsigned alignment<void> = 1;

} // namespace details

/* Copies this many bytes; the other form copies as many elements as both counts allow. */
template <class Group, class Value, class Count>
SIMT_INLINE void memcpy_async(const Group &g, Value *to, const Value *from, const Count &bytes)
{
    static_assert(!std::is_same_v<Group, grid_group>, "memcpy_async takes blocks and parts of one");
    details::copy<details::alignment<Value>>(g, (char *)to, (const char *)from, (size_t)bytes);
    simt_copies_begun();
}

template <class Group, class Value, class Count, class Other>
SIMT_INLINE void memcpy_async(const Group &g, Value *to, const Count &to_count, const Value *from,
                              const Other &from_count)
{
    size_t count = (size_t)to_count < (size_t)from_count ? (size_t)to_count : (size_t)from_count;
    memcpy_async(g, to, from, count * sizeof(Value));
}

/* Waits for all copies; wait_prior, for all but those of the last `Stages` calls. */
template <class Group> SIMT_INLINE void wait(const Group &g)
{
    simt_copies_wait(0);
    g.sync();
}
template <unsigned Stages, class Group> SIMT_INLINE void wait_prior(const Group &g)
{
    simt_copies_wait(Stages);
    g.sync();
}

} // namespace cooperative_groups
